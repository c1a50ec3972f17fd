// How long something still takes, told from how much of it is done.
//
//   time_left left;
//   left.done(0.25, 30);   // a quarter, 30 seconds after the beginning
//   left.at(31)            // 89
//   words_for(89)          // "2 min"
#pragma once

#include <optional>
#include <string>

namespace skua::cli {

class time_left {
 public:
  /// `share` of it, 0 to 1, is done `now` seconds after the beginning. What was said before is no news.
  void done(double share, double now) noexcept;
  /// Seconds. Nothing before it can be known: while nothing is done, in the first second, and when it takes longer than it
  /// looked.
  std::optional<double> at(double now) const noexcept;

 private:
  double share_ = 0, when_ = 0;
};

/// As a reader wants it: "8 s", "3 min", "2 h 5 min".
std::string words_for(double seconds);

}  // namespace skua::cli
