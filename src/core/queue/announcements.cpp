#include "core/queue/announcements.hpp"

#include <algorithm>
#include <bit>

#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

constexpr std::size_t word_bits = 64;
constexpr std::int64_t measured_for_ns = 1'000'000;  // a rate is measured over at least a millisecond

}  // namespace

announcements::announcements(const placement& placed) : placed_(placed) {
  std::size_t words = 0;
  for (domain_id d = 0; d < placed.domains(); ++d) {
    first_word_.push_back(words);
    words += (placed.domain_workers(d).size() + word_bits - 1) / word_bits;
  }
  words_ = std::make_unique<padded_word[]>(words);
}

std::size_t announcements::rank(worker_id worker) const noexcept {
  const auto mates = placed_.domain_workers(placed_[worker].domain);
  return static_cast<std::size_t>(std::ranges::find(mates, worker) - mates.begin());
}

announcer announcements::announcer_of(worker_id worker) noexcept {
  const std::size_t at = rank(worker);
  announcer made;
  made.word = &words_[first_word_[placed_[worker].domain] + at / word_bits].bits;
  made.bit = std::uint64_t{1} << at % word_bits;
  return made;
}

std::optional<worker_id> announcements::find_between(domain_id domain, std::size_t first,
                                                     std::size_t last) const noexcept {
  for (std::size_t at = first; at < last; at = (at / word_bits + 1) * word_bits) {
    const std::uint64_t bits =
        words_[first_word_[domain] + at / word_bits].bits.load(std::memory_order_relaxed);
    const std::uint64_t from_here = bits >> at % word_bits;
    if (from_here == 0) continue;
    const std::size_t found = at + static_cast<std::size_t>(std::countr_zero(from_here));
    if (found < last) return placed_.domain_workers(domain)[found];
  }
  return std::nullopt;
}

std::optional<worker_id> announcements::find(domain_id domain, worker_id after) const noexcept {
  const std::size_t size = placed_.domain_workers(domain).size();
  if (placed_[after].domain != domain) {
    // Thieves of one domain begin at different workers of another.
    const std::size_t start = size == 0 ? 0 : after % size;
    if (const auto found = find_between(domain, start, size)) return found;
    return find_between(domain, 0, start);
  }
  const std::size_t own = rank(after);
  if (const auto found = find_between(domain, own + 1, size)) return found;
  return find_between(domain, 0, own);
}

queue_rates measure_queue_costs() {
  constexpr std::size_t tasks = 1000, rounds = 20;
  std::vector<detail::slot> slots(tasks + 1);
  detail::split_queue<detail::host_atomics> q;
  initialise<host_platform>(q, slots.data(), static_cast<std::uint16_t>(tasks));
  double push_ns = 1e9, pop_ns = 1e9;
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::int64_t start = host_platform::now_ns();
    for (std::size_t i = 0; i < tasks; ++i) q.push(q.top.load(std::memory_order_relaxed), nullptr, nullptr);
    const std::int64_t pushed = host_platform::now_ns();
    for (std::size_t i = 0; i < tasks; ++i) q.pop(q.top.load(std::memory_order_relaxed) - 1);
    const std::int64_t popped = host_platform::now_ns();
    push_ns = std::min(push_ns, static_cast<double>(pushed - start) / tasks);
    pop_ns = std::min(pop_ns, static_cast<double>(popped - pushed) / tasks);
  }
  return {.push_ns = push_ns, .pop_ns = pop_ns};
}

queue_rates virtual_queue_costs() noexcept { return {.push_ns = 1, .pop_ns = 1}; }

namespace {

std::size_t load_here(const stack& self) noexcept {
  return load_of_joins(self) + load_of_tasks(*self.worker);
}

// A policy that throws is replaced; one that returns no thresholds stops announcing.
announce_thresholds new_thresholds(worker& here, const queue_rates& rates) noexcept {
  constexpr announce_thresholds never{.upper = 1 << 30, .lower = 0};
  try {
    return here.policy->announce_at(rates).value_or(never);
  } catch (...) {
    here.pool->replace_policy(here);
    return never;
  }
}

// A task arrives by a push; every task that has left the queue since then was served.
void measure_rates(stack& self, announcer& mine, std::size_t load) noexcept {
  const std::int64_t now = host_platform::now_ns();
  const std::int64_t took = now - mine.since_ns;
  if (took < measured_for_ns) return;
  const worker_counters& c = self.worker->observer.counters;
  fold_counters(self);
  const std::uint64_t pushes = c.forks.read() + c.group_tasks.read();
  const double seconds = static_cast<double>(took) * 1e-9;
  const double arrived = static_cast<double>(pushes - std::min(pushes, mine.pushes));
  if (mine.since_ns != 0) {
    mine.rates.arrivals_per_s = arrived / seconds;
    mine.rates.services_per_s =
        std::max(0.0, arrived + static_cast<double>(mine.load) - static_cast<double>(load)) / seconds;
    mine.at = new_thresholds(*self.worker, mine.rates);
  }
  mine.since_ns = now;
  mine.pushes = pushes;
  mine.load = load;
}

}  // namespace

void update_announcement(stack& self) noexcept {
  announcer& mine = self.worker->announcing;
  if (!mine.word) return;
  if (!self.worker->pool->chosen_policy_announces()) {
    if (mine.announced()) mine.withdraw();
    return;
  }
  const std::size_t load = load_here(self);
  measure_rates(self, mine, load);
  bool announced = mine.announced();
  if (!announced && load >= mine.at.upper) {
    mine.announce();
    announced = true;
    publish_here(self);
  } else if (announced && load <= mine.at.lower) {
    mine.withdraw();
    announced = false;
  }
  // The push that reaches the upper threshold takes the slow path; later ones need not.
  const std::uint64_t more = announced ? join_capacity : mine.at.upper > load ? mine.at.upper - load - 1 : 0;
  if (!self.deque) arm<host_platform>(self, more);  // a deque's limit never opens
  arm<host_platform>(*self.tasks, more);
}

void withdraw_announcement(stack& self) noexcept {
  announcer& mine = self.worker->announcing;
  if (mine.word && mine.announced() && load_here(self) <= mine.at.lower) mine.withdraw();
}

void withdraw_if_poor(worker& victim) noexcept {
  announcer& its = victim.announcing;
  if (!its.word || !its.announced()) return;
  if (load_of_queues(victim) > 1) return;  // a victim with at most one task is poor by any thresholds
  its.withdraw();
  // Makes the victim take its slow path and arm its limits anew.
  if (stack* const s = victim.current.load(std::memory_order_acquire))
    request<host_platform>(*s);  // partner: attach
  request<host_platform>(victim.tasks);
}

}  // namespace skua::core
