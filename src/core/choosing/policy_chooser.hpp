// Chooses among the candidates of a policy such as `auto` (steal_policy::candidates) for each call site, by measured times.
//
// An episode is a call of an external thread, or a region or loop directly in one. Where regions and loops take most of a
// call, they are the episodes, else the whole call is. Calls that overlap are not measured, and change no choice.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <skua/detail/split_queue.hpp>

#include "core/choosing/policy_trials.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"

namespace skua::core {

class stack;

enum class episode_kind : std::uint8_t { call, region, loop };

/// Where an episode is, and how large: episodes whose sizes have the same number of bits are alike.
struct episode_key {
  episode_kind kind;
  std::uint64_t site;  // an address of the program
  std::uint32_t size_bits;
  bool operator==(const episode_key&) const = default;
};

class policy_chooser {
 public:
  struct candidate {
    std::string name;
    bool deals, announces, has_tiers;
  };
  /// The first candidate is the default. At most policy_trials::max_policies count.
  explicit policy_chooser(std::vector<candidate> candidates);

  /// The candidate that all workers use now.
  std::size_t chosen() const noexcept { return chosen_.load(std::memory_order_relaxed); }
  bool deals() const noexcept { return deals_.load(std::memory_order_relaxed); }
  bool announces() const noexcept { return announces_.load(std::memory_order_relaxed); }

  /// What the episode is to the chooser, for end(). none: it is not measured, since it is in another one.
  enum class role : std::uint8_t { none, outer, inner, beside };
  /// An episode begins on this stack. Bit i of `eligible`: candidate i may run it. `may_switch`: no task is bound to what
  /// the policy in use does.
  role begin(const stack& on, const episode_key& key, std::uint32_t eligible, bool may_switch) noexcept;
  void end(role as, double iterations, bool threw) noexcept;

  /// The candidates that have no tiers. One with tiers differs from others in regions only.
  std::uint32_t plain() const noexcept { return plain_; }

  /// Calls use(key, trials) for each key, in the order of their first episodes.
  void for_each(const std::function<void(const episode_key&, const policy_trials&)>& use) const;
  const std::vector<candidate>& candidates() const noexcept { return candidates_; }

 private:
  /// How much of a call its regions and loops take.
  enum class parts : std::uint8_t { unknown, few, most };
  struct place {
    episode_key key;
    policy_trials trials;
    parts inside = parts::unknown;
  };
  struct open_episode {
    const stack* on = nullptr;  // null: none is open
    place* at = nullptr;
    std::int64_t since_ns = 0, inside_ns = 0;
    bool counts = false;
  };
  static constexpr std::size_t max_places = 256;

  role open(const stack& on, const episode_key& key, std::uint32_t eligible) noexcept;
  place* find(const episode_key& key, std::uint32_t eligible) noexcept;
  void use(std::size_t next) noexcept;

  const std::vector<candidate> candidates_;
  std::uint32_t plain_ = 0;
  mutable fork_safe_lock guard_;  // nobody uses words of the simulated machine under it
  std::vector<std::unique_ptr<place>> places_;
  open_episode outer_, inner_;
  std::size_t beside_ = 0;  // open calls of other threads
  // All idle workers read these; they change when an episode runs under another candidate than the last one.
  alignas(detail::line_pair) shared<std::uint32_t> chosen_{0};
  std::atomic<bool> deals_{false}, announces_{false};
};

}  // namespace skua::core
