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
  static constexpr std::uint32_t all_after = 512;
  // Where a rival wins too soon (floyd_warshall n=48 on xeon-e5-4620-4s-sandman, seed 6), 100 runs take 1.04 of their time under
  // the default with 16 or 32, 1.13 with 64 and 1.25 with 512. Each retry of a default that loses costs 100 runs up to 1%.
  static constexpr std::uint32_t soon = 32;
  std::uint32_t since_ = 0;
  std::uint32_t default_after_ = all_after;  // with the others, unless a rival has replaced it
};

}  // namespace skua::core
