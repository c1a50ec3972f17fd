// The progress of a long command in one line on the terminal: "40%, 3 min left: run 5 of 12".
//
//   progress_line line;
//   for (std::size_t i = 0; i < all; ++i) {
//     line.show(i, all, "run 5 of 12");
//     run(i);
//   }                                     // the destructor removes the line
//
// It is drawn on stderr, every half second, and cut to the terminal's width. Where stderr is not a terminal it prints
// nothing. Several threads may call it at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace skua::cli {

/// An estimate of the remaining time from the share that is done.
class time_left {
 public:
  /// `share` of the work, 0 to 1, is done `now` seconds after the beginning. A call with the last share changes nothing.
  void done(double share, double now) noexcept;
  /// Seconds. Empty while it cannot be known: nothing is done, the first second has not passed, or it takes longer than
  /// the last estimate.
  std::optional<double> at(double now) const noexcept;

 private:
  double share_ = 0, when_ = 0;
};

/// "8 s", "3 min", "2 h 5 min"
std::string duration_text(double seconds);

class progress_line {
 public:
  progress_line();
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// For work of unknown length.
  void show(std::string message);
  /// `share`: 0 to 1.
  void show(double share, std::string message);
  void show(std::size_t done, std::size_t all, std::string message) {
    show(all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), std::move(message));
  }
  /// "12 of 30 runs". A run may be long: while the remaining time is unknown, the line says how much time has passed.
  void show_runs(std::size_t done, std::size_t all);
  /// Removes the line, as the destructor does. The time of the next line counts from here.
  void clear();

 private:
  using clock = std::chrono::steady_clock;

  double now() const;
  std::string text() const;
  void draw(const std::string& text);
  void keep_drawing();

  const bool terminal_;
  clock::time_point begin_ = clock::now();
  mutable std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string message_, drawn_;
  bool of_runs_ = false;
  std::optional<double> share_;
  time_left left_;
  std::thread draws_;
};

}  // namespace skua::cli
