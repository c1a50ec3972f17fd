// The protocol of best_workers(), without schedulers and clocks.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include <skua/best_workers.hpp>

namespace skua::core {

/// 1, 2, 4 ... and `most`.
std::vector<std::size_t> numbers_to_try(std::size_t max);

/// seconds_of(workers) runs the work once and says how long it took; the first answer for each number is not used. The
/// numbers take turns, so that a machine which slows down or speeds up does so for all of them.
std::vector<workers_trial> run_trials(const std::vector<std::size_t>& numbers, std::size_t rounds,
                                      const std::function<double(std::size_t)>& seconds_of);

}  // namespace skua::core
