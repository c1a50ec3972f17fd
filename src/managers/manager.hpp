// A manager as a state machine: a message in, messages out.
//
// It knows roughly how many tasks each child has. A child is a worker, or a manager for all workers below it. When a
// child has too few tasks, the manager asks the fullest child to give some. When all children are blocked and no task
// is on its way, it reports that to its own manager; the root then ends the phase. That message also carries a part of
// a reduction, and the UNBLOCK that comes back carries the whole result.
//
// O(radix) a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/for_simulator.hpp"
#include "base/sure_memory.hpp"
#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "managers/task_thresholds.hpp"

namespace skua::managers {

enum class steal_amount { one, half };

struct manager_options {
  steal_amount amount = steal_amount::half;
  /// A child is a thief while it has fewer tasks than this for each of its workers. The running task counts, so 1
  /// means: while a worker is blocked.
  std::uint64_t underflow = 1;
  /// New tasks may come from outside at any time, so the phase does not end when all workers are blocked.
  bool endless = false;
};

class manager {
 public:
  /// `reductions` may be null when no message carries a rider.
  SKUA_FOR_SIMULATOR manager(const manager_tree& tree, party self, manager_options options,
                             reduction* reductions);

  /// Called before any message: sets the tasks of the children without acting on them. Returns the number for the
  /// manager above. With `all_stay` every worker stays until the end, and a part runs as many tasks at once as it has
  /// workers: other parts do not ask for those.
  SKUA_FOR_SIMULATOR std::uint64_t know(const std::vector<std::uint64_t>& tasks_of_children, bool all_stay);
  SKUA_FOR_SIMULATOR void receive(envelope sent, outbox& out);

  /// Called periodically. If a STEAL has no answer after a whole interval and another child has tasks, the manager
  /// withdraws it and asks the next fullest child. The child without an answer gets no STEAL before its next message.
  void time_passed(outbox& out);

  bool ended() const { return ended_; }
  /// Whether time_passed() would have something to do, now or later.
  bool waits_for_answer() const;

 private:
  /// A STEAL that a child has not answered.
  struct asked {
    std::uint32_t thief;  // a child
    std::uint64_t tasks;
    int intervals = 0;
    bool withdrawn = false;
  };
  struct child_state {
    std::uint64_t tasks = no_worker;
    bool vacant = false;  // its tasks lie at absent workers
    std::uint32_t workers = 1;
    bool silent = false;             // gets no STEAL before its next message
    base::sure_deque<asked> steals;  // as victim, the oldest first
    std::uint32_t arriving = 0;      // as thief: steals whose tasks have not all arrived
    std::uint32_t withdrawn = 0;     // of these
  };
  /// A STEAL from above, passed on to all children.
  struct passed_on {
    level_id level;
    party thief;
    base::sure_vector<bool> answered;
    std::uint32_t missing;
    std::uint64_t transferred = 0;
    bool withdrawn = false;
  };

  void receive_update(child_state& c, const update& m, rider value);
  void receive_victim_update(std::uint32_t which, const victim_update& m, outbox& out);
  void answer_above(std::uint32_t which, const victim_update& m, outbox& out);
  void receive_stealer_update(std::uint32_t which, const stealer_update& m, outbox& out);
  void receive_steal(const steal& m, outbox& out);
  void withdraw_passed_on(const steal& m, outbox& out);
  void end(const rider& value, outbox& out);

  void match(outbox& out);
  static void set_tasks(child_state& c, std::uint64_t told);
  bool wants(const child_state& c) const;
  bool expects_part(std::uint32_t which) const;
  bool expects_parts() const;
  static bool any_part(const std::vector<std::uint32_t>& parts);
  std::uint64_t available(const child_state& c) const;
  const child_state* fullest_for(const child_state& thief) const;
  std::uint64_t amount(const child_state& thief, const child_state& victim) const;
  void report(outbox& out);
  void send_value_if_idle(outbox& out);
  bool idle() const;
  std::uint64_t total() const;
  bool nothing_on_its_way() const;

  level_id level() const { return self_.height - 1; }
  bool is_root() const { return self_ == tree_.root(); }
  party child(std::uint32_t which) const { return tree_.child(self_, which); }
  party thief_below(const steal& m, std::uint32_t which) const;

  const manager_tree& tree_;
  party self_;
  manager_options options_;
  reduction* reductions_;
  std::vector<child_state> children_;
  base::sure_deque<passed_on> passed_on_;
  std::vector<std::vector<std::uint32_t>> arrived_;  // by level above this one, then child
  int intervals_of_parts_ = 0;                       // since some of them arrived while others are missing
  task_thresholds told_;
  rider value_;  // of children that have blocked
  bool ended_ = false;
  bool all_stay_ = false;
};

}  // namespace skua::managers
