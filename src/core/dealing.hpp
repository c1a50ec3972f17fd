// Dealing: how a loop or a tree of joins spreads over many idle workers at once, in a number of steps that grows with the
// logarithm of the workers.
//
// A worker that begins to share work knows workers that are probably idle: those that follow it on the ring of all workers. It
// hands a new record directly to one in the middle of them (call_box.hpp), and with the record the second half of them. Both
// workers go on in the same way, so each step reaches twice as many workers, no two workers call the same one, and only the
// two workers of a pair use the cache lines that they share. If workers look for work by probing all others instead, the one busy queue is read by all of them,
// and each change of it waits until all have read it. A worker that is called runs the same part of a loop each time, as long
// as all workers are idle when the loop begins.
//
// The ring has the order of the workers' numbers, which follows the machine. When the join of a record that was handed over
// ends, its owner knows the same workers again, because they have become idle.
// Only policies whose deals() is true deal, and only in schedulers of at least `fewest_workers_to_deal` workers that have
// CPUs of their own. A record that finds no idle worker is published, and thieves take it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <skua/detail/task_context.hpp>
#include <skua/topology.hpp>

#include "core/call_box.hpp"
#include "core/platform/platform.hpp"
#include "core/queue/shared_words.hpp"

namespace skua::core {

class stack;
struct stolen_side;
struct worker;

inline constexpr std::size_t fewest_workers_to_deal = 8;

/// A record that its owner has handed to another worker. It lies in the owner's stack until the join of the record ends.
struct handed_record {
  shared<detail::slot*> slot{nullptr};
  stolen_side* side = nullptr;
  worker_id from = 0, to = 0;
  std::uint32_t given = 0;   // workers, the other one is the first of them
  std::uint32_t before = 0;  // workers that the owner knew
};

/// The handed records of a stack, oldest first.
class handed_records {
 public:
  static constexpr std::size_t capacity = 16;
  bool has_room() const noexcept { return count_ < capacity; }
  handed_record& next() noexcept { return records_[count_]; }
  void add() noexcept { ++count_; }
  /// The record at `s`, if it has been handed over: then it is the newest one.
  handed_record* find(const detail::slot* s) noexcept;
  void remove_newest() noexcept { --count_; }

 private:
  std::size_t count_ = 0;
  handed_record records_[capacity];
};

using worker_call_box = call_box<detail::host_atomics, handed_record>;

/// For the holder of a worker: what it knows of other workers.
struct dealer {
  std::uint32_t known = 1;    // workers that are probably idle: itself, and those that follow it on the ring
  std::int64_t asked_ns = 0;  // when it last assumed that all may be idle
  std::int64_t called_ns =
      0;  // when it got the record that it ran last; 0: the last task was not handed over
};

/// Owner of the newest record of `self`, at `s`, after its push: hands it to an idle worker. False when the record must be
/// published.
bool hand_over(stack& self, detail::slot* s) noexcept;

/// Owner, at the join of the record at `s`: takes it back from the other worker's box. True when it is the owner's again.
bool take_back_handed(stack& self, detail::slot* s) noexcept;

/// Owner: the join of a record that was taken has ended. The record may have been handed over.
void handed_has_ended(stack& self, const detail::slot* s) noexcept;

/// A task that came from outside begins at this worker. All other workers may be idle.
void knows_all(worker& here) noexcept;

}  // namespace skua::core
