// The policy `managers`: stealing by messages between the workers of a scheduler.
//
// Each place has a mailbox and a worker_part, which belong to the place and not to the thread that sits there. Whoever
// holds the mailbox runs the part: the owner, which is who holds the place, in its slow paths; or a thief that has
// waited long, which takes out what was sent and leaves answers to the owner. Only an owner touches its place's queues.
//
// A message for a worker calls it (summons.hpp) and wakes it if it sleeps. A worker that others feed is woken when they
// are asked to, since somebody must see to it that they answer in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <skua/steal_policy.hpp>

#include "core/phase/manager_posts.hpp"
#include "core/phase/summons.hpp"
#include "core/worker.hpp"
#include "managers/worker_part.hpp"

namespace skua::core {

/// Throws bad_input for numbers that no tree of managers can have.
const management_options& checked(const management_options& how);

/// A place's queues as its part sees them: the joins of the stack that sits there, the group tasks, and what suspended
/// stacks have left. What is put goes among the group tasks of whoever reads the letters.
class queue_of_worker final : public managers::task_queue {
 public:
  explicit queue_of_worker(worker& of) : of_(of) {}
  std::uint64_t size() const override;
  void put(const managers::task_descriptor& t) override;
  /// As a thief would take it, after publishing; by the owner only.
  managers::task_descriptor take(std::uint64_t max, std::uint64_t& taken) override;

  /// Who reads the letters: its place.
  void set_reader(worker& reader) { reader_ = &reader; }
  /// Owner: queues what had no room before.
  void make_room();
  /// Group tasks only: who waits in place keeps its joins.
  managers::task_descriptor take_group_task(std::uint64_t& taken);

 private:
  void publish_one();

  worker& of_;
  worker* reader_ = nullptr;
  std::vector<managers::task_descriptor> beyond_;  // for which the pool had no room
};

class alignas(detail::line_pair) management final : public manager_posts {
 public:
  management(scheduler_core& pool, const management_options& how);
  ~management();

  /// Owner, in a slow path: takes up work if it had none, acts on its letters, tells its manager how much it has, and
  /// opens its limits up to where it has to tell that again.
  void attend(stack& self) noexcept;
  /// The same while it searches, where it says once that it has nothing; and lets time pass for its managers.
  void look_for_work(worker& here) noexcept;
  /// A worker is about to sleep, and may not have asked its policy in between: whoever its manager believes to be at work
  /// is never fed.
  void say_idle(worker& here) noexcept;
  /// A thread from outside is about to leave its place, where nobody runs now.
  void leave(worker& here) noexcept;
  /// Who waits in place and may not run what lies in its pool hands that on to the next worker, or nobody might run it.
  void pass_on(worker& here) noexcept;

  /// Takes what lies unread with others who are in long tasks, nearest first.
  void rescue_letters(worker& here) noexcept;

  bool called(worker_id worker) const noexcept { return at(worker).calls.called(); }
  bool maybe_called(worker_id worker) const noexcept { return at(worker).calls.maybe_called(); }
  /// Owner, who is about to sleep: it would not be fed.
  bool believed_busy(worker_id worker) const noexcept { return at(worker).believed_busy; }
  /// Whether this worker runs managers and asks for no tasks. It may be sent some all the same, when a steal feeds the
  /// whole part of the machine to which it belongs.
  bool is_dedicated(worker_id worker) const noexcept { return worker >= first_dedicated(); }
  /// Whether somebody has letters that he has not read.
  bool any_letters() const noexcept;

  /// Whether who runs here may write to the queues of that place.
  bool may_touch(const worker& of) const noexcept;
  /// Whether thieves may take from others by force in the end.
  const bool rescue;

 private:
  struct alignas(detail::line_pair) managed_worker {
    managed_worker(const managers::manager_tree& tree, worker& of) : seen(of), part(tree, of.id, seen) {}
    letterbox letters;
    summons<host_platform> calls;
    queue_of_worker seen;
    managers::worker_part part;
    unsigned rounds = 0;  // of its holder's search
    // Its part is, as its owner left it. What a blocked worker was sent may be taken by force before it looks, and then it
    // has to say so.
    bool believed_busy = false;
  };

  managed_worker& at(worker_id worker) noexcept { return own_seats_[worker]; }
  const managed_worker& at(worker_id worker) const noexcept { return own_seats_[worker]; }

  template <class Act>
  bool act_at(managed_worker& m, worker& reader, Act act) noexcept;
  bool act_as_owner(worker& here, bool works, std::uint64_t& more) noexcept;
  worker_id first_dedicated() const noexcept { return tree.workers() - dedicated(); }
  void run_managers(worker& here) noexcept;
  bool take_letters_of(worker_id other, worker& here) noexcept;
  void call(worker_id worker) noexcept;
  bool post_to_worker(managers::envelope message) noexcept override;
  void run_worker(std::uint32_t, parties&) noexcept override {}

  scheduler_core& pool_;
  std::deque<managed_worker> own_seats_;
};

/// Owner, in a slow path after it has opened its limits: nothing unless the policy manages.
void attend_to_messages(stack& self) noexcept;

}  // namespace skua::core
