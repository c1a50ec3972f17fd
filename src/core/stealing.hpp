// The thief that a policy sees, implemented on the workers, and running stolen tasks.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include <skua/steal_policy.hpp>

#include "core/queue/shared_records.hpp"
#include "core/worker.hpp"

namespace skua::core {

class scheduler_core;
class domain_pool;
struct inter_task;

class worker_thief final : public thief {
 public:
  explicit worker_thief(worker& here);

  /// Private tasks are taken by force from the first look on. Otherwise the thief first leaves a request, and takes by
  /// force when the victim has not answered for force_after_ns, because the victim is then in a long leaf.
  bool force = false;
  /// A search begins: victims that were asked before are asked again.
  void begin(std::int64_t now_ns) noexcept { began_ = now_ns; }

  worker_id id() const override { return here_.id; }
  std::size_t workers() const override;
  const placement& machine() const override;
  std::size_t random(std::size_t bound) override;
  std::size_t load(worker_id victim) const override;
  peeked peek(worker_id victim) override;
  stolen try_steal(worker_id victim, amount how_much, confirmation confirm) override;
  std::size_t domain_cache_bytes() const override;
  std::optional<worker_id> announced_in(domain_id domain) const override;
  bool tiered() const override;
  bool busy(domain_id domain) const override;
  stolen try_take(domain_id domain) override;
  void act_on_messages() override;
  bool forces() const override { return force; }
  std::size_t chosen() const override;

  /// Records have moved into this worker's queue, or back into a domain's pool, since reconcile() has shown them.
  bool has_moved = false;

  /// The victim of the task that the policy returned last; none for a task that was not stolen.
  std::optional<worker_id> robbed;

  /// After a round of the policy, which returned `answer`: keeps what the policy took and did not return, so that no task
  /// is lost by a policy's mistake. Returns `answer`, or none if the policy did not take it in this round: then it was
  /// kept in an earlier one, and would run twice.
  stolen reconcile(stolen answer) noexcept;
  /// A task that reconcile() could not put among the worker's own, because there was no memory; or none. The worker runs
  /// it before it asks its policy again.
  stolen take_left() noexcept;
  /// Takes charge of a task until take_left().
  void hold(const stolen& task, worker_id victim) noexcept;
  /// For any thread, after the thread that holds the worker: whether there is such a task.
  bool any_left() const noexcept { return any_left_.load(std::memory_order_relaxed); }

 private:
  struct in_hand {
    void *run, *frame, *side;
    inter_task* pooled;  // of an inter-domain task
    std::optional<worker_id> victim;
  };
  worker& at(worker_id victim) const;
  domain_pool& pool_of(domain_id domain) const;
  void put_back(inter_task& t);
  bool asked(worker_id victim) const noexcept { return asked_[victim] >= began_; }
  bool by_force(worker_id victim) const noexcept;
  bool is_interrupted() const noexcept;
  void look_for_answer(worker_id victim, bool pending) noexcept;
  bool has_room() noexcept;
  void notes_what_is_left() noexcept { any_left_.store(!taken_.empty(), std::memory_order_relaxed); }

  worker& here_;
  std::vector<in_hand> taken_;  // in this round; between two rounds what take_left() gives
  std::atomic<bool> any_left_{
      false};  // not a word of the simulated machine: no simulated run is without memory
  static constexpr std::int64_t never_asked = 0;
  std::int64_t began_ = 1;           // when the search began; later than never_asked
  std::vector<std::int64_t> asked_;  // by victim: since when a request is pending, or never_asked
};

/// The tasks that may be taken: with isolation, only tasks of that region; with a group, also the tasks of the group.
struct restriction {
  std::uint64_t isolation = 0;
  detail::group_base* group = nullptr;
  const detail::slot* floor = nullptr;  // of a stack's joins, those at or above it
  confirmation confirm = {};            // judges the hint
  const worker* taker = nullptr;        // its domain decides on records that are bound to a domain
  bool any() const noexcept { return isolation != 0 || group != nullptr; }
};

bool allows(const restriction& only, const detail::task& t) noexcept;

/// Takes from the queues of a worker what the restriction allows. `force`: also private records, by force.
stolen take_from(worker& victim, bool force, const restriction& only);
/// Takes a group task, or a join that a thief has put into its queue to run later.
stolen take_task(worker& victim, bool force, const restriction& only);
/// Takes from the queue of one stack.
stolen take_join(stack& victim, bool force, const restriction& only);

/// Puts a stolen task among this worker's own. False when there is no memory for it: then the caller still has it.
bool keep_for_later(worker& here, const stolen& task) noexcept;

/// Takes from the suspended stacks of a worker.
stolen take_listed(worker& victim, const restriction& only);

/// Runs a stolen task on this stack to its end. Top-level: the stack was in the worker loop.
void execute(stolen task, stack& self, bool top_level);

}  // namespace skua::core
