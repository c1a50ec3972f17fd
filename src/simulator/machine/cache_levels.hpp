// The caches that hwloc names, as a model has them: every thread with an L1 and an L2, and sizes that can be.
#pragma once

#include <string>
#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

struct cache_level {
  std::vector<cache_instance> instances;
  bool inclusive = false;                // as the machine says of the first
  std::string size_source, ways_source;  // of the first: "hwloc" or "default"
};

/// Of a model whose hardware is known; the smallest level first.
std::vector<cache_level> cache_levels_of(const machine_model& model);

}  // namespace skua::simulator
