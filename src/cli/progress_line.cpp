#include "cli/progress_line.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/number_text.hpp"

namespace skua::cli {
namespace {

constexpr std::chrono::milliseconds between(500);

/// The width in characters, less one: a full line makes some terminals begin the next one.
std::size_t max_characters() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : 80) - std::size_t{1};
}

/// Cuts between characters: in UTF-8, the bytes after the first one of a character begin with the bits 10.
std::string cut(std::string text, std::size_t characters) {
  std::size_t end = 0;
  while (end < text.size()) {
    const bool begins = (text[end] & 0xC0) != 0x80;
    if (begins && characters-- == 0) break;
    ++end;
  }
  text.resize(end);
  return text;
}

}  // namespace

void time_left::done(double share, double now) noexcept {
  if (share == share_) return;
  share_ = share;
  when_ = now;
}

std::optional<double> time_left::at(double now) const noexcept {
  constexpr double too_early = 1;
  if (!(share_ > 0) || when_ < too_early) return std::nullopt;
  const double left = when_ / share_ - now;
  return left > 0 ? std::optional(left) : std::nullopt;
}

std::string duration_text(double seconds) {
  if (seconds < 59.5) return fmt::format("{:.0f} s", std::ceil(seconds));
  const auto minutes = static_cast<long>(std::lround(seconds / 60));
  if (minutes < 60) return fmt::format("{} min", minutes);
  return minutes % 60 == 0 ? fmt::format("{} h", minutes / 60)
                           : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

progress_line::progress_line() : terminal_(isatty(STDERR_FILENO) == 1) {
  if (terminal_) draws_ = std::thread([this] { keep_drawing(); });
}

progress_line::~progress_line() {
  if (!terminal_) return;
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  draws_.join();
  clear();
}

void progress_line::show(std::string message) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  message_ = std::move(message);
  share_.reset();
  draw(text());
}

void progress_line::show(double share, std::string message) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  message_ = std::move(message);
  of_runs_ = false;
  share_ = std::clamp(share, 0.0, 1.0);
  left_.done(*share_, now());
  draw(text());
}

void progress_line::show_runs(std::size_t done, std::size_t all) {
  show(done, all, fmt::format("{} of {}", done, base::counted(all, "run")));
  const std::lock_guard lock(mutex_);
  of_runs_ = true;
}

void progress_line::clear() {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  draw("");
  share_.reset();
  left_ = {};
  begin_ = clock::now();
}

double progress_line::now() const { return std::chrono::duration<double>(clock::now() - begin_).count(); }

std::string progress_line::text() const {
  if (!share_) return message_;
  const std::optional<double> left = left_.at(now());
  std::string time;
  if (left)
    time = fmt::format(", {} left", duration_text(*left));
  else if (const double passed = std::floor(now()); of_runs_ && passed >= 1)
    time = fmt::format(", {} so far", duration_text(passed));
  return fmt::format("{}%{}: {}", static_cast<int>(100 * *share_), time, message_);
}

/// Draws only changes: some measurements report their progress every few milliseconds.
void progress_line::draw(const std::string& text) {
  if (text == drawn_) return;
  drawn_ = text;
  fmt::print(stderr, "\r\033[K{}", cut(text, max_characters()));
  std::fflush(stderr);
}

void progress_line::keep_drawing() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, between, [this] { return end_; }))
    if (share_) draw(text());
}

}  // namespace skua::cli
