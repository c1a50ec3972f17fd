// What the shared library shows to the outside; everything else is hidden.
#pragma once

#define SKUA_API __attribute__((visibility("default")))
