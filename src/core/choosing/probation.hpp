// Whether a policy that has won is really faster than the one that it has replaced.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/choosing/samples.hpp"

namespace skua::core {

/// A trial is short, so it may have been an exception. The times after it are compared with those of the replaced policy: while the
/// probation is open, and later if the site becomes slower.
class probation {
 public:
  void begin(std::size_t replaced, const samples& its_time) noexcept {
    *this = {};
    replaced_ = replaced;
    before_ = its_time;
    is_open_ = has_replaced_ = true;
  }
  void end() noexcept { *this = {}; }
  /// A sample of the policy that has won: so long for each iteration, and in all.
  void add(double each, double ns, double iterations) noexcept {
    if (!is_open_) return;
    since_.add(each);
    lost_ns_ += ns - before_.mean() * iterations;
  }
  /// Ends it after the last sample.
  bool has_failed() noexcept {
    if (!is_open_ || since_.number() < soon) return false;
    is_open_ = since_.number() < last;
    const bool is_clear = before_.mean() * (1 + clear) < since_.mean();
    return (is_clear || !is_open_) && before_.are_below(since_);
  }
  /// Whether these times are longer than those of the replaced policy.
  bool was_faster_than(const samples& now) const noexcept {
    return has_replaced_ && before_.mean() < now.mean();
  }

  std::size_t replaced() const noexcept { return replaced_; }
  const samples& before() const noexcept { return before_; }
  /// What the samples since then took more.
  double lost_ns() const noexcept { return lost_ns_; }

 private:
  static constexpr std::uint32_t soon = 3, last = 24;  // samples
  static constexpr double clear = 0.1;

  std::size_t replaced_ = 0;
  samples before_, since_;
  bool is_open_ = false, has_replaced_ = false;
  double lost_ns_ = 0;
};

}  // namespace skua::core
