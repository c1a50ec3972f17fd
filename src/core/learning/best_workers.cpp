#include <skua/best_workers.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "core/learning/best_workers.hpp"
#include "core/platform/platform.hpp"

namespace skua {

namespace core {

namespace {

// A number this many times slower than the fastest in the first round is dropped: no noise that we saw closes such a
// gap.
constexpr double hopeless = 2;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace

std::vector<std::size_t> numbers_to_try(std::size_t max) {
  std::vector<std::size_t> numbers;
  for (std::size_t number = 1; number < max; number *= 2) numbers.push_back(number);
  numbers.push_back(max);
  return numbers;
}

std::vector<workers_trial> run_trials(const std::vector<std::size_t>& numbers, std::size_t rounds,
                                      const std::function<double(std::size_t)>& seconds_of) {
  for (const std::size_t number : numbers) seconds_of(number);
  std::map<std::size_t, std::vector<double>> times;
  double fastest = std::numeric_limits<double>::infinity();
  for (const std::size_t number : numbers) {
    times[number].push_back(seconds_of(number));
    fastest = std::min(fastest, times[number].front());
  }
  for (std::size_t round = 1; round < rounds; ++round) {
    for (auto& [number, seconds] : times) {
      if (seconds.front() <= hopeless * fastest) seconds.push_back(seconds_of(number));
    }
  }
  std::vector<workers_trial> trials;
  for (const auto& [number, seconds] : times) trials.push_back({number, median(seconds)});
  return trials;
}

}  // namespace core

std::size_t fewest_workers(std::span<const workers_trial> trials) {
  constexpr double slack = 0.03;  // as include/skua/best_workers.hpp documents
  const double min = std::ranges::min(trials, {}, &workers_trial::seconds).seconds;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const workers_trial& trial : trials) {
    if (trial.seconds <= min * (1 + slack)) fewest = std::min(fewest, trial.workers);
  }
  return fewest;
}

sequence<workers_trial> try_workers(const std::function<void()>& work, const best_workers_options& options) {
  if (options.rounds < 1)
    throw bad_input("rounds is " + std::to_string(options.rounds) + "; allowed: 1 or more; nearest: 1");
  std::map<std::size_t, std::unique_ptr<scheduler>> pools;
  auto largest = std::make_unique<scheduler>(options.scheduler);  // it knows the default number
  const std::vector<std::size_t> numbers = core::numbers_to_try(largest->workers());
  pools[numbers.back()] = std::move(largest);
  for (const std::size_t number : numbers) {
    scheduler_options of_number = options.scheduler;
    of_number.workers = static_cast<std::int64_t>(number);
    if (!pools[number]) pools[number] = std::make_unique<scheduler>(of_number);
  }
  return core::run_trials(numbers, static_cast<std::size_t>(options.rounds),
                          [&](std::size_t number) -> double {
                            if (options.before_each) options.before_each(number);
                            const std::int64_t start = core::host_platform::now_ns();
                            pools[number]->run([&] { work(); });
                            return static_cast<double>(core::host_platform::now_ns() - start) * 1e-9;
                          });
}

}  // namespace skua
