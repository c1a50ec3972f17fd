#include "core/choosing/policy_chooser.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <new>
#include <utility>

namespace skua::core {

policy_chooser::policy_chooser(std::vector<candidate> candidates, std::unique_ptr<kept_choices> kept)
    : candidates_(std::move(candidates)), kept_(std::move(kept)) {
  const std::size_t count = std::min(candidates_.size(), policy_trials::max_policies);
  for (std::size_t i = 0; i < count; ++i)
    if (!candidates_[i].has_tiers) plain_ |= 1u << i;
}

policy_chooser::call_site* policy_chooser::known(const episode_key& key) const noexcept {
  for (const auto& one : sites_)
    if (one->key == key) return one.get();
  return nullptr;
}

policy_chooser::call_site* policy_chooser::find(const episode_key& key, std::uint32_t eligible) noexcept {
  call_site* const at = known(key);
  return at ? at : add(key, policy_trials(eligible));
}

/// Null if there is no memory, or if there are too many call sites already: then the episode is not measured.
policy_chooser::call_site* policy_chooser::add(const episode_key& key, const policy_trials& trials) noexcept
    try {
  if (sites_.size() == max_sites) return nullptr;
  return sites_.emplace_back(std::make_unique<call_site>(call_site{key, trials})).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// A new call site begins with what an earlier process has chosen for it. Files are not looked at under the lock.
void policy_chooser::recall(const stack& on, const episode_key& key, std::uint32_t eligible) noexcept {
  {
    const std::lock_guard lock(guard_);
    if (known(key) || sites_.size() == max_sites || !(is_outer() || is_inner(on, key))) return;
  }
  const std::optional<learnt_choice> found = kept_->find(key);
  if (!found) return;
  const auto with_name = std::ranges::find(candidates_, found->policy, &candidate::name);
  const auto policy = static_cast<std::size_t>(with_name - candidates_.begin());
  const std::lock_guard lock(guard_);
  if (known(key) || policy >= policy_trials::max_policies || (eligible >> policy & 1) == 0) return;
  if (call_site* const at = add(key, policy_trials(eligible, policy, found->measured))) at->kept = found;
}

/// What to keep for later processes, if it differs by more than a tenth from what they find already: the best policy if all
/// rivals were tried or if it has won against the default. Under the lock.
std::optional<learnt_choice> policy_chooser::news_of(call_site& at) const noexcept try {
  const policy_trials& its = at.trials;
  const bool has_evidence = its.now() == policy_trials::stage::decided || its.best() != 0;
  if (!kept_ || !has_evidence || its.of(its.best()).number() < steady_time::seen) return {};
  learnt_choice now{candidates_[its.best()].name, its.of(its.best())};
  const bool alike = at.kept && at.kept->policy == now.policy &&
                     std::abs(at.kept->measured.mean() - now.measured.mean()) <=
                         steady_time::differs_by * now.measured.mean();
  if (alike) return {};
  at.kept = now;
  return now;
} catch (const std::bad_alloc&) {
  return {};
}

/// Whether an episode that begins would be measured as the innermost one of the open call. Under the lock.
bool policy_chooser::is_inner(const stack& on, const episode_key& key) const noexcept {
  return outer_.on == &on && !inner_.on && outer_.at && outer_.at->key.kind == episode_kind::call &&
         key.kind != episode_kind::call && outer_.at->inside != parts::few;
}

/// The policy in use, under the lock. The word is read by idle workers without it. In virtual time this takes no time.
std::uint32_t policy_chooser::word_in_use() const noexcept {
  return detail::host_atomics::quietly(chosen_).load(std::memory_order_relaxed);
}
void policy_chooser::use(std::uint32_t word) noexcept {
  detail::host_atomics::quietly(chosen_).store(word, std::memory_order_relaxed);
}

policy_chooser::role policy_chooser::open(const stack& on, const episode_key& key,
                                          std::uint32_t eligible) noexcept {
  if (is_outer()) {
    call_site* const at = find(key, eligible);
    outer_ = {.on = &on, .at = at, .counts = at && beside_ == 0};
    return role::outer;
  }
  if (outer_.on != &on) {
    if (key.kind != episode_kind::call) return role::none;  // in a task of the open episode
    ++beside_;
    outer_.counts = inner_.counts = false;
    if (limit_ns_.load(std::memory_order_relaxed) != no_limit) use_best();  // calls may overlap for long
    return role::beside;
  }
  if (!is_inner(on, key)) return role::none;
  call_site* const at = find(key, eligible);
  if (!at) return role::none;
  inner_ = {.on = &on, .at = at, .counts = beside_ == 0};
  return role::inner;
}

policy_chooser::role policy_chooser::begin(const stack& on, const episode_key& key, double iterations,
                                           std::uint32_t eligible, bool may_switch) noexcept {
  if (kept_) [[unlikely]]
    recall(on, key, eligible);
  const std::int64_t now = host_platform::now_ns();
  const std::lock_guard lock(guard_);
  const role as = open(on, key, eligible);
  if (as == role::none || as == role::beside) return as;
  open_episode& it = as == role::inner ? inner_ : outer_;
  const std::uint32_t before = word_in_use();
  std::uint32_t word = before;
  const policy_trials* const trials = it.counts && it.at->inside != parts::most ? &it.at->trials : nullptr;
  const std::size_t next = trials ? trials->next() : policy_of(before);
  if (may_switch && (next != policy_of(before) || (before & stopped_bit)))
    word = static_cast<std::uint32_t>(next);
  if (policy_of(word) != next) it.counts = false;
  it.since_ns = now;
  limit_ns_.store(trials && it.counts ? limit_of(*trials, now, iterations) : no_limit,
                  std::memory_order_relaxed);
  if (word != before) use(word);
  return as;
}

std::int64_t policy_chooser::limit_of(const policy_trials& trials, std::int64_t now,
                                      double iterations) noexcept {
  const double limit = trials.limit_ns(iterations);
  return limit < 1e18 ? now + static_cast<std::int64_t>(limit) : no_limit;
}

void policy_chooser::end(role as, double iterations, bool threw) noexcept {
  const std::int64_t now = host_platform::now_ns();
  std::optional<learnt_choice> news;
  episode_key key{};
  {
    const std::lock_guard lock(guard_);
    if (as == role::beside) {
      --beside_;
      return;
    }
    limit_ns_.store(no_limit, std::memory_order_relaxed);
    open_episode& open = as == role::inner ? inner_ : outer_;
    const open_episode it = std::exchange(open, {});
    const std::int64_t took = now - it.since_ns;
    if (as == role::inner) outer_.inside_ns += took;
    if (!it.counts || (threw && !it.reached_limit)) return;
    // A call in which others were episodes has run under their policies.
    if (as == role::outer && it.inside_ns > 0)
      it.at->inside = 2 * it.inside_ns > took ? parts::most : parts::few;
    else
      explorer_.ended(it.at->trials, it.reached_limit, static_cast<double>(took), iterations);
    key = it.at->key;
    news = news_of(*it.at);
  }
  if (!news) return;
  kept_->keep(key, *news);
  const std::int64_t kept = host_platform::now_ns() - now;  // this time belongs to no episode
  const std::lock_guard lock(guard_);
  if (as == role::inner) outer_.since_ns += kept;
}

/// The best policy of the open episode runs the rest of it. Under the lock.
void policy_chooser::use_best() noexcept {
  limit_ns_.store(no_limit, std::memory_order_relaxed);
  use(static_cast<std::uint32_t>((inner_.on ? inner_ : outer_).at->trials.best()) | stopped_bit);
}

void policy_chooser::stop_rival_if_late() noexcept {
  const std::int64_t now = host_platform::now_ns();
  const std::lock_guard lock(guard_);
  if (now < limit_ns_.load(std::memory_order_relaxed))
    return;  // also if another worker was first, or it has ended
  (inner_.on ? inner_ : outer_).reached_limit = true;
  use_best();
}

void policy_chooser::for_each(
    const std::function<void(const episode_key&, const policy_trials&)>& use) const {
  const std::lock_guard lock(guard_);
  for (const auto& one : sites_)
    if (one->trials.episodes() != 0) use(one->key, one->trials);
}

}  // namespace skua::core
