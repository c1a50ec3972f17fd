// When the losers are tried again, in samples of the best policy since the decision.
#pragma once

#include <cstdint>

namespace skua::core {

/// All of them after a fixed number, since a rival may have become faster. A default that a rival has replaced is tried sooner,
/// and then less and less often: it may have learned too little before.
class next_tries {
 public:
  void sampled() noexcept { ++since_; }
  bool of_all() const noexcept { return since_ >= all_after; }
  bool of_default() const noexcept { return since_ >= default_after_; }

  void all_begin() noexcept { since_ = 0; }
  void default_begins() noexcept { default_after_ = 2 * since_; }
  void default_is_replaced() noexcept {
    since_ = 0;
    default_after_ = soon;
  }

 private:
  static constexpr std::uint32_t all_after = 512, soon = 16;
  std::uint32_t since_ = 0;
  std::uint32_t default_after_ = all_after;  // with the others, unless a rival has replaced it
};

}  // namespace skua::core
