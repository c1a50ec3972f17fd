#include "cli/fuzz_step.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <memory>

#include "cli/fuzz_program.hpp"

namespace skua::cli::fuzz {
namespace {

/// A thousand times as many as a step takes; and as long as it may take, which it only does if it never ends.
constexpr std::uint64_t most_events = 20'000'000;
constexpr unsigned most_seconds = 60;

}  // namespace

step_outcome run_step(const plan& of) {
  setenv("SKUA_SIMULATE_HOSTILE", std::to_string(of.fate).c_str(), 1);
  setenv("SKUA_SIMULATE_STEPS", std::to_string(most_events).c_str(), 1);
  alarm(most_seconds);
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
