#include "report/verdict.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/number_text.hpp"
#include "report/limits.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

using namespace base;

namespace {

constexpr finding (*rules[])(const facts&) = {find_parallelism,   find_outside,          find_task_size,
                                              find_remote_steals, find_memory_bandwidth, find_slower_work,
                                              find_locks,         find_imbalance,        find_sleeping};

finding largest_loss_of_program(const facts& f) {
  finding largest = rules[0](f);
  for (const auto rule : rules) {
    finding found = rule(f);
    if (found.lost > largest.lost) largest = std::move(found);
  }
  return largest;
}

finding decide(const facts& f) {
  const double lost = f.shares.lost();
  finding others = find_waiting_for_cpus(f);
  finding own = largest_loss_of_program(f);
  const bool is_first = others.what != limit::other_programs || !own_threads_have_cpus(f.run);
  if (is_first && others.lost >= thresholds::others_share &&
      others.lost >= thresholds::others_part_of_loss * lost) {
    if (others.what != limit::few_cpus && own.lost >= thresholds::negligible_loss)
      others.evidence.push_back("apart from that, as far as the report shows: " + own.sentence);
    return others;
  }
  if (lost < thresholds::negligible_loss) return find_nothing(f);
  return own.lost > others.lost ? own : others;
}

}  // namespace

verdict judge(const observe::run_record& run) {
  finding found = decide({run, summarise(run), account_of(run)});
  if (!run.machine.simulated && run.seconds < thresholds::too_short_s)
    found.evidence.insert(found.evidence.begin(),
                          fmt::format("the run took only {}, mostly for waking threads and first uses of "
                                      "memory: a longer run shows more",
                                      duration(run.seconds * 1e9)));
  return {found.what, std::move(found.sentence), std::move(found.advice), std::move(found.evidence)};
}

}  // namespace skua::reports
