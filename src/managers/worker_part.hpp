// A worker's half of message-based scheduling, as a state machine: when it tells its manager how many tasks it has, and
// how it answers a STEAL.
//
// Whoever runs it is the only one that touches the queue. A worker without anybody (`present` is false) still
// answers: it gives away whatever it is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "managers/thresholds.hpp"

namespace skua::managers {

/// A worker's tasks. One that can be split, as a range of positions, counts as many as it can become.
class task_queue {
 public:
  virtual std::uint64_t size() const = 0;
  virtual void put(const task_descriptor& t) = 0;
  /// One task for a thief, which counts `most` at most and is split for that if need be; `most` and the size are
  /// 1 or more. Says in `taken` how many it counts: 0 where the size was a guess, and there is none after all.
  virtual task_descriptor take(std::uint64_t max, std::uint64_t& taken) = 0;

 protected:
  ~task_queue() = default;
};

class worker_part {
 public:
  worker_part(const manager_tree& tree, std::uint32_t index, task_queue& queue);

  // What the worker does.
  /// The first of a phase comes, with tasks in its queue. Must be known at the root before anybody else arrives.
  void begin(outbox& out);
  /// Tasks were put here before anybody came; after begin() of another one.
  void prepare(outbox& out) { send_update({}, out); }
  /// Somebody else comes to run tasks here, blocked at first: only tasks that it is sent are known to the managers
  /// as its own. False after the end.
  bool arrive(outbox& out);
  /// The queue has changed by the worker's own hand.
  void queue_changed(outbox& out);
  /// The worker found its queue empty, and goes on only with what it is sent. The value is what it has to add to the
  /// phase's reduction since it blocked last.
  void block(rider value, outbox& out);
  /// Was blocked and has been sent tasks: takes up work again.
  void go_on() { awake_ = true; }
  /// Blocked before; nobody runs tasks here any more.
  void leave(outbox& out);

  // What it is sent.
  void receive(const envelope& sent, outbox& out);
  /// After all messages that are there: answers those STEALs that were not withdrawn meanwhile.
  void answer(outbox& out);

  bool ended() const { return ended_; }
  bool present() const { return present_; }
  bool awake() const { return awake_; }
  /// Its manager was told of tasks here, and does not see to it that it is fed.
  bool believed_busy() const { return told_.last_told() != 0 && told_.last_told() != no_worker; }
  /// STEALs wait for answer().
  bool owes_answers() const { return !asked_.empty(); }
  /// The phase's reduction, after the end.
  const rider& result() const { return result_; }
  /// Queued and running; 0: it is blocked. With `vacant` where nobody is.
  std::uint64_t tasks() const;
  const thresholds& told() const { return told_; }

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
  std::vector<std::uint32_t> thieves_of(const asked& one) const;
  std::uint32_t parts_from(party victims, party thieves) const;
  std::uint64_t tell();
  void send_update(rider value, outbox& out);

  const manager_tree& tree_;
  party self_;
  party manager_;
  task_queue& queue_;
  thresholds told_;
  bool present_ = false;
  bool awake_ = false;  // runs tasks, or is about to look for one
  bool ended_ = false;
  std::vector<asked> asked_;        // in the order of arrival, which is that of the answers
  std::vector<incoming> incoming_;  // from several victims each
  rider result_;
};

}  // namespace skua::managers
