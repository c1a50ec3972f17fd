// How often and how long tasks waited for a skua::mutex, by the address of the call. The thread that holds the worker
// writes, any thread may read.
//
//   lock_log log;
//   log.add({return_address, callers...}, spun, waited, in_line);     // in ticks; O(1), no allocation
//   log.each([](const lock_log::entry& e) { ... });                   // by the return address alone
//   log.each_with_callers([](const lock_log::entry& e) { ... });
//
// A program that was not optimised calls lock() of skua's header, perhaps by way of std::lock_guard. Only a report, which
// reads symbol tables, can tell. So the callers are kept too, as far as there is room.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "observe/counting.hpp"

namespace skua::observe {

class lock_log {
 public:
  /// Return addresses: of the call of the library, of the call of the function that called it, and so on; then zeros.
  using place = std::array<std::uint64_t, 4>;

  struct entry {
    std::array<std::atomic<std::uint64_t>, 4> where{};  // a place; 0: places for which there is no room
    count times;                                        // calls that did not get the mutex at once
    count in_line;                                      // of these, calls that left their worker
    count spun;                                         // ticks of looking at the mutex
    count waited;  // ticks between leaving the worker and having the mutex

    place known_place() const noexcept {
      place result{where[0].load(std::memory_order_acquire)};  // partner: the release in table::of()
      for (std::size_t i = 1; i < result.size(); ++i) result[i] = where[i].load(std::memory_order_relaxed);
      return result;
    }
  };

  void add(const place& where, std::uint64_t spun, std::uint64_t waited, bool in_line) noexcept {
    by_call_.add({where[0]}, spun, waited, in_line);
    by_callers_.add(where, spun, waited, in_line);
  }
  template <class Use>
  void each(Use use) const {
    by_call_.each(use);
  }
  template <class Use>
  void each_with_callers(Use use) const {
    by_callers_.each(use);
  }
  void clear() noexcept {
    by_call_.clear();
    by_callers_.clear();
  }

 private:
  template <std::size_t Places>
  class table {
   public:
    void add(const place& where, std::uint64_t spun, std::uint64_t waited, bool in_line) noexcept {
      entry& e = of(where);
      e.times.add();
      if (in_line) e.in_line.add();
      e.spun.add(spun);
      e.waited.add(waited);
    }
    template <class Use>
    void each(Use& use) const {
      for (const entry& e : entries_)
        if (e.times.read() != 0) use(e);
    }
    void clear() noexcept {
      for (entry& e : entries_)
        for (count* c : {&e.times, &e.in_line, &e.spun, &e.waited}) c->clear();
    }

   private:
    entry& of(const place& where) noexcept {
      for (entry& e : entries_) {
        const place there = e.known_place();
        if (there == where || &e == &entries_.back()) return e;
        if (there[0] != 0) continue;
        for (std::size_t i = 1; i < where.size(); ++i) e.where[i].store(where[i], std::memory_order_relaxed);
        e.where[0].store(where[0], std::memory_order_release);  // partner: known_place() of a reader
        return e;
      }
      return entries_.back();
    }

    std::array<entry, Places> entries_;  // the last one is for all further places
  };

  table<16> by_call_;  // a program has few mutexes for which many tasks wait
  table<48> by_callers_;
};

}  // namespace skua::observe
