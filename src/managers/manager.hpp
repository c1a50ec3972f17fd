// A manager as a state machine: a message in, messages out.
//
// It knows about how many tasks each child (a worker, or a manager for all below it) has. When one has too few it asks
// the fullest to give some; when all are blocked and nothing is on its way it says so to its own manager, and the root
// then ends the phase. A part of a reduction rides on that message, and the whole of it on the UNBLOCK that comes back.
//
// O(radix) a message.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "managers/thresholds.hpp"

namespace skua::managers {

enum class steal_amount { one, half };

struct manager_options {
  steal_amount amount = steal_amount::half;
  /// A child is a thief while it has fewer tasks than this for each of its workers. The task that runs counts, so 1
  /// is: while somebody is blocked.
  std::uint64_t underflow = 1;
  /// New tasks may come from outside at any time, so all blocked is no end.
  bool endless = false;
};

class manager {
 public:
  /// `reductions` may be null when nobody sends riders.
  manager(const manager_tree& tree, party self, manager_options options, reduction* reductions);

  /// Before any message: what the children have, from which nothing follows yet. Returns what is told above. With
  /// `all_stay` every worker is there until the end, and a part runs as many tasks at once as it has workers: others
  /// do not ask it for those.
  std::uint64_t know(const std::vector<std::uint64_t>& tasks_of_children, bool all_stay);
  void receive(envelope sent, outbox& out);

  /// Time has passed: a STEAL that has been unanswered for a whole such interval is withdrawn where somebody else has
  /// tasks, and the next fullest is asked. The one that did not answer is not asked again before it says something.
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
    bool vacant = false;  // they lie where nobody is
    std::uint32_t workers = 1;
    bool silent = false;          // not worth asking before it says something new
    std::deque<asked> steals;     // as victim, the oldest first
    std::uint32_t arriving = 0;   // as thief: steals whose tasks are not all there
    std::uint32_t withdrawn = 0;  // of these
  };
  /// A STEAL from above, handed on to all children.
  struct passed_on {
    level_id level;
    party thief;
    std::vector<bool> answered;
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
  std::deque<passed_on> passed_on_;
  std::vector<std::vector<std::uint32_t>> arrived_;  // by level above this one, then child
  int intervals_of_parts_ = 0;                       // how long some of them have been here and others not
  thresholds told_;
  rider value_;  // of children that have blocked
  bool ended_ = false;
  bool all_stay_ = false;
};

}  // namespace skua::managers
