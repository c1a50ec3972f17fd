#include "core/choosing/episode.hpp"

#include <utility>
#include <vector>

namespace skua::core {

namespace {

/// The candidates with tiers that would give the region a boundary. Without one they only steal from random victims. One that
/// throws is none of them.
std::uint32_t with_boundary(const worker& here, const region_shape& shape) noexcept try {
  std::uint32_t all = 0, bit = 1;
  for (const candidate_policy& one : here.policy->candidates()) {
    if (one.policy->has_tiers() &&
        shape.boundary_level.value_or(one.policy->boundary_level(*here.view, shape)) != 0)
      all |= bit;
    bit <<= 1;
  }
  return all;
} catch (...) {
  return 0;
}

}  // namespace

void episode::begin(stack& on, const episode_key& key, std::uint64_t size,
                    const region_shape* shape) noexcept {
  const worker& here = *on.worker;
  if (here.pool->inherited) return;
  const bool may_switch =
      detail::host_atomics::quietly(here.pool->regions).load(std::memory_order_relaxed) == 0;
  const std::uint32_t eligible = chooser_->plain() | (shape ? with_boundary(here, *shape) : 0);
  iterations_ = key.kind == episode_kind::loop ? static_cast<double>(size) : 1;
  as_ = chooser_->begin(on, key, iterations_, eligible, may_switch);
  thrown_before_ = std::uncaught_exceptions();
}

void episode::end() noexcept {
  chooser_->end(as_, iterations_, dropped_ || std::uncaught_exceptions() > thrown_before_);
}

std::unique_ptr<policy_chooser> make_chooser(const steal_policy& policy, const settings& options,
                                             std::size_t domains, bool may_deal) {
  std::vector<policy_chooser::candidate> all;
  for (const candidate_policy& one : policy.candidates())
    all.push_back({.name = std::string(one.name),
                   .deals = may_deal && one.policy->deals() != dealing::never,
                   .announces = one.policy->announce_at({}).has_value(),
                   .has_tiers = one.policy->has_tiers()});
  if (domains < 2 || all.size() < 2) return nullptr;
  return std::make_unique<policy_chooser>(std::move(all), kept_choices::of(options));
}

}  // namespace skua::core
