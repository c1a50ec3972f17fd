// How fast a program would be with so many workers, from its work and span.
//
//   for (const predicted_speedup& p : predict(run)) ... p.workers, p.at_least, p.at_most
//
// Any scheduler that leaves nobody idle takes at most (work - span) / p + span (Graham, Brent), and none takes less than
// work / p or the span. The lower bound has the burdened span, in which every fork costs a steal, as Cilkview has it.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

struct speedup_bounds {
  double at_least =
      1;               // T1 / ((T1 - B)/p + B): a greedy scheduler, where each fork on the span costs a steal
  double at_most = 1;  // T1 / max(T1/p, Ts): none is faster
};

/// Of p workers, with T1 work, Ts span and B burdened span. The span must not be 0.
speedup_bounds bounds_of(const observe::work_span_record& work_span, std::size_t workers);

struct predicted_speedup {
  std::size_t workers = 0;
  double at_least = 0, at_most = 0;
  std::optional<double> measured = std::nullopt;  // where the record has a point of a curve
};

/// For 1 worker up to twice as many as the run had: all up to 16, then by about a third more; and those that were
/// measured. Empty where the structure is not known.
std::vector<predicted_speedup> predict(const observe::run_record& run);

}  // namespace skua::reports
