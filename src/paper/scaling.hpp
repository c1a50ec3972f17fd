// A program on a growing number of workers: its speedup, and the workers' time by activity.
//
//   scaling_curve curve{.policy = "nearest", .points = {one, two, four}};     // the first on one worker
//   const scaled at_four = scaled_at(curve, curve.points.back());
//   at_four.speedup / at_four.share_of(activity::waiting);
//
// The thesis on TBB has such profiles of eight programs (its figures 11 to 58 and 91 to 138); docs/scaling.md maps its
// categories to ours.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <skua/report.hpp>

#include "paper/band.hpp"
#include "paper/plot.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

/// The runs with one number of workers.
struct scaling_point {
  std::size_t workers = 0;
  std::vector<double> seconds = {};  // of the timed runs
  worker_times times = {};           // of all workers together, in the median run
  /// Of the timed runs on a real machine: the share of the workers' time in which they waited for CPUs.
  std::vector<double> waiting_for_cpu = {};
};

struct scaling_curve {
  std::string policy;
  std::vector<scaling_point> points = {};  // in order of workers, the first with one
};

struct scaling {
  std::string program, machine;  // "heat ci, n=512"; "xeon-x7460-4s-dunnington, bandwidth"
  bool simulated = false;
  std::optional<double> serial_seconds = std::nullopt;  // of the program without skua
  std::vector<scaling_curve> curves = {};
  std::size_t cpus = 0;  // of the real machine
};

/// The values of a point. Shares are of workers times time, and add up to 1.
struct scaled {
  double seconds = 0;
  double speedup = 0;     // over one worker by the same policy
  double efficiency = 0;  // speedup / workers
  double library = 0;     // share of everything but user and asleep
  double inflation = 0;   // user time over that of one worker
  double stealing = 0;    // looking, claiming, taking and waiting, of the library's time
  double waiting = 0;     // waiting, of stealing
  std::array<double, activity_count> share = {};
  std::array<double, activity_count> of_work =
      {};  // relative to the user time of one worker; should not grow

  double share_of(activity what) const noexcept { return share[static_cast<std::size_t>(what)]; }
};

/// The runs of all curves.
std::vector<waited_run> waits_of(const scaling& all);

/// Quotients with a denominator of 0 are 0.
scaled scaled_at(const scaling_curve& curve, const scaling_point& point);

// For readers: tables and bars for a terminal, charts as SVG, and both on an HTML page.

/// "heat ci on this machine, medians of 5 runs"
std::string heading_of(const scaling& all);
/// Speed and shares of the time; shares by activity; growth by activity. The captions contain the policy.
std::vector<table> tables_of(const scaling& all, const scaling_curve& curve);
/// As the thesis on TBB draws them: speedups and work inflation of all policies; then, for each policy, its user and library
/// time, the parts of the library, and their growth.
std::vector<chart> charts_of(const scaling& all);

std::string text_of(const scaling& all);
/// Files that need no others and no network.
std::string svg_of(const scaling& all);
std::string html_of(const scaling& all);

}  // namespace skua::paper
