// How many workers a piece of work needs, found by trying.
//
//   std::size_t n = skua::best_workers([&] { smooth(picture); });     // work that may be repeated
//   skua::scheduler pool({.workers = n});
//
// More workers are not always faster: work that waits for memory or has few tasks gains nothing from the last ones, and
// they take CPUs from other programs. So the work is run on 1, 2, 4 ... workers and on as many as the options say
// (`most`), in turn, several rounds over, and the answer is the smallest number whose median time is within 3% of the
// fastest median. It holds for that work, that size and that machine; nothing is remembered.
// Cost: for each number one untimed run and `rounds` timed ones, but only one timed run where that took more than twice
// as long as the fastest of its round. The schedulers live only during the call.
// Throws: bad_input for what a scheduler refuses, and for rounds below 1; and what the work throws.
// Thread-safety: may be called from any thread that is no worker. Trials at the same time disturb each other's times.
// Paper: the TBB thesis names it as future work (choosing the number of threads by itself).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <skua/detail/export.hpp>
#include <skua/scheduler.hpp>

namespace skua {

/// One number of workers that was tried.
struct workers_trial {
  std::size_t workers;
  double seconds;  // the median
};

struct best_workers_options {
  /// Of the schedulers on which the work is tried; its `workers` is the largest number tried.
  scheduler_options scheduler = {};
  /// Timed runs for each number, 1 or more.
  std::int64_t rounds = 5;
  /// Called before each run with its number of workers, outside of the time: puts the input back, reports progress.
  std::function<void(std::size_t workers)> before_each = {};
};

/// All that were tried, fewest workers first.
SKUA_API std::vector<workers_trial> try_workers(const std::function<void()>& work,
                                                const best_workers_options& options = {});

/// The smallest number of workers whose time is within 3% of the least. There must be a trial.
SKUA_API std::size_t fewest_workers(std::span<const workers_trial> trials);

inline std::size_t best_workers(const std::function<void()>& work, const best_workers_options& options = {}) {
  return fewest_workers(try_workers(work, options));
}

}  // namespace skua
