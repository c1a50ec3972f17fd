// What a call site has spent on trials of other policies, and whether it may begin another one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace skua::core {

/// What exploring may cost: 2% of the site's time since its program changed last. The program is assumed to stay as it is for
/// 100 episodes, or a new site could never explore, and after a change for as long as it did before.
///
/// A trial of a rival costs at least the movement of the data, there and back. The first trial is expected to cost half as much
/// again as the warm-up, where the data moved once and their pages were touched first, and any other one as much as the most
/// expensive one. So a site whose data are expensive to move tries the first rival late. A sample of several short episodes costs
/// at least itself, since no episode of it is stopped.
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
  bool allows_trial() const noexcept { return lost_ns_ + expected_cost() * sample_ns_ <= allowed_ns(); }
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
  double expected_cost() const noexcept {
    return std::max(trial_cost_, episode_ns_ < sample_ns_ ? 1.0 : 0.0);
  }
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

}  // namespace skua::core
