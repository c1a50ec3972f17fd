#include "core/record/record.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/whole_file.hpp"
#include "core/platform/process_fork.hpp"
#include "core/record/tracer.hpp"
#include "core/scheduler_core.hpp"
#include "observe/trace_text.hpp"

namespace skua::core {

namespace {

class reports_of_process {
 public:
  explicit reports_of_process(reports_of_process* of_parent = nullptr) : parents(of_parent) {}

  reports_of_process* const parents;  // those of the parent process

  void begins(const scheduler_core& one) {
    const std::lock_guard lock(mutex_);
    live_.push_back(&one);
  }

  void ends(const scheduler_core& one) {
    if (!is_ours()) return;
    const std::lock_guard lock(mutex_);
    if (std::erase(live_, &one) != 0 && !written_) keep(one);
  }

  void write_all() {
    const std::lock_guard lock(mutex_);
    written_ = true;
    for (const scheduler_core* one : live_) keep(*one);
    if (best_) write_report();
    write_traces();
  }

  /// A process that was forked without our knowledge has none of the threads, and perhaps locks that no thread will release:
  /// it reports nothing.
  bool is_ours() const noexcept { return process_ == host_platform::process_number(); }

 private:
  /// What the process computed before is no part of a record. It must not be overlooked where it is much.
  static void note_time_before(observe::run_record& run, const recorder& kept) {
    const double before_s = static_cast<double>(kept.process_before_ns()) * 1e-9;
    constexpr double least_s = 0.01, least_share = 0.1;
    if (run.simulated || before_s < std::max(least_s, least_share * run.seconds)) return;
    char text[256];
    std::snprintf(
        text, sizeof text,
        "the process had computed for %.0f ms before the report began, which is at the first call of "
        "skua or where the program restarted the report; the report does not contain that time",
        before_s * 1e3);
    run.notes.push_back(text);
  }

  static std::uint64_t work_of(const observe::run_record& run) {
    return run.total_times().of(activity::user);
  }

  void keep(const scheduler_core& one) {
    ++schedulers_;
    if (!one.options.report_file.empty()) {
      report_file_ = one.options.report_file;
      observe::run_record next = one.record();
      note_time_before(next, *one.recorded);
      if (!best_ || work_of(next) > work_of(*best_)) best_ = std::move(next);
    }
    if (!one.options.trace_file.empty()) keep_trace(one);
  }

  // The text stays until the end, so it counts towards what the process may keep, and so do the lines that name its parts.
  // A scheduler for which nothing was kept gets no text: there may be any number of such schedulers.
  void keep_trace(const scheduler_core& one) {
    trace_file_ = one.options.trace_file;
    if (one.tracing->kept() == 0 && one.tracing->lost() != 0) {
      ++without_room_;
      return;
    }
    constexpr std::size_t names_a_worker = 4;
    trace_room::keep(one.tracing->kept() + names_a_worker * one.workers() + 1);
    traces_.push_back(one.trace(static_cast<int>(schedulers_)));
  }

  void write_traces() {
    if (without_room_ != 0)
      traces_.push_back(observe::trace_events({.name = "skua: " + std::to_string(without_room_) +
                                                       " more schedulers had no room: SKUA_TRACE_EVENTS"},
                                              static_cast<int>(schedulers_ + 1)));
    if (!traces_.empty()) write(trace_file_, observe::trace_file(traces_));
  }

  void write_report() {
    if (schedulers_ > 1)
      best_->notes.push_back("the process had " + std::to_string(schedulers_) +
                             " schedulers; this is the one in which most was computed");
    write(report_file_, observe::to_json(*best_));
  }

  static void write(const std::string& file, const std::string& text) {
    if (!base::write_whole(file, text)) std::fprintf(stderr, "skua: %s could not be written\n", file.c_str());
  }

  std::mutex mutex_;
  std::vector<const scheduler_core*> live_;
  std::optional<observe::run_record> best_;
  std::vector<std::string> traces_;
  std::string report_file_, trace_file_;
  std::size_t schedulers_ = 0, without_room_ = 0;
  const int process_ = host_platform::process_number();
  bool written_ = false;
};

reports_of_process& all_reports();

// An error in the report must not make the program fail.
void write_all() noexcept {
  try {
    all_reports().write_all();
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "skua: no report: %s\n", wrong.what());
  } catch (...) {
    std::fputs("skua: no report\n", stderr);
  }
}

// A task that calls exit() may be near the end of a small stack, so another thread writes. In all other cases no thread is
// started: code that unloads the library waits here with the loader's lock, which a new thread may need. On a simulated
// machine the clock belongs to the calling thread.
void write_at_exit() noexcept {
  if (!all_reports().is_ours()) return;
  if (current_stack() && !host_platform::threads_take_turns()) {
    try {
      std::thread(&write_all).join();
      return;
    } catch (const std::exception&) {  // no memory, or no more threads
    }
  }
  write_all();
}

// Never destroyed: a scheduler may end after all static objects.
constinit reports_of_process* reports_here = nullptr;
reports_of_process& all_reports() {
  static const bool made = [] {
    reports_here = new reports_of_process;
    return std::atexit(&write_at_exit) == 0;
  }();
  static_cast<void>(made);
  return *reports_here;
}

// In a child of fork(), which reports its own schedulers only.
void leave_reports_to_parent() noexcept {
  if (reports_here) reports_here = new reports_of_process(reports_here);
}
const in_child reports_in_child(leave_reports_to_parent);

}  // namespace

bool reported_at_exit(const settings& options) noexcept {
  return !options.report_file.empty() || !options.trace_file.empty();
}

void report_at_exit(const scheduler_core& begins) { all_reports().begins(begins); }

void report_before_end(const scheduler_core& ends) noexcept {
  try {
    all_reports().ends(ends);
  } catch (...) {  // no memory for it
    std::fputs("skua: no memory for a scheduler's report\n", stderr);
  }
}

}  // namespace skua::core
