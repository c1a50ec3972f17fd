#include "core/record/record.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/choosing/policy_chooser.hpp"
#include "core/platform/symbols.hpp"
#include "core/record/call_site_names.hpp"
#include "observe/run_record.hpp"

namespace skua::core {

namespace {

constexpr std::string_view stage_names[] = {"warm-up", "exploring", "exploring", "decided"};

std::vector<observe::tried_policy_record> tried_of(const policy_trials& trials,
                                                   const std::vector<policy_chooser::candidate>& candidates) {
  std::vector<observe::tried_policy_record> all;
  for (std::size_t i = 0; i < std::min(candidates.size(), policy_trials::max_policies); ++i)
    if (const samples& its = trials.of(i); its.number() != 0)
      all.push_back({.policy = candidates[i].name,
                     .samples = its.number(),
                     .ns = its.mean(),
                     .deviation = its.deviation(),
                     .given_up = trials.was_given_up(i)});
  return all;
}

}  // namespace

std::vector<observe::choice_record> record_of(const policy_chooser& of) {
  // Files are read only after the lock of for_each is free.
  std::vector<std::pair<std::uint64_t, observe::choice_record>> all;
  of.for_each([&](const episode_key& key, const policy_trials& trials) {
    all.emplace_back(key.site, observe::choice_record{
                                   .kind = name_of(key.kind),
                                   .size_bits = key.size_bits,
                                   .policy = of.candidates()[trials.best()].name,
                                   .stage = std::string(stage_names[static_cast<std::size_t>(trials.now())]),
                                   .episodes = trials.episodes(),
                                   .total_ns = trials.total_ns(),
                                   .lost_ns = trials.lost_ns(),
                                   .reopened = trials.reopened(),
                                   .tried = tried_of(trials, of.candidates())});
  });
  symbols known;
  std::vector<observe::choice_record> named;
  for (auto& [address, one] : all) {
    one.name = call_site_name(known, address);
    one.address = known.location_at(address);
    one.file = known.file_at(address);
    named.push_back(std::move(one));
  }
  std::ranges::stable_sort(named, std::greater{}, &observe::choice_record::total_ns);
  return named;
}

}  // namespace skua::core
