// Made-up records of runs. Each run is limited by one cause, takes 100 ms, and has any number of workers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::made_up {

inline constexpr double run_ns = 100e6;
inline constexpr std::uint64_t us = 1000, ms = 1000 * us;

struct share {
  activity what;
  double of_all;
};

inline std::uint64_t& time_of(worker_times& times, activity what) {
  return times.ns[static_cast<std::size_t>(what)];
}

/// The rest of the time is user time.
inline observe::run_record run_of(std::size_t workers, const std::vector<share>& shares) {
  observe::run_record run;
  run.program = "./made_up";
  run.policy = "nearest";
  run.machine = {.source = "this machine",
                 .level = "",
                 .domain_kind = "L3",
                 .packages = 2,
                 .domains = 2,
                 .cores = workers,
                 .pus = workers,
                 .tree = "package 0\npackage 1\n",
                 .distance_names = {"same domain", "same machine"}};
  run.seconds = run.inside_seconds = run_ns * 1e-9;
  run.workers.resize(workers);
  for (std::size_t w = 0; w < workers; ++w) {
    observe::worker_record& worker = run.workers[w];
    worker.seat = {.cpu = static_cast<std::uint32_t>(w),
                   .domain = w >= workers / 2 ? 1u : 0u,
                   .package = w >= workers / 2 ? 1u : 0u};
    double user = 1;
    for (const share& one : shares) {
      time_of(worker.times, one.what) = static_cast<std::uint64_t>(one.of_all * run_ns);
      user -= one.of_all;
    }
    time_of(worker.times, activity::user) = static_cast<std::uint64_t>(user * run_ns);
    worker.counts = {
        .forks = 1000, .attempts = 100, .steals = 60, .steal_misses = 40, .steals_by_distance = {60, 0}};
    worker.kernel = observe::kernel_record{.on_cpu_ns = static_cast<std::uint64_t>(run_ns)};
  }
  run.task_size.add(100 * us, 60 * workers);
  run.steal_duration.add(1 * us, 60 * workers);
  return run;
}

/// Sets work and span. `work` is a share of the time of all workers, and `span` is a share of the run's time.
inline void give_work_span(observe::run_record& run, double work, double span, double burdened = 0) {
  const auto of_run = [](double part) { return static_cast<std::uint64_t>(part * run_ns); };
  observe::work_span_record work_span;
  work_span.work_ns = of_run(work * static_cast<double>(run.workers.size()));
  work_span.span_ns = of_run(span);
  work_span.burdened_span_ns = of_run(burdened > 0 ? burdened : span);
  work_span.burden_ns = 5 * us;
  work_span.forks = 1000 * run.workers.size();
  work_span.sites = {{.name = "solve(int)",
                      .kind = "join",
                      .span_ns = work_span.span_ns * 9 / 10,
                      .work_ns = work_span.work_ns,
                      .times = work_span.forks}};
  run.work_span = work_span;
}

/// `workers[w]` works from the beginning of the run until this share of it. After that it finds no work.
inline void give_timeline(observe::run_record& run, const std::vector<double>& until) {
  constexpr std::size_t intervals = 100;
  const auto interval = static_cast<std::uint64_t>(run_ns / intervals);
  run.timeline = {.interval_ns = interval, .workers = {}};
  for (const double end : until) {
    auto& line = run.timeline.workers.emplace_back(intervals);
    for (std::size_t i = 0; i < intervals; ++i)
      time_of(line[i], static_cast<double>(i) < end * intervals ? activity::user : activity::waiting) =
          interval;
  }
}

}  // namespace skua::made_up
