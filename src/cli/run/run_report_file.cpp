#include "cli/run/run_report_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/whole_file.hpp"

namespace skua::cli {

namespace {

bad_input cannot_write(const std::string& option, const std::string& path) {
  return bad_input(
      fmt::format("{} '{}' cannot be written; allowed: a file in a folder that exists", option, path));
}

void write_file(const std::string& option, const std::string& path, const std::string& text) {
  if (!observe::write_whole(path, text)) throw cannot_write(option, path);
}

/// One worker takes long, and its median settles soon.
constexpr std::int64_t max_repeats = 3;

}  // namespace

void check_can_write(const std::string& option, const std::string& path) {
  if (path == "-")
    throw bad_input(fmt::format(
        "{} '-' is no name of a file; allowed: a file in a folder that exists; nearest: {} /dev/stdout",
        option, option));
  if (!observe::can_be_written(path)) throw cannot_write(option, path);
}

std::optional<observe::baseline_record> measure_baseline(workloads::program& program,
                                                         scheduler_options chosen,
                                                         const measurement& measured, measurement_plan plan) {
  chosen.workers = 1;
  chosen.keep_report = false;
  scheduler alone(std::move(chosen));
  plan.repeat = std::min(plan.repeat, max_repeats);
  const measurement m = measure(program, alone, plan);
  return observe::baseline_record{.seconds = m.median(), .parallel_seconds = measured.median()};
}

void write_run_report(const std::string& path, const measurement& measured,
                      const std::optional<observe::baseline_record>& baseline) {
  observe::run_record record = observe::read_run_record(measured.record, "the run's record");
  record.baseline = baseline;
  write_run_report(path, record);
}

void write_run_report(const std::string& path, const observe::run_record& record) {
  write_file("--report", path, observe::to_json(record));
}

void write_run_trace(const std::string& path, const scheduler& pool) {
  write_file("--trace", path, pool.trace_json());
}

}  // namespace skua::cli
