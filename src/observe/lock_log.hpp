// How often and how long tasks waited for a skua::mutex, by the address of the call. The thread that holds the worker
// writes, any thread may read.
//
//   lock_log log;
//   log.add(return_address, spun, waited);     // in ticks; O(1), no allocation
//   log.each([](const lock_log::entry& e) { ... });
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "observe/counting.hpp"

namespace skua::observe {

class lock_log {
 public:
  struct entry {
    std::atomic<std::uint64_t> where{
        0};         // the return address of the call; 0: places for which there is no room
    count times;    // calls that did not get the mutex at once
    count in_line;  // of these, calls that left their worker
    count spun;     // ticks of looking at the mutex
    count waited;   // ticks between leaving the worker and having the mutex
  };

  void add(std::uint64_t where, std::uint64_t spun, std::uint64_t waited, bool in_line) noexcept {
    entry& e = of(where);
    e.times.add();
    if (in_line) e.in_line.add();
    e.spun.add(spun);
    e.waited.add(waited);
  }
  template <class Use>
  void each(Use use) const {
    for (const entry& e : entries_)
      if (e.times.read() != 0) use(e);
  }
  void clear() noexcept {
    for (entry& e : entries_)
      for (count* c : {&e.times, &e.in_line, &e.spun, &e.waited}) c->clear();
  }

 private:
  entry& of(std::uint64_t where) noexcept {
    for (entry& e : entries_) {
      const std::uint64_t there = e.where.load(std::memory_order_relaxed);
      if (there == where || &e == &entries_.back()) return e;
      if (there != 0) continue;
      e.where.store(where, std::memory_order_relaxed);
      return e;
    }
    return entries_.back();
  }

  static constexpr std::size_t places = 16;  // a program has few mutexes for which many tasks wait
  std::array<entry, places> entries_;        // the last one is for all further places
};

}  // namespace skua::observe
