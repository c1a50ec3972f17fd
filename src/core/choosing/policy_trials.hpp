// Which of several policies runs the episodes of one call site fastest. An episode is a call, a region or a loop that is
// in no other one. A value without threads and clocks: the caller asks which policy is next and says how long an episode
// took (policy_chooser.hpp).
//
// The schedule:
// 1. warm_up: policy 0 runs until its times are steady. First touches place pages, and a policy may learn for some episodes.
//    After that, a policy that an earlier process has chosen is decided at once.
// 2. screening: each rival of the best policy so far runs two episodes, which finds large differences soon.
// 3. comparing: each rival (B) that this does not tell apart takes turns with the best policy (A) in blocks A B B A, so that
//    a steady drift affects both alike; up to three rounds. It wins if the intervals of confidence say so.
// 4. decided: the best policy runs alone. All begins again at 2. when its time changes, and now and then.
// At any time:
// - The first episode after a switch is dropped, since it fetches data that the other policy has placed elsewhere; of the best
//   policy up to three, until it is as fast as before.
// - A rival that is much slower is given up at once, amid an episode (limit_ns), and one that cannot be told apart loses. In its
//   first episode it is much slower than the first one of the site was.
// - While rivals have lost too much time, the best policy runs in their turns (exploring_budget).
// - Short episodes are measured together, as one sample.
//
// As piece_trials.hpp, which chooses between two ways for each loop by blocks, but with evidence: a policy costs more to
// try, and its times scatter.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/choosing/samples.hpp"

namespace skua::core {

/// What exploring may cost: 2% of the site's time since its program changed last. The program is assumed to stay as it is for
/// 100 episodes, or a new site could never explore, and after a change for as long as it did before.
///
/// A trial of a rival costs at least the movement of the data, there and back. The first trial is expected to cost half as much
/// again as the warm-up, where the data moved once and their pages were touched first, and any other one as much as the most
/// expensive one. So a site whose data are expensive to move tries the first rival late.
class exploring_budget {
 public:
  void took(double ns, std::uint32_t episodes) noexcept {
    ++samples_;
    episodes_ += episodes;
    total_ns_ += ns;
  }
  /// The time of a sample of the best policy, and how many episodes it is.
  void expect(double sample_ns, std::uint32_t episodes) noexcept {
    sample_ns_ = sample_ns;
    episode_ns_ = sample_ns / episodes;
  }
  /// In samples of the best policy.
  void warm_up_cost(double samples) noexcept { trial_cost_ = std::min(1.5 * samples, most_expected); }
  void trial_begins() noexcept {
    if (!tried_) trial_cost_ = 0;
    tried_ = true;
    lost_in_trial_ns_ = 0;
  }
  void lost(double ns) noexcept {
    lost_ns_ += ns;
    lost_in_trial_ns_ += ns;
    if (sample_ns_ > 0) trial_cost_ = std::max(trial_cost_, lost_in_trial_ns_ / sample_ns_);
  }
  bool allows_trial() const noexcept { return lost_ns_ + trial_cost_ * sample_ns_ <= allowed_ns(); }
  bool allows_more() const noexcept { return lost_ns_ <= allowed_ns(); }
  /// What the last trial seemed to lose may have been the change.
  void program_changed() noexcept {
    lost_ns_ -= std::exchange(lost_in_trial_ns_, 0);
    trial_cost_ = 0;
    if (samples_ < settled) return;  // that was no change but the beginning of the program
    life_ = std::min(assumed_life, static_cast<double>(episodes_));
    samples_ = episodes_ = 0;
    total_ns_ = lost_ns_ = 0;
  }

 private:
  double allowed_ns() const noexcept { return share * std::max(total_ns_, life_ * episode_ns_); }
  static constexpr double share = 0.02, assumed_life = 100;  // episodes
  static constexpr double most_expected = 4;  // page faults make the first episodes of some programs slow
  static constexpr std::uint32_t settled = 20;

  double life_ = assumed_life;
  std::uint32_t samples_ = 0, episodes_ = 0;
  bool tried_ = false;
  double sample_ns_ = 0, episode_ns_ = 0, total_ns_ = 0, lost_ns_ = 0, lost_in_trial_ns_ = 0;
  double trial_cost_ = 0;  // samples of the best policy
};

class policy_trials {
 public:
  static constexpr std::size_t max_policies = 8;
  enum class stage : std::uint8_t { warm_up, screening, comparing, decided };

  /// Bit i of `eligible`: policy i may be chosen. Policy 0 always is.
  explicit policy_trials(std::uint32_t eligible) noexcept
      : eligible_(eligible | 1), unscreened_(eligible & ~1u) {}
  /// An earlier process has chosen this one. It runs from the start, and is compared anew only when its time has changed.
  policy_trials(std::uint32_t eligible, std::size_t learnt, const samples& measured) noexcept
      : policy_trials(eligible) {
    best_ = static_cast<std::uint8_t>(learnt);
    measured_[learnt] = measured;
    unscreened_ = 0;
  }

  /// The policy of the next episode.
  std::size_t next() const noexcept { return rival_runs_ ? rival_ : best_; }
  /// An episode under next() that takes longer is to go on under best(). Infinite if those are the same.
  double limit_ns(double iterations) const noexcept;
  /// An episode has ended, under next().
  void ended(double ns, double iterations) noexcept;
  /// It had reached the limit, and best() has run the rest.
  void ended_after_limit(double ns, double iterations) noexcept;

  // ---- the evidence
  stage now() const noexcept { return stage_; }
  std::size_t best() const noexcept { return best_; }
  /// Nanoseconds for an iteration, as last compared.
  const samples& of(std::size_t policy) const noexcept { return measured_[policy]; }
  bool was_given_up(std::size_t policy) const noexcept { return given_up_ >> policy & 1; }
  std::uint64_t episodes() const noexcept { return episodes_; }
  double total_ns() const noexcept { return total_ns_; }
  /// What rivals, and the switches to them and back, took more than the best policy would have.
  double lost_ns() const noexcept { return lost_ns_; }
  std::uint32_t reopened() const noexcept { return reopened_; }

 private:
  static constexpr double together_ns = 50'000;  // shorter episodes are measured together
  static constexpr std::uint32_t min_warm_ups = 2, max_warm_ups = 12;
  static constexpr std::uint32_t block = steady_time::seen, max_rounds = 3;
  static constexpr std::uint32_t max_dropped = 3;
  static constexpr double much = 1.3, clear = 0.1;
  static constexpr double min_cold = 1.3,
                          max_cold = 4;  // such an episode of a good policy may take so many times as long
  static constexpr std::uint32_t tries_again = 512;  // samples after a decision

  /// So many samples under the rival, or under the best policy.
  struct turn {
    bool of_rival;
    std::uint32_t samples;
  };
  static constexpr std::array<turn, 2> screening{{{false, block}, {true, 2}}};
  static constexpr std::array<turn, 3> blocks{{{false, block}, {true, 2 * block}, {false, block}}};

  struct episodes_together {
    double ns = 0, iterations = 0;
    std::uint32_t episodes = 0;
  };
  void add(double ns, double iterations) noexcept;
  void sampled(const episodes_together& it) noexcept;
  void warmed_up(double each) noexcept;
  bool is_dropped(double each) noexcept;
  void count_lost(double ns) noexcept;
  void best_sampled(double each) noexcept;
  void rival_sampled(double each) noexcept;
  void go_on() noexcept;
  void begin_turn(std::size_t at, std::uint32_t samples) noexcept;
  void run_whose_turn_it_is() noexcept;
  void let_run(bool rival) noexcept;

  void plan_ended() noexcept;
  void give_up_rival(double each) noexcept;
  void rival_loses() noexcept;
  void rival_wins() noexcept;
  double no_better_than() const noexcept;
  double longest(bool dropped) const noexcept;
  bool clearly_wins(std::size_t rival) const noexcept;
  bool clearly_loses(std::size_t rival) const noexcept;

  void next_rival() noexcept;
  void screen(std::size_t rival) noexcept;
  void compare_with(std::size_t rival) noexcept;
  void decide() noexcept;
  void try_all_again() noexcept;
  void note_expected_time() noexcept;

  std::uint32_t eligible_, given_up_ = 0;
  std::uint32_t unscreened_, unsure_ = 0;  // rivals that have yet to be screened, or compared
  std::array<samples, max_policies> measured_{};
  steady_time steady_;  // of the best policy

  stage stage_ = stage::warm_up;
  std::uint8_t best_ = 0, rival_ = 0;
  bool rival_runs_ = false, returns_first_ = false;
  std::uint32_t may_drop_ = 0;  // samples after a switch
  std::span<const turn> plan_;
  std::size_t turn_ = 0;    // of the plan
  std::uint32_t left_ = 0;  // samples of the turn
  samples warm_ups_;
  double
      first_ = 0,
      cold_ =
          min_cold;  // the first warm-up, and how many times as long as others an episode with cold caches takes
  std::uint32_t rounds_ = 0;  // against this rival
  std::uint32_t since_decision_ = 0, reopened_ = 0;

  episodes_together together_;  // that make no sample yet
  exploring_budget budget_;
  std::uint64_t episodes_ = 0;
  double total_ns_ = 0, lost_ns_ = 0;
};

}  // namespace skua::core
