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
// - A rival that has won is left if the site turns out to be slower than under the policy that it has replaced (probation.hpp).
// - While a rival runs at one site, the times of the others are no evidence (one_explorer.hpp), and what they take more is a
//   cost of the trial.
//
// As piece_trials.hpp, which chooses between two ways for each loop by blocks, but with evidence: a policy costs more to
// try, and its times scatter.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/choosing/exploring_budget.hpp"
#include "core/choosing/probation.hpp"
#include "core/choosing/samples.hpp"

namespace skua::core {

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
  /// An episode has ended, under best(), while another site explores. What it took more than usual.
  double ended_beside(double ns, double iterations) noexcept;
  /// While this site explores: an episode of another one took so much more than usual.
  void others_took(double ns) noexcept { together_.more_ns_of_others += ns; }
  /// A rival runs here, or has run so recently that the best policy is slower than usual.
  bool explores() const noexcept { return rival_runs_ || (may_drop_ != 0 && !beside_); }
  /// The best policy runs instead of the rival, for now.
  void interrupt() noexcept;

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
  // Samples after a decision; fewer if a rival has won that was slower later.
  static constexpr std::uint32_t tries_again = 512, tries_loser_again = 64;

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
    double more_ns_of_others = 0;
    /// The other sites may be faster by chance.
    double with_others() const noexcept { return ns + std::max(0.0, more_ns_of_others); }
  };
  void add(double ns, double iterations) noexcept;
  void sampled(const episodes_together& it) noexcept;
  void warmed_up(double each) noexcept;
  bool is_dropped(double each) noexcept;
  void count_lost(double ns) noexcept;
  void best_sampled(const episodes_together& it) noexcept;
  void decided_sampled() noexcept;
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
  void changed() noexcept;
  void go_back() noexcept;
  std::uint32_t rivals() const noexcept { return eligible_ & ~(1u << best_) & ~distrusted_; }
  void note_expected_time() noexcept;

  std::uint32_t eligible_, given_up_ = 0;
  std::uint32_t unscreened_, unsure_ = 0;  // rivals that have yet to be screened, or compared
  std::uint32_t distrusted_ = 0;           // has won although it is slower
  std::array<samples, max_policies> measured_{};
  steady_time steady_;  // of the best policy

  stage stage_ = stage::warm_up;
  std::uint8_t best_ = 0, rival_ = 0;
  bool rival_runs_ = false;
  std::uint32_t first_by_best_ = 0;  // samples before the next screening
  std::uint32_t may_drop_ = 0;       // samples after a switch
  bool beside_ = false;              // that was a switch of another site
  std::span<const turn> plan_;
  std::size_t turn_ = 0;    // of the plan
  std::uint32_t left_ = 0;  // samples of the turn
  samples warm_ups_;
  double
      first_ = 0,
      cold_ =
          min_cold;  // the first warm-up, and how many times as long as others an episode with cold caches takes
  std::uint32_t rounds_ = 0;  // against this rival
  std::uint32_t since_decision_ = 0, reopened_ = 0, went_back_ = 0;
  probation probation_;

  episodes_together together_;  // that make no sample yet
  exploring_budget budget_;
  std::uint64_t episodes_ = 0;
  double total_ns_ = 0, lost_ns_ = 0;
};

}  // namespace skua::core
