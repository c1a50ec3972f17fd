// How much time the trials of rivals may cost a call site, and whether it can afford the next one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

namespace skua::core {

/// 2% of the site's time since its program changed last. The program is assumed to stay as it is for 100 episodes, or a new
/// site could never explore, and after a change for as long as it did before.
///
/// A trial of a rival costs at least the movement of the data, there and back. The first trial is expected to cost half as much
/// again as the warm-up, where the data moved once and their pages were touched first, and any other one as much as the most
/// expensive one. No rival is stopped before it has run as long as a sample, so each trial is expected to cost a sample at least.
/// So a site whose data are expensive to move, or whose episodes are short, tries the first rival late.
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
  void warm_up_cost(double samples) noexcept {
    trial_cost_ = std::clamp(1.5 * samples, least_expected, most_expected);
  }
  void trial_begins() noexcept {
    if (!tried_) trial_cost_ = least_expected;
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
    trial_cost_ = least_expected;
    if (samples_ < settled) return;  // that was no change but the beginning of the program
    life_ = std::min(assumed_life, static_cast<double>(episodes_));
    samples_ = episodes_ = 0;
    total_ns_ = lost_ns_ = 0;
  }

 private:
  double allowed_ns() const noexcept { return share * std::max(total_ns_, life_ * episode_ns_); }
  static constexpr double share = 0.02, assumed_life = 100;  // episodes
  static constexpr double least_expected = 1;
  static constexpr double most_expected = 4;  // page faults make the first episodes of some programs slow
  static constexpr std::uint32_t settled = 20;

  double life_ = assumed_life;
  std::uint32_t samples_ = 0, episodes_ = 0;
  bool tried_ = false;
  double sample_ns_ = 0, episode_ns_ = 0, total_ns_ = 0, lost_ns_ = 0, lost_in_trial_ns_ = 0;
  double trial_cost_ = least_expected;  // samples of the best policy
};

}  // namespace skua::core
