// The speedup that work and span allow with a number of workers.
//
//   for (const predicted_speedup& p : predict(run)) ... p.workers, p.at_least, p.at_most
//
// A greedy scheduler takes at most (work - span) / p + span (Graham, Brent), and none takes less than work / p or the
// span. The lower bound uses the burdened span, in which every fork costs a steal, as Cilkview does.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

struct speedup_bounds {
  double at_least = 1;  // T1 / ((T1 - B)/p + B): a greedy scheduler, if each fork on the span costs a steal
  double at_most = 1;   // T1 / max(T1/p, Ts): no scheduler is faster
};

/// For p workers, with work T1, span Ts and burdened span B. The span must not be 0.
speedup_bounds bounds_of(const observe::work_span_record& work_span, std::size_t workers);

struct predicted_speedup {
  std::size_t workers = 0;
  double at_least = 0, at_most = 0;
  std::optional<double> measured = std::nullopt;  // if the record has a point of a curve
};

/// From 1 worker to twice as many as the run had: every number up to 16, then in steps of about a third; and the measured
/// numbers. Empty if work and span are not known.
std::vector<predicted_speedup> predict(const observe::run_record& run);

}  // namespace skua::reports
