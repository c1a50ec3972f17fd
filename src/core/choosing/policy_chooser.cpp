#include "core/choosing/policy_chooser.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

namespace skua::core {

policy_chooser::policy_chooser(std::vector<candidate> candidates) : candidates_(std::move(candidates)) {
  const std::size_t count = std::min(candidates_.size(), policy_trials::max_policies);
  for (std::size_t i = 0; i < count; ++i)
    if (!candidates_[i].has_tiers) plain_ |= 1u << i;
  deals_.store(candidates_.front().deals, std::memory_order_relaxed);
  announces_.store(candidates_.front().announces, std::memory_order_relaxed);
}

/// Null if there is no memory, or if there are too many places already: then the episode is not measured.
policy_chooser::place* policy_chooser::find(const episode_key& key, std::uint32_t eligible) noexcept try {
  for (const auto& one : places_)
    if (one->key == key) return one.get();
  if (places_.size() == max_places) return nullptr;
  return places_.emplace_back(std::make_unique<place>(place{key, policy_trials(eligible)})).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

policy_chooser::role policy_chooser::open(const stack& on, const episode_key& key,
                                          std::uint32_t eligible) noexcept {
  if (!outer_.on) {
    place* const at = find(key, eligible);
    outer_ = {.on = &on, .at = at, .counts = at && beside_ == 0};
    return role::outer;
  }
  if (outer_.on != &on) {
    if (key.kind != episode_kind::call) return role::none;  // in a task of the open episode
    ++beside_;
    outer_.counts = inner_.counts = false;
    return role::beside;
  }
  if (inner_.on || !outer_.at || outer_.at->key.kind != episode_kind::call ||
      key.kind == episode_kind::call || outer_.at->inside == parts::few)
    return role::none;
  place* const at = find(key, eligible);
  if (!at) return role::none;
  inner_ = {.on = &on, .at = at, .counts = beside_ == 0};
  return role::inner;
}

policy_chooser::role policy_chooser::begin(const stack& on, const episode_key& key, std::uint32_t eligible,
                                           bool may_switch) noexcept {
  role as = role::none;
  std::size_t next = chosen();
  const std::size_t now = next;
  {
    const std::lock_guard lock(guard_);
    as = open(on, key, eligible);
    if (as == role::none || as == role::beside) return as;
    open_episode& it = as == role::inner ? inner_ : outer_;
    if (it.counts && it.at->inside != parts::most) next = it.at->trials.next();
    if (next != now && !may_switch) {
      next = now;
      it.counts = false;
    }
  }
  if (next != now) use(next);
  const std::int64_t since = host_platform::now_ns();
  const std::lock_guard lock(guard_);
  (as == role::inner ? inner_ : outer_).since_ns = since;
  return as;
}

void policy_chooser::end(role as, double iterations, bool threw) noexcept {
  const std::int64_t now = host_platform::now_ns();
  const std::lock_guard lock(guard_);
  if (as == role::beside) {
    --beside_;
    return;
  }
  open_episode& open = as == role::inner ? inner_ : outer_;
  const open_episode it = std::exchange(open, {});
  const std::int64_t took = now - it.since_ns;
  if (as == role::inner) outer_.inside_ns += took;
  if (!it.counts || threw) return;
  // A call in which others were episodes has run under their policies.
  if (as == role::outer && it.inside_ns > 0)
    it.at->inside = 2 * it.inside_ns > took ? parts::most : parts::few;
  else
    it.at->trials.ended(static_cast<double>(took), iterations);
}

void policy_chooser::use(std::size_t next) noexcept {
  deals_.store(candidates_[next].deals, std::memory_order_relaxed);
  announces_.store(candidates_[next].announces, std::memory_order_relaxed);
  chosen_.store(static_cast<std::uint32_t>(next), std::memory_order_relaxed);
}

void policy_chooser::for_each(
    const std::function<void(const episode_key&, const policy_trials&)>& use) const {
  const std::lock_guard lock(guard_);
  for (const auto& one : places_)
    if (one->trials.episodes() != 0) use(one->key, one->trials);
}

}  // namespace skua::core
