// One line on a terminal that says how far a long command is: "40%, 3 min left: run 5 of 12".
//
//   progress_line line;
//   for (std::size_t i = 0; i < all; ++i) {
//     line.show(i, all, "run 5 of 12");
//     run(i);
//   }                                     // gone when it ends
//
// On stderr, drawn anew in its place, the time every half second, cut to the terminal's width; nothing where stderr is no
// terminal. From several threads at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cli/time_left.hpp"

namespace skua::cli {

class progress_line {
 public:
  progress_line();
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  /// Where nobody knows how much there is.
  void show(std::string words);
  /// `share`: 0 to 1.
  void show(double share, std::string words);
  void show(std::size_t done, std::size_t all, std::string words) {
    show(all == 0 ? 0 : static_cast<double>(done) / static_cast<double>(all), std::move(words));
  }
  /// "12 of 30 runs". A run may be long: while nobody knows how long they all take, the time that has passed is said.
  void show_runs(std::size_t done, std::size_t all);
  /// Takes the line away, as the end does; another may follow, whose time counts from here.
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
  std::condition_variable over_;
  bool ends_ = false;
  std::string words_, drawn_;
  bool of_runs_ = false;
  std::optional<double> share_;
  time_left left_;
  std::thread draws_;
};

}  // namespace skua::cli
