// The search of best_workers() for a number of workers, without schedulers and clocks.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <skua/best_workers.hpp>

namespace skua::core {

/// 1, 2, 4 ... and `max`.
std::vector<std::size_t> numbers_to_try(std::size_t max);

/// seconds_of(workers) runs the work once and returns how long it took; the first result for each number is discarded.
/// The numbers take turns, so that a change in the machine's speed affects all of them.
std::vector<workers_trial> run_trials(const std::vector<std::size_t>& numbers, std::size_t rounds,
                                      const std::function<double(std::size_t)>& seconds_of);

}  // namespace skua::core
