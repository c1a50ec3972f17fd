// Finds by trial how many workers a piece of work needs.
//
//   std::size_t n = skua::best_workers([&] { smooth(picture); });     // the work must be repeatable
//   skua::scheduler pool({.workers = n});
//
// More workers are not always faster. Work that waits for memory or has few tasks gains nothing from the last workers,
// and these workers take CPUs from other programs. This call runs the work on 1, 2, 4 ... workers and on the largest
// number that the options allow. It does so for several rounds. The result is the smallest number of workers whose
// median time is within 3% of the fastest median. The result holds for this work, this size and this machine. skua does
// not store it.
// Cost: for each number of workers, one untimed run and `rounds` timed runs. A number whose timed run took more than
// twice as long as the fastest of its round gets only that one timed run. The schedulers live only during the call.
// Throws: bad_input for options that a scheduler refuses and for rounds below 1; also what the work throws.
// Thread-safety: may be called from any thread that is not a worker. Trials that run at the same time disturb each
// other's times.
// Paper: the TBB thesis lists the automatic choice of the number of threads as future work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include <skua/detail/export.hpp>
#include <skua/scheduler.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// The result for one number of workers.
struct workers_trial {
  std::size_t workers;
  double seconds;  // the median time of one run
};

/// What best_workers() and try_workers() try, and how often.
struct best_workers_options {
  /// Options of the schedulers that run the trials. `workers` is the largest number of workers that is tried.
  scheduler_options scheduler = {};
  /// Timed runs for each number of workers; 1 or more.
  std::int64_t rounds = 5;
  /// Called before each run with the number of workers of that run. Its time is not measured. Use it to restore the
  /// input or to report progress.
  std::function<void(std::size_t workers)> before_each = {};
};

/// Runs the trials. Returns one entry for each number of workers, in ascending order of workers.
SKUA_API sequence<workers_trial> try_workers(const std::function<void()>& work,
                                             const best_workers_options& options = {});

/// Returns the smallest number of workers whose time is within 3% of the shortest time. `trials` must not be empty.
SKUA_API std::size_t fewest_workers(std::span<const workers_trial> trials);

/// Runs the trials and returns the number of workers to use.
inline std::size_t best_workers(const std::function<void()>& work, const best_workers_options& options = {}) {
  return fewest_workers(try_workers(work, options));
}

}  // namespace skua
