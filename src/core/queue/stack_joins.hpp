// The joins of a stack, in whichever queue its scheduler's policy wants them (steal_policy::queue).
//
// In the split queue for all policies but the baseline, which has a Chase-Lev deque beside the slots. There `limit`
// lies at the first slot and `split` above the last one, so that every push and every pop comes to its slow half
// (handle.cpp), and no thief finds anything in the split queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/queue/queue_operations.hpp"
#include "core/stack.hpp"

namespace skua::core {

/// As load_of: how many there are.
inline std::size_t load_of_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() : load_of<host_platform>(s);
}

/// As has_public.
inline bool has_public_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() != 0 : has_public<host_platform>(s);
}

/// As claim. A deque gives its records one by one, so of several the owner or another thief may have some.
template <class Accept>
std::size_t claim_joins(stack& s, claimed* out, std::size_t max, Accept accept) {
  if (!s.deque) return claim<host_platform>(s, out, max, accept);
  const std::size_t wanted = max > 1 ? std::min(max, (s.deque->size() + 1) / 2) : max;
  std::size_t taken = 0;
  const auto oldest_is_fine = [&](std::uint16_t at) { return taken != 0 || accept(nullptr, at); };
  for (std::uint16_t at = 0; taken < wanted && s.deque->take(at, oldest_is_fine); ++taken)
    // What was taken is written by nobody until it has ended.
    out[taken] = {s.slots[at].run.load(std::memory_order_relaxed),
                  s.slots[at].frame.load(std::memory_order_relaxed), at};
  return taken;
}

}  // namespace skua::core
