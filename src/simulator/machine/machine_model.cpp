#include "simulator/machine/machine_model.hpp"

#include <algorithm>

namespace skua::simulator {

std::size_t machine_model::shared_level(std::size_t a, std::size_t b) const {
  for (std::size_t level = 0; level < caches.size(); ++level)
    if (instance_of(level, a) == instance_of(level, b) && instance_of(level, a) != no_cache) return level;
  return caches.size();
}

std::size_t machine_model::thread_on(std::uint32_t cpu) const {
  return static_cast<std::size_t>(std::ranges::find(hardware, cpu, &hardware_thread::cpu) - hardware.begin());
}

}  // namespace skua::simulator
