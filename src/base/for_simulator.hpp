// Marks what libskua_simulator.so takes from libskua.so. Programs do not use it, so no public header declares it.
#pragma once

#define SKUA_FOR_SIMULATOR __attribute__((visibility("default")))
