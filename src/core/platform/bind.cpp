#include "core/platform/platform.hpp"

#include <sched.h>

#include <cstddef>

namespace skua::core {

bool host_platform::bind_this_thread(std::uint32_t cpu) noexcept {
  constexpr std::uint32_t max = 8192;
  if (cpu >= max) return false;
  cpu_set_t* set = CPU_ALLOC(max);
  if (!set) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(max);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool bound = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

}  // namespace skua::core
