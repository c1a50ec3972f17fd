// Who has announced that it has enough to share: a bit a worker, in one word a domain (one for every 64 of its workers).
//
// The bits are advice: a worker may have run out since, and one that never gets full never sets its own. So all accesses
// are relaxed, and no task depends on them: a policy that finds nobody announced looks elsewhere in the end.
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

/// What one worker keeps to decide on its announcement. Its holder's own.
struct announcer {
  shared<std::uint64_t>* word = nullptr;  // null: this policy does not announce
  std::uint64_t bit = 0;
  announce_thresholds at{};
  queue_rates rates{};
  // Since when `rates` are measured anew.
  std::int64_t since_ns = 0;
  std::uint64_t pushes = 0;
  std::size_t load = 0;

  bool announced() const noexcept { return word->load(std::memory_order_relaxed) & bit; }
  void announce() noexcept { word->fetch_or(bit, std::memory_order_relaxed); }
  void withdraw() noexcept { word->fetch_and(~bit, std::memory_order_relaxed); }
};

class announcements {
 public:
  explicit announcements(const placement& seats);
  announcer announcer_of(worker_id worker) noexcept;
  /// The first announced worker of a domain from `after` on, in ring order; not `after` itself.
  std::optional<worker_id> find(domain_id domain, worker_id after) const noexcept;

 private:
  struct alignas(detail::line_pair) padded_word {
    shared<std::uint64_t> bits{0};
  };
  std::optional<worker_id> find_between(domain_id domain, std::size_t first, std::size_t last) const noexcept;
  std::size_t rank(worker_id worker) const noexcept;  // in its domain

  const placement seats_;
  std::vector<std::size_t> first_word_;  // by domain
  std::unique_ptr<padded_word[]> words_;
};

/// What a push and a pop of this process cost, measured once.
queue_rates measure_queue_costs();
/// The same on a simulated machine, where they must not depend on this one: a nanosecond each.
queue_rates virtual_queue_costs() noexcept;

/// Owner, at its slow paths: announces or withdraws by what the queues hold, and sets the limits by which it comes here.
void update_announcement(stack& self) noexcept;
/// Owner: it has nothing to share any more.
void withdraw_announcement(stack& self) noexcept;
/// Thief: this announced victim turned out to be poor.
void withdraw_if_poor(worker& victim) noexcept;

}  // namespace skua::core
