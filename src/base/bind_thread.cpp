#include "base/bind_thread.hpp"

#include <sched.h>

#include <bit>

namespace skua::base {

void cpu_mask::add(std::uint32_t cpu) noexcept {
  if (cpu < max_cpus) words_[cpu / bits] |= word{1} << (cpu % bits);
}

void cpu_mask::add(std::span<const std::uint32_t> cpus) noexcept {
  for (const std::uint32_t cpu : cpus) add(cpu);
}

bool cpu_mask::contains(std::uint32_t cpu) const noexcept {
  return cpu < max_cpus && (words_[cpu / bits] >> (cpu % bits) & 1) != 0;
}

std::size_t cpu_mask::count() const noexcept {
  std::size_t cpus = 0;
  for (const word one : words_) cpus += static_cast<std::size_t>(std::popcount(one));
  return cpus;
}

// An empty set is refused by the kernel.
bool cpu_mask::bind_this_thread() const noexcept {
  return sched_setaffinity(0, sizeof words_, reinterpret_cast<const cpu_set_t*>(words_.data())) == 0;
}

bool bind_this_thread(std::uint32_t cpu) noexcept { return cpu_mask(cpu).bind_this_thread(); }

}  // namespace skua::base
