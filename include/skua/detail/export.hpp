// Marks the symbols that the shared library exports. All other symbols are hidden.
#pragma once

#define SKUA_API __attribute__((visibility("default")))
