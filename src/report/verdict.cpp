#include "report/verdict.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "report/limits/findings.hpp"
#include "report/thresholds.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

constexpr finding (*rules[])(const facts&) = {find_parallelism,   find_outside,          find_task_size,
                                              find_remote_steals, find_memory_bandwidth, find_imbalance,
                                              find_sleeping};

finding largest_of_the_program(const facts& f) {
  finding largest = rules[0](f);
  for (const auto rule : rules) {
    finding found = rule(f);
    if (found.lost > largest.lost) largest = std::move(found);
  }
  return largest;
}

finding decide(const facts& f) {
  const double lost = f.books.lost();
  finding others = find_other_programs(f);
  finding own = largest_of_the_program(f);
  if (others.lost >= thresholds::others_share && others.lost >= thresholds::others_part_of_loss * lost) {
    if (own.lost >= thresholds::negligible_loss)
      others.evidence.push_back("as far as can be told beside that: " + own.sentence);
    return others;
  }
  if (lost < thresholds::negligible_loss) return find_nothing(f);
  return own.lost > others.lost ? own : others;
}

}  // namespace

verdict judge(const observe::run_record& run) {
  finding found = decide({run, summarise(run), draw_up(run)});
  if (!run.machine.simulated && run.seconds < thresholds::too_short_s)
    found.evidence.insert(
        found.evidence.begin(),
        fmt::format(
            "it took {} in all, in which threads wake and memory is touched for the first time: a longer run "
            "says more",
            duration(run.seconds * 1e9)));
  return {found.what, std::move(found.sentence), std::move(found.advice), std::move(found.evidence)};
}

}  // namespace skua::reports
