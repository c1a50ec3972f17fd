#include "cli/own_runs.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include <skua/topology.hpp>

#include "base/process.hpp"

namespace skua::cli {
namespace {

own_run run_one(const arguments& words) {
  base::process_result ended = base::run_process(
      {.program = "/proc/self/exe", .arguments = words, .name = "skua", .without = "SKUA_"});
  own_run ran{.output = std::move(ended.output), .ending = {}, .complaint = {}, .seconds = ended.seconds};
  if (ended.succeeded()) return ran;
  ran.ending = ended.ending();
  const std::string printed = ran.output.substr(0, ran.output.find_last_not_of('\n') + 1).substr(0, 300);
  ran.complaint = fmt::format("`skua {}` {}: {}", fmt::join(words, " "), ran.ending, printed);
  return ran;
}

}  // namespace

void run_some_at_a_time(std::size_t number, const std::function<void(std::size_t)>& one,
                        const std::function<void(std::size_t, std::size_t)>& ended, std::size_t at_a_time) {
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < number; i = next++) {
      one(i);
      const std::lock_guard lock(reporting);
      ended(++done, i);
    }
  };
  if (at_a_time == 0) at_a_time = topology::host().default_workers(true);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(at_a_time, number); ++i) threads.emplace_back(work);
  work();
}

std::vector<own_run> run_ourselves(const std::vector<arguments>& commands,
                                   const std::function<void(std::size_t, std::size_t, const own_run&)>& ended,
                                   std::size_t at_a_time) {
  std::vector<own_run> runs(commands.size());
  run_some_at_a_time(
      commands.size(), [&](std::size_t i) { runs[i] = run_one(commands[i]); },
      [&](std::size_t done, std::size_t i) { ended(done, i, runs[i]); }, at_a_time);
  return runs;
}

}  // namespace skua::cli
