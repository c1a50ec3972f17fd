// A worker's half of message-based scheduling, as a state machine: when it reports its number of tasks to its manager,
// and how it answers a STEAL.
//
// Only the thread that runs it touches the queue. A worker without a thread (`present` is false) still answers: it
// gives away every task it receives.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/for_simulator.hpp"
#include "base/sure_memory.hpp"
#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "managers/task_thresholds.hpp"

namespace skua::managers {

/// A worker's tasks. A task that can be split, such as a range of positions, counts as the number of its parts.
class task_queue {
 public:
  virtual std::uint64_t size() const = 0;
  virtual void put(const task_descriptor& t) = 0;
  /// One task for a thief. It counts at most `max` and is split for that if necessary; `max` and the size are 1 or
  /// more. `taken` becomes its count: 0 if the size was a guess and there is no task.
  virtual task_descriptor take(std::uint64_t max, std::uint64_t& taken) = 0;

 protected:
  ~task_queue() = default;
};

class worker_part {
 public:
  SKUA_FOR_SIMULATOR worker_part(const manager_tree& tree, std::uint32_t index, task_queue& queue);

  // What the worker does.
  /// The first worker of a phase begins, with tasks in its queue. The root must know it before another worker arrives.
  SKUA_FOR_SIMULATOR void begin(outbox& out);
  /// Tasks were put here before a worker arrived. Called after begin() of another worker.
  void prepare(outbox& out) { send_update({}, out); }
  /// A further worker arrives to run tasks. It is blocked at first: the managers count only tasks that are sent to it
  /// as its own. False after the end.
  SKUA_FOR_SIMULATOR bool arrive(outbox& out);
  /// The worker itself has changed the queue.
  SKUA_FOR_SIMULATOR void queue_changed(outbox& out);
  /// The worker found its queue empty and continues only with tasks that it receives. The value is its part of the
  /// phase's reduction since it last blocked.
  SKUA_FOR_SIMULATOR void block(rider value, outbox& out);
  /// The worker was blocked, has received tasks, and runs them now.
  void go_on() { awake_ = true; }
  /// The worker was blocked and leaves; no thread runs tasks here any more.
  void leave(outbox& out);

  // What it receives.
  SKUA_FOR_SIMULATOR void receive(const envelope& sent, outbox& out);
  /// Called after all available messages: answers the STEALs. Withdrawn ones get no tasks.
  SKUA_FOR_SIMULATOR void answer(outbox& out);

  bool ended() const { return ended_; }
  bool present() const { return present_; }
  bool awake() const { return awake_; }
  /// Its manager believes that it has tasks, and so does not feed it.
  bool believed_busy() const { return told_.last_told() != 0 && told_.last_told() != no_worker; }
  /// STEALs wait for answer().
  bool owes_answers() const { return !asked_.empty(); }
  /// The phase's reduction, after the end.
  const rider& result() const { return result_; }
  /// Queued and running; 0: it is blocked. With `vacant` if no worker is present.
  SKUA_FOR_SIMULATOR std::uint64_t tasks() const;
  const task_thresholds& told() const { return told_; }

 private:
  struct asked {
    level_id level;
    std::uint64_t tasks;
    std::uint32_t thief;
  };
  struct incoming {
    party victims;
    std::uint32_t parts_missing;
  };

  void receive_steal(const steal& m);
  void receive_task(const task& m, party victim, outbox& out);
  void answer_one(const asked& one, outbox& out);
  std::uint64_t give(std::uint64_t tasks, std::uint32_t thief, std::size_t& burst, outbox& out);
  std::uint64_t can_give() const;
  base::sure_vector<std::uint32_t> thieves_of(const asked& one) const;
  std::uint32_t parts_from(party victims, party thieves) const;
  std::uint64_t tell();
  void send_update(rider value, outbox& out);

  const manager_tree& tree_;
  party self_;
  party manager_;
  task_queue& queue_;
  task_thresholds told_;
  bool present_ = false;
  bool awake_ = false;  // runs tasks, or is about to search for one
  bool ended_ = false;
  base::sure_vector<asked> asked_;        // in the order of arrival, which is the order of the answers
  base::sure_vector<incoming> incoming_;  // each from several victims
  rider result_;
};

}  // namespace skua::managers
