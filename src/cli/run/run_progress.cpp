#include "cli/run/run_progress.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/time_left.hpp"

namespace skua::cli {
namespace {

constexpr std::chrono::milliseconds between(500);
/// A run may take longer than that before it.
constexpr double max_by_time = 0.99;

}  // namespace

run_progress::run_progress(workloads::program& program, const scheduler& pool, progress_line& line,
                           std::string what, runs_to_come runs)
    : program_(program),
      pool_(pool),
      line_(line),
      what_(std::move(what)),
      repeat_(runs.runs),
      first_(runs.warm_up ? 0 : 1),
      at_(first_) {
  line_.clear();  // its time counts from here
  if (isatty(STDERR_FILENO) == 1) shows_ = std::thread([this] { keep_showing(); });
}

run_progress::~run_progress() {
  if (!shows_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  shows_.join();
  line_.clear();
}

void run_progress::about_to_run(std::int64_t i) {
  const std::lock_guard lock(mutex_);
  if (i != first_) took_ = since_begin();
  at_ = i;
  checks_ = false;
  begin_ = clock::now();
  before_ = pool_.simulated_so_far();
  program_.share().reset();
  show();
}

void run_progress::about_to_check() {
  const std::lock_guard lock(mutex_);
  checks_ = true;
  show();
}

void run_progress::keep_showing() {
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, between, [this] { return over_; });) show();
}

void run_progress::show() {
  if (const std::optional<double> done = share())
    line_.show(*done, words());
  else
    line_.show(words());
}

/// Nothing where nobody knows how much there is.
std::optional<double> run_progress::share() const {
  const auto all = static_cast<double>(repeat_ - first_ + 1), before = static_cast<double>(at_ - first_);
  double now = program_.share().now();
  if (now == 0 && took_ > 0) now = std::min(since_begin() / took_, max_by_time);
  if (now == 0 && all == 1) return {};
  return (before + std::min(now, 1.0)) / all;
}

std::string run_progress::words() const {
  std::vector<std::string> said;
  if (at_ == 0)
    said.push_back("warming up");
  else if (repeat_ > 1 || !pool_.is_simulated())
    said.push_back(fmt::format("run {} of {}", at_, repeat_));
  if (checks_)
    said.push_back("checking the answer");
  else if (pool_.is_simulated())
    said.push_back(simulated_so_far());
  else if (const double seconds = since_begin(); seconds >= 1)
    said.push_back(words_for(std::floor(seconds)) + " so far");
  return fmt::format("{}: {}", what_, fmt::join(said, ", "));
}

std::string run_progress::simulated_so_far() const {
  const simulation_progress now = pool_.simulated_so_far();
  const double seconds = std::max(since_begin(), 1e-3);
  return fmt::format("{:.4g} s simulated, {:.2g} million events a second", now.seconds - before_.seconds,
                     static_cast<double>(now.events - before_.events) / seconds * 1e-6);
}

double run_progress::since_begin() const {
  return std::chrono::duration<double>(clock::now() - begin_).count();
}

}  // namespace skua::cli
