// How much work each place of the program held (structure.hpp), of one stack.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>

#include "core/work_span/paths.hpp"
#include "observe/counting.hpp"

namespace skua::core {

/// What the places held, by who has run them. One writes, anybody reads.
class call_site_table {
 public:
  struct entry {
    std::atomic<site> where{0}, around{0};  // around: in which site it was met first
    observe::count work, times, inside;     // ... and what parts that are taken as serial forked
  };
  entry& of(site where) noexcept;
  /// The same, met in another one.
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
    }
  }

 private:
  static constexpr std::size_t size = 128;
  std::array<entry, size> entries_;
  entry outside_, others_;  // of no site that is told
};

}  // namespace skua::core
