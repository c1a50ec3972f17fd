// A word of each worker, by which a thread that has a record to give away hands it to this worker.
//
// The worker opens its box when it begins to search. A giver that finds the box open puts the record in: from then on the
// record belongs to the worker. The record is in no queue then, so no other code finds it. The thread that holds the worker
// (core/external/vacancies.hpp) empties the box: the worker's own thread before it does anything else, or an external thread
// that takes the worker meanwhile. A worker that falls asleep keeps its box open, until an external thread uses the worker. The
// giver puts the record in and then looks whether the worker sleeps. The worker says that it sleeps and then looks into the box.
// So one of the two sees the other (src/core/idle/sleep.md). The giver may take the record back as long as it is in the box.
// Checked by tests/model/call_box_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::core {

/// `Record` is any type with an alignment above 1.
template <class P, class Record>
class call_box {
 public:
  call_box() { word_.store(closed, std::memory_order_relaxed); }

  /// Holder: from now on the box takes a record, if it is empty.
  void open() {
    if (word_.load(std::memory_order_relaxed) == closed) word_.store(opened, std::memory_order_relaxed);
  }

  /// Any thread: whether a record lies there. For the holder this stays true until it empties the box or the giver takes the
  /// record back.
  bool is_full() const { return word_.load(std::memory_order_relaxed) > opened; }

  /// Holder: closes the box. Returns the record in it, or null.
  Record* close() {
    if (word_.load(std::memory_order_relaxed) == closed) return nullptr;
    // acquire: partner of put(); the record is visible.
    const std::uintptr_t before = word_.exchange(closed, std::memory_order_acquire);
    return before == opened ? nullptr : reinterpret_cast<Record*>(before);
  }

  /// Giver: false when the box is closed or full. The caller then runs P::light_fence() and wakes the worker if it sleeps.
  bool put(Record& record) {
    std::uintptr_t expected = opened;
    // release: partner of close().
    return word_.compare_exchange_strong(expected, reinterpret_cast<std::uintptr_t>(&record),
                                         std::memory_order_release, std::memory_order_relaxed);
  }

  /// Giver: false when the worker has the record.
  bool take_back(const Record& record) {
    std::uintptr_t expected = reinterpret_cast<std::uintptr_t>(&record);
    // relaxed: the record is the giver's own, and no other thread has written to it.
    if (word_.load(std::memory_order_relaxed) != expected) return false;
    return word_.compare_exchange_strong(expected, opened, std::memory_order_relaxed,
                                         std::memory_order_relaxed);
  }

 private:
  static constexpr std::uintptr_t closed = 0, opened = 1;
  typename P::template atomic<std::uintptr_t> word_;
};

}  // namespace skua::core
