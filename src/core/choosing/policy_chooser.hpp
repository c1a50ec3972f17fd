// Chooses among the candidates of a policy such as `auto` (steal_policy::candidates) for each call site, by measured times.
//
// An episode is a call of an external thread, or a region or loop directly in one. Where regions and loops take most of a
// call, they are the episodes, else the whole call is. Calls that overlap are not measured, and change no choice.
//
// A rival that turns out to be much slower does not run its episode to the end: an idle worker notices, and lets all workers
// use the best policy for the rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <skua/detail/split_queue.hpp>

#include "core/choosing/kept_choices.hpp"
#include "core/choosing/one_explorer.hpp"
#include "core/choosing/policy_trials.hpp"
#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"

namespace skua::core {

class stack;

class policy_chooser {
 public:
  struct candidate {
    std::string name;
    bool deals, announces, has_tiers;
  };
  /// The first candidate is the default. At most policy_trials::max_policies count.
  explicit policy_chooser(std::vector<candidate> candidates, std::unique_ptr<kept_choices> kept = nullptr);

  /// The candidate that all workers use now.
  std::size_t chosen() const noexcept { return policy_of(chosen_.load(std::memory_order_relaxed)); }
  bool deals() const noexcept { return in_use().deals; }
  bool announces() const noexcept { return in_use().announces; }
  /// Whether the policy in use runs the rest of an episode of another one.
  bool has_stopped_rival() const noexcept {
    return detail::host_atomics::quietly(chosen_).load(std::memory_order_relaxed) & stopped_bit;
  }

  /// What the episode is to the chooser, for end(). none: it is not measured, since it is in another one.
  enum class role : std::uint8_t { none, outer, inner, beside };
  /// An episode begins on this stack. Bit i of `eligible`: candidate i may run it. `may_switch`: no task is bound to what
  /// the policy in use does.
  role begin(const stack& on, const episode_key& key, double iterations, std::uint32_t eligible,
             bool may_switch) noexcept;
  void end(role as, double iterations, bool threw) noexcept;
  /// For idle workers, again and again: if the episode has reached its limit, its best policy runs the rest. One read of a
  /// word that hardly ever changes, and of the clock while a rival runs.
  void look_at_limit() noexcept {
    if (limit_ns_.load(std::memory_order_relaxed) != no_limit) [[unlikely]]
      stop_rival_if_late();
  }

  /// The candidates that have no tiers. One with tiers differs from others in regions only.
  std::uint32_t plain() const noexcept { return plain_; }

  /// Calls use(key, trials) for each key, in the order of their first episodes.
  void for_each(const std::function<void(const episode_key&, const policy_trials&)>& use) const;
  const std::vector<candidate>& candidates() const noexcept { return candidates_; }

 private:
  /// How much of a call its regions and loops take.
  enum class parts : std::uint8_t { unknown, few, most };
  struct call_site {
    episode_key key;
    policy_trials trials;
    parts inside = parts::unknown;
    std::optional<learnt_choice> kept = {};  // for later processes
  };
  struct open_episode {
    const stack* on = nullptr;  // null: none is open
    call_site* at = nullptr;
    std::int64_t since_ns = 0, inside_ns = 0;
    bool counts = false, reached_limit = false;
  };
  static constexpr std::size_t max_sites = 256;
  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
  // A word of chosen_ is the candidate, and whether a rival was stopped.
  static constexpr std::uint32_t stopped_bit = 1u << 7;
  static std::size_t policy_of(std::uint32_t word) noexcept { return word & (stopped_bit - 1); }
  const candidate& in_use() const noexcept {
    return candidates_[policy_of(detail::host_atomics::quietly(chosen_).load(std::memory_order_relaxed))];
  }

  role open(const stack& on, const episode_key& key, std::uint32_t eligible) noexcept;
  call_site* known(const episode_key& key) const noexcept;
  call_site* find(const episode_key& key, std::uint32_t eligible) noexcept;
  call_site* add(const episode_key& key, const policy_trials& trials) noexcept;
  void recall(const stack& on, const episode_key& key, std::uint32_t eligible) noexcept;
  bool is_outer() const noexcept { return outer_.on == nullptr; }
  bool is_inner(const stack& on, const episode_key& key) const noexcept;
  std::uint32_t word_in_use() const noexcept;
  void use(std::uint32_t word) noexcept;
  void use_best() noexcept;
  std::optional<learnt_choice> news_of(call_site& at) const noexcept;
  static std::int64_t limit_of(const policy_trials& trials, std::int64_t now, double iterations) noexcept;
  void stop_rival_if_late() noexcept;

  const std::vector<candidate> candidates_;
  const std::unique_ptr<kept_choices> kept_;  // null: nothing is kept for later processes
  std::uint32_t plain_ = 0;
  mutable fork_safe_lock guard_;  // nobody uses words of the simulated machine under it
  std::vector<std::unique_ptr<call_site>> sites_;
  open_episode outer_, inner_;
  one_explorer explorer_;
  std::size_t beside_ = 0;  // open calls of other threads
  // All idle workers read these; they change when an episode runs under another candidate than the last one.
  alignas(detail::line_pair) shared<std::uint32_t> chosen_{0};
  std::atomic<std::int64_t> limit_ns_{no_limit};  // the time at which the open episode reaches its limit
};

}  // namespace skua::core
