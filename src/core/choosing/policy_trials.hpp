// Which of several policies runs the episodes of one call site fastest. An episode is a call, a region or a loop that is
// in no other one. A value without threads and clocks: the caller asks which policy is next and says how long an episode
// took (policy_chooser.hpp).
//
// The schedule:
// 1. warm_up: two episodes run under policy 0, because first touches place pages.
// 2. screening: each rival of the best policy so far runs two episodes, which finds large differences soon.
// 3. comparing: each rival (B) that this does not tell apart takes turns with the best policy (A) in blocks A B B A, so that
//    a steady drift affects both alike; up to three rounds. It wins if the intervals of confidence say so.
// 4. decided: the best policy runs alone. All begins again at 2. when its time changes, and now and then.
// At any time:
// - The first episode after a switch is dropped, since it fetches data that the other policy has placed elsewhere.
// - A rival that is much slower is given up at once, and one that cannot be told apart loses.
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

#include "core/choosing/samples.hpp"

namespace skua::core {

/// What exploring may cost: 2% of the site's time since its program changed last. The program is assumed to stay as it is for
/// 100 samples, or a new site could never explore, and after a change for as long as it did before.
class exploring_budget {
 public:
  void took(double ns) noexcept {
    ++samples_;
    total_ns_ += ns;
  }
  void lost(double ns) noexcept { lost_ns_ += ns; }
  bool allows_more(double sample_of_best_ns) const noexcept {
    return lost_ns_ <= share * std::max(total_ns_, life_ * sample_of_best_ns);
  }
  void program_changed() noexcept {
    if (samples_ < settled) return;  // that was no change but the beginning of the program
    *this = exploring_budget(std::min(assumed_life, static_cast<double>(samples_)));
  }
  exploring_budget() noexcept = default;

 private:
  explicit exploring_budget(double life) noexcept : life_(life) {}
  static constexpr double share = 0.02, assumed_life = 100;  // samples
  static constexpr std::uint32_t settled = 20;

  double life_ = assumed_life;
  std::uint32_t samples_ = 0;
  double total_ns_ = 0, lost_ns_ = 0;
};

class policy_trials {
 public:
  static constexpr std::size_t max_policies = 8;
  enum class stage : std::uint8_t { warm_up, screening, comparing, decided };

  /// Bit i of `eligible`: policy i may be chosen. Policy 0 always is.
  explicit policy_trials(std::uint32_t eligible) noexcept
      : eligible_(eligible | 1), unscreened_(eligible & ~1u) {}

  /// The policy of the next episode.
  std::size_t next() const noexcept { return rival_runs_ ? rival_ : best_; }
  /// An episode has ended, under next().
  void ended(double ns, double iterations) noexcept;

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
  static constexpr std::uint32_t warm_ups = 2, block = steady_time::seen, max_rounds = 3;
  static constexpr double much = 1.3, hopeless = 3, clear = 0.1;
  static constexpr std::uint32_t tries_again = 512;  // samples after a decision

  /// So many samples under the rival, or under the best policy.
  struct turn {
    bool of_rival;
    std::uint32_t samples;
  };
  static constexpr std::array<turn, 2> screening{{{false, block}, {true, 2}}};
  static constexpr std::array<turn, 3> blocks{{{false, block}, {true, 2 * block}, {false, block}}};

  void sampled(double ns, double iterations) noexcept;
  void count_lost(double ns) noexcept;
  void best_sampled(double each) noexcept;
  void rival_sampled(double each) noexcept;
  void go_on() noexcept;
  void begin_turn(std::size_t at, std::uint32_t samples) noexcept;
  void run_whose_turn_it_is() noexcept;
  void let_run(bool rival) noexcept;

  void plan_ended() noexcept;
  void give_up_rival() noexcept;
  void rival_loses() noexcept;
  void rival_wins() noexcept;
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
  bool rival_runs_ = false, after_switch_ = false;
  std::span<const turn> plan_;
  std::size_t turn_ = 0;           // of the plan
  std::uint32_t left_ = warm_ups;  // samples of the turn, or of the warm-up
  std::uint32_t rounds_ = 0;       // against this rival
  std::uint32_t since_decision_ = 0, reopened_ = 0;

  struct {
    double ns = 0, iterations = 0;
  } together_;
  exploring_budget budget_;
  std::uint64_t episodes_ = 0;
  double total_ns_ = 0, lost_ns_ = 0, sample_of_best_ns_ = 0;
};

}  // namespace skua::core
