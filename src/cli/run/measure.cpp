#include "cli/run/run_result.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace skua::cli {

double measurement::median() const {
  std::vector<double> sorted = seconds;
  std::ranges::sort(sorted);
  const std::size_t n = sorted.size();
  return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

namespace {

constexpr std::chrono::milliseconds redraw_period(500);
constexpr double max_share_by_time = 0.99;  // a run may take longer than the one before it
constexpr std::int64_t max_baseline_repeats =
    3;  // a run on one worker takes long, and its median settles soon

/// Runs 1 to `runs`, and before them run 0, which warms up.
struct runs_to_come {
  std::int64_t runs;
  bool warm_up;
};

/// Shows the progress of the runs every half second: "40%, 3 min left: heat paper: run 2 of 5". The percentage is of all
/// runs. The program reports the progress of the current run. Most recursive programs cannot; then the time of the last
/// run is the estimate. In the first run the line shows the time that has passed, and for a simulated run what it has
/// done so far.
class run_progress {
 public:
  /// The arguments must outlive it. `what`: "heat paper".
  run_progress(workloads::program& program, const scheduler& pool, progress_line& line, std::string what,
               runs_to_come runs);
  ~run_progress();
  run_progress(const run_progress&) = delete;
  run_progress& operator=(const run_progress&) = delete;

  void about_to_run(std::int64_t i);
  void about_to_check();

 private:
  using clock = std::chrono::steady_clock;

  void keep_showing();
  void show();
  std::optional<double> share() const;
  std::string message() const;
  std::string simulated_so_far() const;
  double since_begin() const;

  workloads::program& program_;
  const scheduler& pool_;
  progress_line& line_;
  const std::string what_;
  const std::int64_t repeat_, first_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false, checking_ = false;
  std::int64_t at_;
  clock::time_point begin_ = clock::now();
  simulation_progress before_;  // the state at the beginning of the current run
  double took_ = 0;             // seconds of the last run, with its check
  std::thread drawing_;
};

run_progress::run_progress(workloads::program& program, const scheduler& pool, progress_line& line,
                           std::string what, runs_to_come runs)
    : program_(program),
      pool_(pool),
      line_(line),
      what_(std::move(what)),
      repeat_(runs.runs),
      first_(runs.warm_up ? 0 : 1),
      at_(first_) {
  line_.clear();  // the time counts from here
  if (isatty(STDERR_FILENO) == 1) drawing_ = std::thread([this] { keep_showing(); });
}

run_progress::~run_progress() {
  if (!drawing_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  drawing_.join();
  line_.clear();
}

void run_progress::about_to_run(std::int64_t i) {
  const std::lock_guard lock(mutex_);
  if (i != first_) took_ = since_begin();
  at_ = i;
  checking_ = false;
  begin_ = clock::now();
  before_ = pool_.simulated_so_far();
  program_.share().reset();
  show();
}

void run_progress::about_to_check() {
  const std::lock_guard lock(mutex_);
  checking_ = true;
  show();
}

void run_progress::keep_showing() {
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, redraw_period, [this] { return over_; });)
    show();
}

void run_progress::show() {
  if (const std::optional<double> done = share())
    line_.show(*done, message());
  else
    line_.show(message());
}

/// Empty where the total is unknown.
std::optional<double> run_progress::share() const {
  const auto all = static_cast<double>(repeat_ - first_ + 1), before = static_cast<double>(at_ - first_);
  double now = program_.share().now();
  if (now == 0 && took_ > 0) now = std::min(since_begin() / took_, max_share_by_time);
  if (now == 0 && all == 1) return {};
  return (before + std::min(now, 1.0)) / all;
}

std::string run_progress::message() const {
  std::vector<std::string> parts;
  if (at_ == 0)
    parts.push_back("warming up");
  else if (repeat_ > 1 || !pool_.is_simulated())
    parts.push_back(fmt::format("run {} of {}", at_, repeat_));
  if (checking_)
    parts.push_back("checking the answer");
  else if (pool_.is_simulated())
    parts.push_back(simulated_so_far());
  else if (const double seconds = since_begin(); seconds >= 1)
    parts.push_back(duration_text(std::floor(seconds)) + " so far");
  return fmt::format("{}: {}", what_, fmt::join(parts, ", "));
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

/// Seconds by the clock of the scheduler's machine, which may be simulated.
double now(const scheduler& pool) {
  const std::chrono::duration<double> real = std::chrono::steady_clock::now().time_since_epoch();
  return pool.is_simulated() ? pool.simulated().seconds : real.count();
}

/// How long the threads of this process have waited for CPUs that other threads had; 0 where the kernel does not tell.
double waited_seconds() {
  std::error_code none;
  std::uint64_t all_ns = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", none)) {
    std::ifstream file(thread.path() / "schedstat");
    if (std::uint64_t on_cpu_ns = 0, waited_ns = 0; file >> on_cpu_ns >> waited_ns) all_ns += waited_ns;
  }
  return static_cast<double>(all_ns) * 1e-9;
}

/// What was counted between the two reports.
simulation_report difference(simulation_report after, const simulation_report& before) {
  for (const named_time& one : simulated_time_names) after.times.*one.cycles -= before.times.*one.cycles;
  for (const named_operation& one : simulated_operation_names) {
    simulated_operation& now = after.operations.*one.operation;
    now.times -= (before.operations.*one.operation).times;
    now.cycles -= (before.operations.*one.operation).cycles;
  }
  after.tasks.run -= before.tasks.run;
  after.tasks.stolen -= before.tasks.stolen;
  return after;
}

}  // namespace

measurement measure(workloads::program& program, scheduler& pool, const measurement_plan& plan) {
  measurement result;
  run_progress shown(program, pool, plan.line, plan.what, {.runs = plan.repeat, .warm_up = plan.warm_up});
  std::vector<skua::report> reports;
  std::vector<std::string> records;
  for (std::int64_t i = plan.warm_up ? 0 : 1; i <= plan.repeat; ++i) {
    shown.about_to_run(i);
    program.prepare();
    pool.reset_report();
    const double waited_before = pool.is_simulated() ? 0 : waited_seconds();
    const double start = now(pool);
    const simulation_report before = pool.is_simulated() ? pool.simulated() : simulation_report{};
    pool.run([&] { program.parallel(); });
    const double took = now(pool) - start;
    const double waited = pool.is_simulated() ? 0 : waited_seconds() - waited_before;
    if (pool.is_simulated()) result.simulated = difference(pool.simulated(), before);
    if (i > 0) {
      reports.push_back(pool.report());
      if (plan.keep_record) records.push_back(pool.report_json());
      result.seconds.push_back(took);
      if (!pool.is_simulated())
        result.waiting_for_cpu.push_back(
            std::min(1.0, waited / (took * static_cast<double>(pool.workers()))));
    }
    if (plan.corrupt_result) program.flip_one();
    shown.about_to_check();
    const workloads::answer_check check = program.verify();
    if (result.verified) result.answer = check.message;
    result.verified = result.verified && check.correct;
  }
  result.numbers = program.numbers();
  // The median run; of two in the middle, the faster one.
  std::vector<double> sorted = result.seconds;
  std::ranges::sort(sorted);
  const auto middle = std::ranges::find(result.seconds, sorted[(sorted.size() - 1) / 2]);
  const auto at = static_cast<std::size_t>(middle - result.seconds.begin());
  result.counted = reports[at];
  if (plan.keep_record) result.record = std::move(records[at]);
  return result;
}

observe::baseline_record measure_baseline(workloads::program& program, scheduler_options chosen,
                                          const measurement& measured, measurement_plan plan) {
  chosen.workers = 1;
  chosen.keep_report = false;
  scheduler one_worker(std::move(chosen));
  plan.repeat = std::min(plan.repeat, max_baseline_repeats);
  const measurement m = measure(program, one_worker, plan);
  return {.seconds = m.median(), .parallel_seconds = measured.median()};
}

}  // namespace skua::cli
