// The data of work and span (work_span.hpp): call sites, points and ends of paths, what lies beside a record for its
// thief, and one stack's table of call sites.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>

#include "observe/counting.hpp"

namespace skua::core {

struct group_work_span;

enum class call_site_kind : std::uint8_t { none, join, loop, group };

/// A call site that forks: the return address of a call into skua, and the kind of call. 0: outside of all forks.
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

/// The end of a path, passed to the thread that joins it. Zero bytes are an empty one.
struct path_end {
  static constexpr std::size_t max_parts = 12;
  path_point at;
  std::uint64_t work = 0;
  std::uint32_t parts = 0;
  call_site_part part[max_parts];
};

/// Lies beside a record that may be stolen. Zero bytes are an empty one.
struct child_work_span {
  // Written by the owner while no other thread sees the record.
  bool watched;
  std::uint32_t depth;
  site where;
  path_point begin;
  // Written by the thief before it reports the end of the task.
  bool ended;
  path_end end;
};

/// A task of a group that is watched, until it is run.
struct watched_task {
  detail::task_code run;
  group_work_span* group;
  path_point begin;
  site where;
  std::uint32_t depth;
};

/// How often a loop was called outside of all forks and tasks, and with how many positions. One thread writes.
class loop_calls {
 public:
  struct sums {
    std::uint64_t calls = 0, positions = 0, min = 0, max = 0;
    sums& operator+=(const sums& other) noexcept {
      if (other.calls == 0) return *this;
      min = calls == 0 ? other.min : std::min(min, other.min);
      max = std::max(max, other.max);
      calls += other.calls;
      positions += other.positions;
      return *this;
    }
  };
  void add(std::uint64_t positions) noexcept {
    if (calls_.read() == 0 || positions < min_.load(std::memory_order_relaxed))
      min_.store(positions, std::memory_order_relaxed);
    max_.at_least(positions);
    calls_.add();
    positions_.add(positions);
  }
  void clear() noexcept {
    calls_.clear();
    positions_.clear();
    max_.clear();
  }
  sums read() const noexcept {
    return {calls_.read(), positions_.read(), min_.load(std::memory_order_relaxed), max_.read()};
  }

 private:
  observe::count calls_, positions_;
  std::atomic<std::uint64_t> min_{0};
  observe::largest max_;
};

/// How much work one stack has run at each call site. That stack writes; any thread reads.
class call_site_table {
 public:
  struct entry {
    std::atomic<site> where{0}, around{0};  // around: the site in which it was first met
    observe::count work, times, inside;     // inside: forks of parts that were taken as serial
    loop_calls loops;
  };
  entry& of(site where) noexcept;
  /// The same, met inside the site `around`.
  entry& of(site where, site around) noexcept {
    entry& e = of(where);
    if (e.around.load(std::memory_order_relaxed) == 0) e.around.store(around, std::memory_order_relaxed);
    return e;
  }
  template <class Use>
  void each(Use use) const {
    for (const entry& e : entries_)
      if (e.where.load(std::memory_order_relaxed) != 0) use(e);
  }
  void clear() noexcept {
    for (entry& e : entries_) {
      e.work.clear();
      e.times.clear();
      e.inside.clear();
      e.loops.clear();
    }
  }

 private:
  static constexpr std::size_t size = 128;
  std::array<entry, size> entries_;
  entry outside_, others_;  // outside of all forks; sites for which the table has no room
};

}  // namespace skua::core
