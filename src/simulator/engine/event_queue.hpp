// The next event of each virtual worker, and the earliest of all.
//
// Most workers wait for work, and their next steps are a few cycles away. So the events of the next `window` cycles lie in
// lists, one for each cycle, and two levels of bits say which lists have events. The operations on them do not depend on the
// number of workers. Later events are in a tournament until the window reaches them.
//
// Idea: calendar queues of Brown (CACM 1988).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/engine/event_tournament.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class event_queue {
 public:
  static constexpr cycles never = event_tournament::never;
  static constexpr std::size_t window = std::size_t{64} * 64;

  event_queue() { lists_.fill({none, none}); }

  /// Adds a worker without an event. It has the next number, beginning with 0. Strong guarantee if there is no memory.
  void add_worker() {
    entries_.reserve(entries_.size() == entries_.capacity() ? 2 * entries_.size() + 1 : 0);
    later_.add_worker();
    entries_.emplace_back();
  }

  /// The worker's event, in place of its last one.
  void set(const event& one) noexcept {
    remove(one.worker);
    if (one.time < from_) [[unlikely]]
      begin_anew(one.time);
    if (one.time - from_ < window) return put(one);
    entries_[one.worker].where = place::later;
    later_.set(one);
  }
  void remove(worker_id worker) noexcept {
    entry& its = entries_[worker];
    if (its.where == place::near)
      take_out(worker);
    else if (its.where == place::later)
      later_.remove(worker);
    its.where = place::nowhere;
  }
  void clear() noexcept {
    for (std::size_t i = 0; i < entries_.size(); ++i) remove(static_cast<worker_id>(i));
  }

  bool empty() const noexcept { return filled_words_ == 0 && later_.empty(); }
  struct beginning {
    event first;
    cycles others;  // the time of the first event of the other workers
  };
  /// Both times may be `never`. Moves the window to the first event.
  beginning first() noexcept {
    const std::size_t distance = to_events(0);
    if (distance >= window && later_.empty()) return {later_.first(), never};
    move_window(distance < window ? from_ + distance : later_.first().time);
    const worker_id worker = list_of(from_).first;
    const entry& its = entries_[worker];
    return {{from_, its.number, worker}, its.after == none ? after_first() : from_};
  }

 private:
  static constexpr worker_id none = std::numeric_limits<worker_id>::max();
  enum class place : std::uint8_t { nowhere, near, later };
  struct entry {
    cycles time = 0;
    std::uint64_t number = 0;
    worker_id before = none, after = none;  // in the list, in the order of the numbers
    place where = place::nowhere;
  };
  struct list {
    worker_id first, last;
  };

  static std::size_t index_of(cycles time) noexcept { return time % window; }
  list& list_of(cycles time) noexcept { return lists_[index_of(time)]; }
  const list& list_of(cycles time) const noexcept { return lists_[index_of(time)]; }

  /// From the window's begin to the first list with events that is not before `at_least`. At least `window`: none.
  std::size_t to_events(std::size_t at_least) const noexcept {
    const std::size_t begin = index_of(from_ + at_least), word = begin / 64;
    if (const std::uint64_t here = filled_[word] >> (begin % 64); here != 0)
      return at_least + static_cast<std::size_t>(std::countr_zero(here));
    if (filled_words_ == 0) return window;
    // The words that follow, in a circle. The last of them is this one, with the lists before `begin`.
    const std::uint64_t following = std::rotr(filled_words_, static_cast<int>(word + 1));
    const std::size_t found = (word + 1 + static_cast<std::size_t>(std::countr_zero(following))) % 64;
    const std::size_t index = 64 * found + static_cast<std::size_t>(std::countr_zero(filled_[found]));
    return at_least + (index - begin) % window;
  }

  cycles after_first() const noexcept {
    const std::size_t next = to_events(1);
    return next < window ? from_ + next : later_.first().time;
  }

  /// No event is before `time`.
  void move_window(cycles time) noexcept {
    from_ = time;
    while (later_.first().time - from_ < window) {
      const event one = later_.first();
      later_.remove(one.worker);
      put(one);
    }
  }
  void begin_anew(cycles time) noexcept {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].where != place::near) continue;
      const auto worker = static_cast<worker_id>(i);
      take_out(worker);
      entries_[i].where = place::later;
      later_.set({entries_[i].time, entries_[i].number, worker});
    }
    move_window(time);
  }

  // Numbers grow, so an event nearly always comes last.
  void put(const event& one) noexcept {
    list& in = list_of(one.time);
    worker_id before = in.last, after = none;
    while (before != none && entries_[before].number > one.number) {
      after = before;
      before = entries_[before].before;
    }
    entries_[one.worker] = {one.time, one.number, before, after, place::near};
    (before == none ? in.first : entries_[before].after) = one.worker;
    (after == none ? in.last : entries_[after].before) = one.worker;
    const std::size_t index = index_of(one.time);
    filled_[index / 64] |= std::uint64_t{1} << (index % 64);
    filled_words_ |= std::uint64_t{1} << (index / 64);
  }
  void take_out(worker_id worker) noexcept {
    const entry& its = entries_[worker];
    list& in = list_of(its.time);
    (its.before == none ? in.first : entries_[its.before].after) = its.after;
    (its.after == none ? in.last : entries_[its.after].before) = its.before;
    if (in.first != none) return;
    const std::size_t index = index_of(its.time);
    filled_[index / 64] &= ~(std::uint64_t{1} << (index % 64));
    if (filled_[index / 64] == 0) filled_words_ &= ~(std::uint64_t{1} << (index / 64));
  }

  cycles from_ = 0;                            // the window's begin; no event is earlier
  std::uint64_t filled_words_ = 0;             // which words of filled_ are not 0
  std::array<std::uint64_t, 64> filled_ = {};  // which lists have events
  std::array<list, window> lists_;             // by the time modulo `window`
  std::vector<entry> entries_;                 // by worker
  event_tournament later_;
};

}  // namespace skua::simulator
