#include "core/start/wrong_variables.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/nearest_name.hpp"
#include "core/platform/process_fork.hpp"

extern "C" char** environ;

namespace skua::core {

namespace {

// ---- values

struct last_refusal {
  fork_safe_lock guard;
  std::string text;
  bool installed = false;
  std::terminate_handler before = nullptr;
};
// Never destroyed: static destructors may fail to make a scheduler.
last_refusal& last() {
  static auto* const one = new last_refusal;
  return *one;
}

[[noreturn]] void end_by_refusal() {
  try {
    if (const std::exception_ptr uncaught = std::current_exception()) std::rethrow_exception(uncaught);
  } catch (const bad_input& refusal) {
    if (last().text == refusal.what()) {
      std::fprintf(stderr, "skua: %s\n", refusal.what());
      std::_Exit(2);
    }
  } catch (...) {
  }
  if (last().before) last().before();
  std::abort();
}

// ---- names

constexpr std::string_view prefix = "SKUA_";
constexpr std::string_view names[] = {"BIND",
                                      "DISTANCES",
                                      "LEARNT",
                                      "PIN",
                                      "POLICY",
                                      "REPORT",
                                      "SEED",
                                      "SIMULATE",
                                      "SIMULATE_COSTS",
                                      "SIMULATE_LEVEL",
                                      "SIMULATE_FREE_LOOKS",
                                      "SIMULATE_PAGES",
                                      "SIMULATE_HOSTILE",
                                      "SIMULATE_RECORD",
                                      "SIMULATE_STEPS",
                                      "SIMULATE_THREADS",
                                      "SIMULATE_REPLAY",
                                      "SIMULATE_WATCHDOG_S",
                                      "STACK_BYTES",
                                      "TOPOLOGY",
                                      "TRACE",
                                      "TRACE_EVENTS",
                                      "WORKERS"};

/// Names of other runtimes' variables (OMP_NUM_THREADS), or of what skua's variable is, and skua's own.
constexpr std::pair<std::string_view, std::string_view> foreign_names[] = {
    {"AFFINITY", "PIN"},           {"CORES", "WORKERS"},       {"CPUS", "WORKERS"},
    {"SIMULATION", "SIMULATE"},    {"MACHINE", "SIMULATE"},    {"MAX_THREADS", "WORKERS"},
    {"NTHREADS", "WORKERS"},       {"NUM_THREADS", "WORKERS"}, {"NUM_WORKERS", "WORKERS"},
    {"NWORKERS", "WORKERS"},       {"PLACES", "PIN"},          {"PROC_BIND", "BIND"},
    {"SCHEDULE", "POLICY"},        {"SIMULATOR", "SIMULATE"},  {"STACKSIZE", "STACK_BYTES"},
    {"STACK_SIZE", "STACK_BYTES"}, {"THREADS", "WORKERS"}};

/// With more edits it is another word: SKUA_TESTS and SKUA_SHARED are not misspelt.
bool is_similar(std::string_view name, std::string_view nearest) {
  constexpr std::size_t max_edits = 2;
  return !nearest.empty() && name.front() == nearest.front() && base::edits(name, nearest) <= max_edits;
}

}  // namespace

void end_by_refusal_if_uncaught(const bad_input& refusal) noexcept {
  try {
    last_refusal& here = last();
    const std::lock_guard lock(here.guard);
    here.text = refusal.what();
    // Once: a handler that the program sets later may call this one.
    if (!here.installed) here.before = std::set_terminate(&end_by_refusal);
    here.installed = true;
  } catch (...) {  // no memory: then std::terminate says it
  }
}

std::string misspelt_variable(std::span<const char* const> environment) {
  for (const std::string_view variable : environment) {
    if (!variable.starts_with(prefix)) continue;
    const std::string_view name = variable.substr(prefix.size(), variable.find('=') - prefix.size());
    if (name.empty() || std::ranges::find(names, name) != std::end(names)) continue;
    const auto foreign = std::ranges::find(foreign_names, name, [](const auto& one) { return one.first; });
    const bool is_foreign = foreign != std::end(foreign_names);
    const std::string_view nearest = is_foreign ? foreign->second : base::nearest_name(name, names);
    if (is_foreign || is_similar(name, nearest))
      return std::string(prefix) + std::string(name) +
             " is not a variable of skua; nearest: " + std::string(prefix) + std::string(nearest);
  }
  return {};
}

std::string variable_without_effect(std::span<const char* const> environment) {
  constexpr std::string_view needed = "SKUA_SIMULATE";
  // These two also apply to machines that the program chooses.
  constexpr std::string_view independent[] = {"SKUA_SIMULATE_HOSTILE", "SKUA_SIMULATE_STEPS"};
  std::string found;
  for (const std::string_view variable : environment) {
    if (!variable.starts_with(needed)) continue;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name.size() + 1 >= variable.size()) continue;  // an empty value counts as unset
    if (name == needed) return {};
    const bool known = std::ranges::find(names, name.substr(prefix.size())) != std::end(names);
    if (found.empty() && known && std::ranges::find(independent, name) == std::end(independent))
      found = std::string(name) + " has no effect without " + std::string(needed);
  }
  return found;
}

void say_wrong_variables() noexcept {
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed)) return;
  std::size_t number = 0;
  while (environ && environ[number]) ++number;
  try {
    for (const std::string& text :
         {misspelt_variable({environ, number}), variable_without_effect({environ, number})})
      if (!text.empty()) std::fprintf(stderr, "skua: %s\n", text.c_str());
  } catch (...) {  // no memory for a hint
  }
}

}  // namespace skua::core
