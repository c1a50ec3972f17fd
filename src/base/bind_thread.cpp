#include "base/bind_thread.hpp"

#include <sched.h>

namespace skua::base {

bool bind_this_thread(std::uint32_t cpu) noexcept {
  constexpr std::uint32_t max_cpus = 8192;
  if (cpu >= max_cpus) return false;
  cpu_set_t* const set = CPU_ALLOC(max_cpus);
  if (!set) return false;
  const std::size_t bytes = CPU_ALLOC_SIZE(max_cpus);
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool bound = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return bound;
}

}  // namespace skua::base
