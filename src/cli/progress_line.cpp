#include "cli/progress_line.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "report/words.hpp"

namespace skua::cli {
namespace {

constexpr std::chrono::milliseconds between(500);

/// In letters; a line of all of them would make some terminals go on to the next.
std::size_t room() {
  winsize size{};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return (known ? size.ws_col : 80) - std::size_t{1};
}

/// At a letter: the further bytes of one in UTF-8 begin with 10.
std::string cut(std::string text, std::size_t letters) {
  std::size_t end = 0;
  while (end < text.size()) {
    const bool begins = (text[end] & 0xC0) != 0x80;
    if (begins && letters-- == 0) break;
    ++end;
  }
  text.resize(end);
  return text;
}

}  // namespace

progress_line::progress_line() : terminal_(isatty(STDERR_FILENO) == 1) {
  if (terminal_) draws_ = std::thread([this] { keep_drawing(); });
}

progress_line::~progress_line() {
  if (!terminal_) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  over_.notify_one();
  draws_.join();
  clear();
}

void progress_line::show(std::string words) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  words_ = std::move(words);
  share_.reset();
  draw(text());
}

void progress_line::show(double share, std::string words) {
  if (!terminal_) return;
  const std::lock_guard lock(mutex_);
  words_ = std::move(words);
  of_runs_ = false;
  share_ = std::clamp(share, 0.0, 1.0);
  left_.done(*share_, now());
  draw(text());
}

void progress_line::show_runs(std::size_t done, std::size_t all) {
  show(done, all, fmt::format("{} of {}", done, reports::counted(all, "run")));
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
  if (!share_) return words_;
  const std::optional<double> left = left_.at(now());
  std::string time;
  if (left)
    time = fmt::format(", {} left", words_for(*left));
  else if (const double passed = std::floor(now()); of_runs_ && passed >= 1)
    time = fmt::format(", {} so far", words_for(passed));
  return fmt::format("{}%{}: {}", static_cast<int>(100 * *share_), time, words_);
}

/// Some who measure say how far they are every few milliseconds.
void progress_line::draw(const std::string& text) {
  if (text == drawn_) return;
  drawn_ = text;
  fmt::print(stderr, "\r\033[K{}", cut(text, room()));
  std::fflush(stderr);
}

void progress_line::keep_drawing() {
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, between, [this] { return ends_; }))
    if (share_) draw(text());
}

}  // namespace skua::cli
