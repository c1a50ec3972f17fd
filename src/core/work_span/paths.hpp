// What the structure of a run (structure.hpp) is made of: places of the program that fork, points and ends of paths, and what
// lies beside a record for who takes it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>

namespace skua::core {

struct group_work_span;

enum class call_site_kind : std::uint8_t { none, join, loop, group };

/// A place of the program that forks: the return address of a call into skua, and which call. 0: outside of all forks.
using site = std::uint64_t;
inline constexpr unsigned call_site_kind_shift = 60;  // addresses are shorter
inline site site_at(call_site_kind kind, const void* address) noexcept {
  return reinterpret_cast<std::uint64_t>(address) | std::uint64_t{static_cast<std::uint8_t>(kind)}
                                                        << call_site_kind_shift;
}

inline call_site_kind kind_of(site where) noexcept {
  return static_cast<call_site_kind>(where >> call_site_kind_shift);
}
inline std::uint64_t address_of(site where) noexcept {
  return where & ((site{1} << call_site_kind_shift) - 1);
}

struct call_site_part {
  site where;
  std::uint64_t ticks;
};

/// A point of a path, in ticks.
struct path_point {
  std::uint64_t span = 0, burdened = 0;
  friend path_point later(const path_point& a, const path_point& b) noexcept {
    return {std::max(a.span, b.span), std::max(a.burdened, b.burdened)};
  }
};

/// The end of a path, in the hands of who joins it.
struct path_end {  // zero bytes are an empty one
  static constexpr std::size_t max_parts = 12;
  path_point at;
  std::uint64_t work = 0;
  std::uint32_t parts = 0;
  call_site_part part[max_parts];
};

/// Beside a record that may be stolen. Zero bytes are an empty one.
struct child_work_span {
  // By the owner, while nobody else sees the record.
  bool watched;
  std::uint32_t depth;
  site where;
  path_point begin;
  // By its thief, before it tells its end.
  bool ended;
  path_end end;
};

/// A task of a group that is watched, until it is run.
struct told_task {
  void (*run)(detail::task&, task_context*);
  group_work_span* group;
  path_point begin;
  site where;
  std::uint32_t depth;
};

}  // namespace skua::core
