#include "cli/simulated_progress.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <utility>

namespace skua::cli {

simulated_progress::simulated_progress(const scheduler& pool, std::string what)
    : pool_(pool), what_(std::move(what)) {
  if (pool.is_simulated() && isatty(STDERR_FILENO)) shows_ = std::thread([this] { show(); });
}

simulated_progress::~simulated_progress() {
  if (!shows_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  shows_.join();
}

void simulated_progress::show() {
  constexpr std::chrono::duration<double> between(0.5);
  std::uint64_t events = 0;
  bool shown = false;
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, between, [this] { return over_; });) {
    const simulation_progress now = pool_.simulated_so_far();
    fmt::print(stderr, "\r\033[K{}: {:.4g} s simulated, {:.2g} million events a second", what_, now.seconds,
               static_cast<double>(now.events - std::exchange(events, now.events)) / between.count() * 1e-6);
    std::fflush(stderr);
    shown = true;
  }
  if (shown) fmt::print(stderr, "\r\033[K");
}

}  // namespace skua::cli
