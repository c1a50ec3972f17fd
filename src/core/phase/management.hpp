// The policy `managers`: stealing by messages between the workers of a scheduler.
//
// Each worker has a mailbox and a worker_part, which belong to the worker and not to the thread attached to it. The
// thread that holds the mailbox runs the part. This is the owner (the thread attached to the worker) in its slow paths.
// It may also be a thief that has waited long; the thief takes the messages out and leaves the answers to the owner.
// Only the owner touches the worker's queues.
//
// A message to a worker calls it (summons.hpp) and wakes it if it sleeps. When others are asked to send tasks to a
// thief, the thief is woken too, because it must check that they answer in time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include <skua/steal_policy.hpp>

#include "core/phase/ending.hpp"
#include "core/phase/manager_posts.hpp"
#include "core/phase/summons.hpp"
#include "core/worker.hpp"
#include "managers/worker_part.hpp"

namespace skua::core {

/// Throws bad_input for numbers outside of what a tree of managers supports.
const management_options& checked(const management_options& how);

/// A worker's queues as its part sees them: the joins of the stack that runs there, the group tasks, and what suspended
/// stacks have left. put() adds to the group tasks of the worker that reads the messages.
class queue_of_worker final : public managers::task_queue {
 public:
  explicit queue_of_worker(worker& of) : of_(of) {}
  std::uint64_t size() const override;
  void put(const managers::task_descriptor& t) override;
  /// Takes a task as a thief would, after publishing; owner only.
  managers::task_descriptor take(std::uint64_t max, std::uint64_t& taken) override;

  /// Sets the worker whose thread reads the messages.
  void set_reader(worker& reader) { reader_ = &reader; }
  /// Takes group tasks only: a stack that waits on its thread keeps its joins.
  managers::task_descriptor take_group_task(std::uint64_t& taken);

 private:
  void publish_one();

  worker& of_;
  worker* reader_ = nullptr;
};

class alignas(detail::line_pair) management final : public manager_posts {
 public:
  management(scheduler_core& pool, const management_options& how);
  ~management();

  /// Owner, in a slow path: becomes busy if it was not, acts on its messages, tells its manager how many tasks it has,
  /// and opens its limits up to the number of tasks at which it must report again.
  void attend(stack& self) noexcept;
  /// The same while it searches for work: it reports once that it has no tasks, and lets time pass for its managers.
  void look_for_work(worker& here) noexcept;
  /// Called before a worker sleeps, since it may not have asked its policy in between: a worker that its manager
  /// believes busy is never sent tasks.
  void say_idle(worker& here) noexcept;
  /// The worker's thread is about to end. False when messages have come, which it must read first. After true, a thread that
  /// sends the worker a task takes it back.
  bool ends(worker& here) noexcept;
  /// Called before an external thread leaves its worker, which then runs nothing.
  void leave(worker& here) noexcept;
  /// Called by a stack that waits on its thread and may not run the tasks in its pool: sends them to the next worker,
  /// because otherwise no worker might run them.
  void pass_on(worker& here) noexcept;

  /// Takes the unread messages of other workers that run long tasks, nearest first.
  void rescue_letters(worker& here) noexcept;

  bool called(worker_id worker) const noexcept { return at(worker).calls.called(); }
  bool maybe_called(worker_id worker) const noexcept { return at(worker).calls.maybe_called(); }
  /// Owner, before it sleeps: true when its manager believes it busy, so that it would not be sent tasks.
  bool believed_busy(worker_id worker) const noexcept { return at(worker).believed_busy; }
  /// Whether this worker runs managers and does not ask for tasks. It may still be sent some, when a steal feeds the
  /// whole part of the machine to which it belongs.
  bool is_dedicated(worker_id worker) const noexcept { return worker >= first_dedicated(); }
  /// Whether any worker has unread messages.
  bool any_letters() const noexcept;

  /// Whether the calling thread may write to the queues of that worker.
  bool may_touch(const worker& of) const noexcept;
  /// Whether thieves may, as a last resort, take from others by force.
  const bool rescue;

 private:
  struct alignas(detail::line_pair) managed_worker {
    managed_worker(const managers::manager_tree& tree, worker& of) : seen(of), part(tree, of.id, seen) {}
    letterbox letters;
    ending<host_platform> end;  // afterwards no thread reads `letters`
    summons<host_platform> calls;
    queue_of_worker seen;
    managers::worker_part part;
    unsigned rounds = 0;  // of its owner's search
    // What the part said when its owner left it. Tasks sent to a blocked worker may be taken by force before it reads
    // the messages; then it must report that.
    bool believed_busy = false;
  };

  managed_worker& at(worker_id worker) noexcept { return managed_workers_[worker]; }
  const managed_worker& at(worker_id worker) const noexcept { return managed_workers_[worker]; }

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
  std::deque<managed_worker> managed_workers_;
};

/// Owner, in a slow path after it has opened its limits. Does nothing unless the policy is `managers`.
void attend_to_messages(stack& self) noexcept;

}  // namespace skua::core
