// Which of several policies runs the episodes of one call site fastest. An episode is a call, a region or a loop that is
// in no other one. A value without threads and clocks: the caller asks which policy is next and says how long an episode
// took (policy_chooser.hpp).
//
// Two warm-up episodes run under policy 0, because first touches place pages. Then each rival of the best policy so far runs
// two episodes, which finds large differences soon. Rivals that this does not tell apart (B) then take turns with the best
// policy (A) in blocks A B B A, so that a steady drift affects both alike. The first episode after a switch is dropped, since
// it fetches data that the other policy has placed elsewhere. A rival that is much slower is given up at once, and one that
// cannot be told apart loses. Short episodes are measured together.
//
// As piece_trials.hpp, which chooses between two ways for each loop by blocks, but with evidence: a policy costs more to
// try, and its times scatter.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/choosing/samples.hpp"

namespace skua::core {

class policy_trials {
 public:
  static constexpr std::size_t max_policies = 8;
  enum class stage : std::uint8_t { warm_up, exploring, decided };

  /// Bit i of `eligible`: policy i may be chosen. Policy 0 always is.
  explicit policy_trials(std::uint32_t eligible) noexcept
      : eligible_(eligible | 1), unscreened_(eligible & ~1u) {}

  /// The policy of the next episode.
  std::size_t next() const noexcept { return tries_rival_ ? rival_ : best_; }
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
  static constexpr std::uint32_t warm_ups = 2, screened = 2, block = 3, settled = 20, max_rounds = 3;
  static constexpr double much = 1.3, hopeless = 3, drift = 0.1;
  static constexpr double may_lose = 0.02;           // of the site's time
  static constexpr double assumed_life = 100;        // samples, until there are more
  static constexpr std::uint32_t tries_again = 512;  // episodes after a decision

  void sampled(double ns, double iterations) noexcept;
  void best_sampled(double each) noexcept;
  void rival_sampled(double each) noexcept;
  bool is_decided_soon() noexcept;
  void compare() noexcept;
  void give_up_rival() noexcept;
  void rival_loses() noexcept;
  void rival_wins() noexcept;
  void next_rival() noexcept;
  void begin_screening(std::size_t rival) noexcept;
  void begin_blocks(std::size_t rival) noexcept;
  bool loses_as_it_is(std::size_t rival) const noexcept;
  void try_all_again() noexcept;
  void note_reference() noexcept;
  void switch_to(bool rival) noexcept;
  bool may_explore() const noexcept;
  bool has_drifted() const noexcept;

  std::uint32_t eligible_, given_up_ = 0;
  std::uint32_t unscreened_, unsure_ = 0;  // rivals that have yet to be compared, in either way
  stage stage_ = stage::warm_up;
  std::uint8_t best_ = 0, rival_ = 0;
  bool tries_rival_ = false, drops_next_ = false, screens_ = false;
  std::uint32_t left_of_warm_up_ = warm_ups;
  std::uint32_t left_of_best_ = 0, left_of_rival_ = 0;  // samples until the comparison
  std::uint32_t rounds_ = 0;                            // against this rival
  std::uint32_t since_decision_ = 0, reopened_ = 0;
  std::array<samples, max_policies> measured_{};
  double reference_ = 0, scatter_ = 0;  // of the best policy, beside which a drift shows; 0: not known yet
  std::array<double, block> recent_{};  // its last samples
  std::uint32_t recent_number_ = 0;
  double together_ns_ = 0, together_iterations_ = 0;
  /// Since the program changed last, and how many samples it is assumed to stay as it is.
  struct {
    std::uint32_t samples = 0;
    double total_ns = 0, lost_ns = 0;
  } phase_;
  double life_ = assumed_life;
  std::uint64_t episodes_ = 0;
  double total_ns_ = 0, lost_ns_ = 0, sample_of_best_ns_ = 0;
};

}  // namespace skua::core
