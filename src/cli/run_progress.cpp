#include "cli/run_progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <utility>

namespace skua::cli {

run_progress::run_progress(const scheduler& pool, progress_line& line, std::string what, std::int64_t repeat,
                           bool warm_up)
    : pool_(pool),
      line_(line),
      what_(std::move(what)),
      repeat_(repeat),
      first_(warm_up ? 0 : 1),
      runs_(first_) {
  if (pool.is_simulated() && isatty(STDERR_FILENO)) shows_ = std::thread([this] { show_simulated(); });
}

void run_progress::end() {
  if (!shows_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  shows_.join();
}

void run_progress::about_to_run(std::int64_t i) {
  const std::lock_guard lock(mutex_);
  runs_ = i;
  if (!pool_.is_simulated())
    show(i == 0 ? what_ + ": warming up" : fmt::format("{}: run {} of {}", what_, i, repeat_));
}

/// One run that takes a moment needs no share.
void run_progress::show(const std::string& words) {
  const auto all = static_cast<std::size_t>(repeat_ - first_ + 1),
             done = static_cast<std::size_t>(runs_ - first_);
  if (all == 1)
    line_.show(words);
  else
    line_.show(done, all, words);
}

void run_progress::show_simulated() {
  constexpr std::chrono::duration<double> between(0.5);
  std::uint64_t events = 0;
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, between, [this] { return over_; });) {
    const simulation_progress now = pool_.simulated_so_far();
    show(fmt::format(
        "{}: {:.4g} s simulated, {:.2g} million events a second", what_, now.seconds,
        static_cast<double>(now.events - std::exchange(events, now.events)) / between.count() * 1e-6));
  }
}

}  // namespace skua::cli
