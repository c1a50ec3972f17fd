#include "cli/fuzz/step.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

/// Many times what a step takes; and longer than it may take in real time, unless its one real thread waits for itself. While
/// one computes for long and a letter lies with one whom the schedule holds up, all others wake by the clock and look about:
/// 760,000 steps a worker were seen.
constexpr std::uint64_t max_events = 20'000'000, more_for_each_worker = 2'000'000;
constexpr unsigned max_seconds = 280;

}  // namespace

step_outcome run_step(const plan& of) {
  const std::uint64_t limit =
      max_events + static_cast<std::uint64_t>(*of.scheduler.workers) * more_for_each_worker;
  setenv("SKUA_SIMULATE_HOSTILE", std::to_string(of.fate).c_str(), 1);
  setenv("SKUA_SIMULATE_STEPS", std::to_string(limit).c_str(), 1);
  alarm(max_seconds);
  step_outcome came_out;
  ledger book(of.tasks);
  auto* const pool = new scheduler(of.scheduler);
  try {
    program(*pool, book, of.tasks, of.program).run();
    came_out.wrong = book.complaint();
  } catch (const std::exception& thrown) {
    came_out.wrong = book.complaint().empty() ? thrown.what() : book.complaint() + "; then " + thrown.what();
  }
  const simulation_report report = pool->simulated();
  came_out.tasks = book.begun();
  came_out.events = report.events;
  came_out.stream = report.stream;
  if (came_out.wrong.empty()) delete pool;  // else its threads may never end
  alarm(0);
  return came_out;
}

}  // namespace skua::cli::fuzz
