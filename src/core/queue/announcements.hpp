// Which workers have announced that they have enough tasks to share: one bit for each worker, in one word for every 64
// workers of a domain.
//
// The bits are hints: a worker may have run out of tasks since, and one that never has many never sets its bit. So all
// accesses are relaxed and no task depends on them: a policy that finds no announced worker looks elsewhere in the end.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <skua/detail/split_queue.hpp>
#include <skua/steal_policy.hpp>

#include "core/platform/platform.hpp"

namespace skua::core {

class stack;
struct worker;

/// What one worker keeps to decide about its announcement. Only the thread that holds the worker uses it.
struct announcer {
  shared<std::uint64_t>* word = nullptr;  // null: the policy does not announce
  std::uint64_t bit = 0;
  announce_thresholds at{};
  queue_rates rates{};
  // Since when the next `rates` are measured, and what was counted then.
  std::int64_t since_ns = 0;
  std::uint64_t pushes = 0;
  std::size_t load = 0;

  bool announced() const noexcept { return word->load(std::memory_order_relaxed) & bit; }
  void announce() noexcept { word->fetch_or(bit, std::memory_order_relaxed); }
  void withdraw() noexcept { word->fetch_and(~bit, std::memory_order_relaxed); }
};

class announcements {
 public:
  explicit announcements(const placement& placed);
  announcer announcer_of(worker_id worker) noexcept;
  /// The first announced worker of a domain behind `after`, in ring order.
  std::optional<worker_id> find(domain_id domain, worker_id after) const noexcept;

 private:
  struct alignas(detail::line_pair) padded_word {
    shared<std::uint64_t> bits{0};
  };
  std::optional<worker_id> find_between(domain_id domain, std::size_t first, std::size_t last) const noexcept;
  std::size_t rank(worker_id worker) const noexcept;  // in its domain

  const placement placed_;
  std::vector<std::size_t> first_word_;  // by domain
  std::unique_ptr<padded_word[]> words_;
};

/// The costs of a push and a pop in this process, measured once.
queue_rates measure_queue_costs();
/// The costs on a simulated machine, which must not depend on the machine below it: one nanosecond each.
queue_rates virtual_queue_costs() noexcept;

/// Owner, in its slow paths: announces or withdraws by what the queues hold, and sets the limits at which pushes come
/// here.
void update_announcement(stack& self) noexcept;
/// Owner, when it may have nothing left to share.
void withdraw_announcement(stack& self) noexcept;
/// Thief: withdraws the announcement of a victim that has at most one task.
void withdraw_if_poor(worker& victim) noexcept;

}  // namespace skua::core
