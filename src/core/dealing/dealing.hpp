// Dealing: how a loop or a tree of joins spreads over many idle workers at once, in a number of steps that grows with the
// logarithm of the workers.
//
// The workers form a ring in the order of their numbers, which follows the machine. Each worker knows how many of those that
// follow it are probably idle. A worker that knows n workers, itself included, keeps the first half of them (the smaller one, if
// n is odd). It hands a new record directly to the first worker of the second half (call_box.hpp), and from then on that worker
// knows the second half. So each step reaches twice as many workers, and only the two workers of a pair use the cache lines that
// they share. If idle workers probe all others instead, all of them read the one busy queue, and each change of it waits until
// all have read it. A worker that begins a loop first hands the part of the workers with lower numbers to worker 0. So as long as
// all workers are idle then, each worker runs the same part of the loop every time, whichever worker begins it.
//
// When the join of a handed record ends, its owner knows the same workers again, because they have become idle. A worker that
// turns out to be busy is forgotten, and so are those that follow it. A record that finds no idle worker is published, and
// thieves take it. The policy decides which schedulers deal (steal_policy::deals). dealt_loops.hpp decides how much of a loop is
// dealt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <skua/detail/task_context.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "core/dealing/call_box.hpp"
#include "core/platform/platform.hpp"
#include "core/queue/shared_words.hpp"

namespace skua::detail {
struct task;
}

namespace skua::core {

class scheduler_core;
class stack;
struct stolen_side;
struct worker;

/// Under dealing::large.
inline constexpr std::size_t fewest_workers_to_deal = 8;
/// A handed record with less work is short. Short pieces of loops are left alone (dealt_loops.hpp), and after a short record a
/// worker expects another one.
inline constexpr std::int64_t short_piece_ns = 100'000;

/// A record that its owner has handed to another worker. That of a join lies in the owner's stack until the join ends, and that of
/// a part of a bundle in the part (dealt_tasks.hpp): from then on it belongs to the other worker.
struct handed_record {
  shared<detail::slot*> slot{nullptr};
  stolen_side* side = nullptr;
  worker_id from = 0, to = 0;
  std::uint32_t given = 0;       // how many workers `to` knows from then on, itself included
  std::uint32_t before = 0;      // how many the owner knew
  detail::task* task = nullptr;  // in place of a join
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
struct dealing_state {
  std::uint32_t known = 1;    // workers that are probably idle: itself, and those that follow it
  std::int64_t asked_ns = 0;  // when it last assumed that all may be idle
  std::int64_t called_ns =
      0;  // when it got the record that it ran last; 0: the last task was not handed to it
  std::uint32_t next_gives = 0;  // so many of the known workers get the next record; 0: the second half
  bool next_may_wake = false;    // the next fork has pieces of a loop that is worth waking workers
  bool next_is_small = false;    // the next record is a loop that is not worth another worker
  bool measures_next = false;    // the next piece of a loop that runs here is measured
  // For group tasks (dealt_tasks.cpp).
  const void* gathers_for = nullptr;  // the group whose tasks it keeps to deal them
  const void* deals_for = nullptr;    // the group that is being filled, and of which it has dealt tasks
  std::int64_t gathers_since_ns = 0;
  unsigned small_tasks = 0;  // that it has taken, or waited for, since one of them was measured

  /// A wait for the group begins.
  void is_filled(const void* group) noexcept {
    if (gathers_for == group) gathers_for = nullptr;
    if (deals_for == group) deals_for = nullptr;
  }
};

/// Puts the record into the box of one of the workers that its owner knows, with the last `given` of them, and returns that
/// worker. From then on the owner knows `known` workers. A worker that is busy, and those behind it, are forgotten: perhaps
/// they are in the middle of something else. Only a loop with enough work wakes workers (`may_wake`). A join may be the only
/// one: then the nearest worker should run it. The caller then calls wake_called() (hand_record.hpp).
std::optional<worker_id> put_at_known(scheduler_core& pool, handed_record& record, std::uint32_t& known,
                                      std::uint32_t given, bool may_wake) noexcept;

/// Whether the worker sleeps to which `here` would hand its next record, with so many of those that it knows (0: half).
bool next_sleeps(const worker& here, std::uint32_t gives = 0) noexcept;

/// Owner of the newest record of `self`, at `s`, after its push: hands it to an idle worker. False when the record must be
/// published.
bool hand_over(stack& self, detail::slot* s) noexcept;

/// Owner of the newest record of `self`, at `s`, after its push: whether to keep it private, although workers are idle. It is a
/// small loop or a short piece of one then, and nothing else is private here. A worker that searches takes a part by force if the
/// loop takes longer than expected (src/core/idle/sleep.md).
bool keeps_private(stack& self, const detail::slot* s) noexcept;

/// Owner, at the join of a handed record: takes it back from the other worker's box. True when it is the owner's again.
bool take_back(stack& self, const handed_record& record) noexcept;

/// Owner: the join of a record that was taken has ended. The record may have been handed over.
void handed_has_ended(stack& self, const detail::slot* s) noexcept;

/// What this worker has waited for has ended on other workers: perhaps they are idle again.
void may_know_again(worker& here) noexcept;

/// A task that came from outside begins at this worker. All other workers may be idle.
void knows_all(worker& here) noexcept;
/// The same at a worker that the calling thread keeps.
void knows_all_again(stack& self) noexcept;
/// A task begins whose children stay in its domain. All other workers of the domain may be idle.
void knows_domain(stack& self) noexcept;

/// A record that was handed to this worker, as a stolen task.
stolen take_handed(worker& here, const handed_record& handed) noexcept;
/// The holder of the worker runs something else first. Other workers may take the record meanwhile, unless there is no memory to
/// queue it.
void keep_handed(worker& here, const handed_record& handed) noexcept;
/// For a thread that has taken a worker: the worker's box may hold a record.
void keep_what_was_handed(worker& here) noexcept;

}  // namespace skua::core
