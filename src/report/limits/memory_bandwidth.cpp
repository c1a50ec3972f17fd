#include <fmt/core.h>

#include <algorithm>

#include "report/limits/findings.hpp"
#include "report/words.hpp"

#include "report/data_time.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

finding find_memory_bandwidth(const facts& f) {
  finding found{.what = limit::memory_bandwidth, .lost = f.books.memory};
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  const bool in_one = data.one_memory >= thresholds::one_memory;
  // What is far and was not carried there by steals lies where it lies.
  if (find_remote_steals(f).lost == 0) found.lost += f.books.remote_data;
  found.sentence = fmt::format(
      "Memory bandwidth limits it: {} of the time went into waiting for memories and links that were full.",
      percent(found.lost));
  if (data.dealt_out) {
    found.sentence = fmt::format(
        "Memory bandwidth limits it: {} of the time went into waiting for memories, most of them far, since "
        "pages are dealt out to all in turn.",
        percent(found.lost));
  }
  if (f.sum.work_inflation > 0) {
    found.sentence = fmt::format(
        "Memory bandwidth limits it: the same work took {} times as long as on one worker, which is {} of "
        "the time.",
        decimal(f.sum.work_inflation), percent(found.lost));
  }
  if (data.fullest > 0)
    found.evidence.push_back(
        fmt::format("the busiest memory brought {} of what it can", percent(std::min(1.0, data.fullest))));
  if (in_one)
    found.evidence.push_back(
        fmt::format("one memory of several served {} of all bytes", percent(data.one_memory)));
  if (data.remote_reads > 0)
    found.evidence.push_back(
        fmt::format("{} of the lines that were read were far", percent(data.remote_reads)));
  found.advice =
      in_one ? "Let the workers that use data touch them first, or lay their pages out in turn (interleave)."
      : data.dealt_out
          ? "Place pages with who touches them first, and steal near; or use fewer bytes for each operation."
          : "Use fewer bytes for each operation: smaller blocks that stay in caches, or fused loops.";
  return found;
}

}  // namespace skua::reports
