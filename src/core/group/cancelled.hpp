// Whether a group, or a group around it, is cancelled.
#pragma once

#include <skua/task_group.hpp>

#include <atomic>
#include <cstdint>

namespace skua::core {

/// The number of cancelled groups in the whole process. While it is 0, no thread walks the scopes.
inline std::atomic<std::uint64_t> cancelled_groups{0};

inline bool any_cancelled(const detail::scope* s) noexcept {
  if (cancelled_groups.load(std::memory_order_relaxed) == 0) return false;
  for (; s; s = s->outer)
    if (s->group && s->group->stops()) return true;
  return false;
}

}  // namespace skua::core
