// Whose turn it is in the trial of a rival: that of the best policy or that of the rival.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skua::core {

struct turn {
  bool of_rival;
  std::uint32_t samples;
};

class turns {
 public:
  /// The plan from its turn `at` on, of which so many samples are still to come.
  void begin(std::span<const turn> plan, std::size_t at, std::uint32_t samples) noexcept {
    plan_ = plan;
    at_ = at;
    left_ = samples;
  }
  bool is_of_rival() const noexcept { return plan_[at_].of_rival; }
  /// Whether this is the last sample of the plan. One of the best policy in place of the rival does not count.
  bool end_with(bool of_rival) noexcept {
    if (of_rival != is_of_rival() || --left_ != 0) return false;
    if (at_ + 1 == plan_.size()) return true;
    left_ = plan_[++at_].samples;
    return false;
  }

 private:
  std::span<const turn> plan_;
  std::size_t at_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace skua::core
