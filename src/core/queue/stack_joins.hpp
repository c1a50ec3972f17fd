// The joins of a stack, in the kind of queue that the scheduler's policy asks for (steal_policy::queue).
//
// All policies but the baseline use the split queue. The baseline uses a Chase-Lev deque beside the slots: there
// `limit` is the first slot and `split` lies above the last one, so every push and pop takes the slow path
// (slow_path.cpp), and thieves find the split queue empty.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/queue/queue_operations.hpp"
#include "core/stack.hpp"

namespace skua::core {

/// As load_of: the number of joins.
inline std::size_t load_of_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() : load_of<host_platform>(s);
}

/// As has_public.
inline bool has_public_joins(const stack& s) noexcept {
  return s.deque ? s.deque->size() != 0 : has_public<host_platform>(s);
}

/// As claim. A deque yields its records one by one, so the owner or other thieves may take some of them in between.
template <class Accept, class Also = any_further>
std::size_t claim_joins(stack& s, claimed* out, std::size_t max, Accept accept, Also also = {}) {
  if (!s.deque) return claim<host_platform>(s, out, max, accept, also);
  const std::size_t wanted = max > 1 ? std::min(max, (s.deque->size() + 1) / 2) : max;
  std::size_t taken = 0;
  const auto accept_oldest = [&](std::uint16_t at) {
    return taken == 0 ? accept(nullptr, at) : also(nullptr, taken);
  };
  for (std::uint16_t at = 0; taken < wanted && s.deque->take(at, accept_oldest); ++taken)
    // No other thread writes to a taken slot until its join has ended.
    out[taken] = {s.first_slot[at].run.load(std::memory_order_relaxed),
                  s.first_slot[at].frame.load(std::memory_order_relaxed), at};
  return taken;
}

}  // namespace skua::core
