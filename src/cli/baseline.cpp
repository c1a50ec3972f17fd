#include "cli/report_records.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <sstream>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "paper/band.hpp"
#include "report/lines.hpp"
#include "report/summary.hpp"

namespace skua::cli {
namespace {

using observe::call_site_record;
using observe::run_record;

/// The first word of the command line, without its folders.
std::string program_of(const run_record& run) {
  const std::string file = run.program.substr(0, run.program.find(' '));
  return file.substr(file.rfind('/') + 1);
}

bad_input no_baseline(const std::string& path, std::string_view is, std::string_view allowed) {
  return bad_input(fmt::format("--baseline '{}' {}; allowed: {}", path, is, allowed));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream from(text);
  return {std::istream_iterator<std::string>(from), {}};
}

/// A program may take its number of workers as an argument: "4" or "--workers=4" there, "1" or "--workers=1" here.
bool is_number_of_workers(const std::string& here, const std::string& there, std::size_t workers) {
  const std::string number = std::to_string(workers);
  return here.ends_with('1') && there.ends_with(number) &&
         std::string_view(here).substr(0, here.size() - 1) ==
             std::string_view(there).substr(0, there.size() - number.size());
}

bool is_number(const std::string& word) {
  const std::size_t at = word.find('=') + 1;  // 0 without one
  return at < word.size() && word[at] >= '0' && word[at] <= '9';
}

/// The first numeric argument that differs in the other run; empty if there is none. Names of files may differ, and options may
/// be missing.
std::string other_number(const run_record& one, const run_record& run) {
  const std::vector<std::string> here = words_of(one.program), there = words_of(run.program);
  if (here.size() != there.size()) return "";
  for (std::size_t i = 1; i < here.size(); ++i)
    if (here[i] != there[i] && is_number(here[i]) && is_number(there[i]) &&
        !is_number_of_workers(here[i], there[i], run.workers.size()))
      return here[i];
  return "";
}

/// The tasks that the program itself made, at least. Parts of loops fork as well, and how many parts there are depends on thieves
/// and on times. A call site counts a loop once, however many parts it has.
double tasks_at_least(const run_record& run) {
  const counters counts = run.total_counts();
  const std::uint64_t forks = counts.forks - std::min(counts.forks, counts.steals);
  if (!run.work_span || run.work_span->loops == 0) return static_cast<double>(forks + counts.group_tasks);
  std::uint64_t at_sites = 0;
  for (const call_site_record& site : run.work_span->sites)
    if (site.kind == "loop")
      at_sites += site.times;
    else if (site.kind == "join")
      at_sites += site.times + site.inside;
  return static_cast<double>(std::min(forks, at_sites) + counts.group_tasks);
}

/// The number of tasks may depend on the number of workers.
bool does_similar_work(const run_record& one, const run_record& run) {
  constexpr double few_tasks = 1000;
  const counters here = one.total_counts(), there = run.total_counts();
  const auto tasks = static_cast<double>(here.forks + here.group_tasks);
  const auto most = static_cast<double>(there.forks + there.group_tasks);
  const double factor = 2 * static_cast<double>(run.workers.size());
  return std::max(tasks, most) < few_tasks ||
         (tasks * factor >= tasks_at_least(run) && most * factor >= tasks_at_least(one));
}

constexpr std::string_view same_input = "a run of the same program with the same input on one worker";

// ---- positions of loops

/// Numbers that are closer to each other may be of the same input: a loop that ends when something has converged takes a few more
/// steps or fewer.
constexpr double apart = 1.05;
/// A loop of up to so many positions for each worker may have as many blocks as there are workers.
constexpr std::uint64_t few_positions = 64;
/// A loop that is called up to so often for each worker may be called once for each.
constexpr std::uint64_t few_calls = 8;
/// A number that depends on chance, or on the order in which results come, seldom differs by this factor.
constexpr double clearly_apart = 2;

double factor_between(double a, double b) { return std::max(a, b) / std::max(std::min(a, b), 1e-9); }

enum class likeness : std::uint8_t { alike, perhaps, different };

bool has_one_size(const call_site_record& site) { return site.min_positions == site.max_positions; }

double positions_of_call(const call_site_record& site) {
  return static_cast<double>(site.positions) / static_cast<double>(site.calls);
}

/// Else some calls were not counted, as very short ones of external threads, or lie in tasks.
bool is_counted(const call_site_record& site) { return site.calls == site.times; }

likeness compare_sizes(const call_site_record& one, const call_site_record& several, std::size_t workers) {
  const double factor = factor_between(positions_of_call(one), positions_of_call(several));
  if (factor <= apart) return likeness::alike;
  if (one.max_positions <= few_positions && several.max_positions <= few_positions * workers)
    return likeness::perhaps;
  if (!is_counted(one) || !is_counted(several)) return likeness::perhaps;
  const bool is_of_input = has_one_size(one) && has_one_size(several);
  return is_of_input || factor >= clearly_apart ? likeness::different : likeness::perhaps;
}

likeness compare_calls(const call_site_record& one, const call_site_record& several, std::size_t workers) {
  if (!is_counted(one) || !is_counted(several)) return likeness::alike;
  const double factor = factor_between(static_cast<double>(one.calls), static_cast<double>(several.calls));
  if (factor <= apart) return likeness::alike;
  const bool once_a_worker = one.calls <= few_calls && several.calls == workers * one.calls;
  return once_a_worker || factor < clearly_apart ? likeness::perhaps : likeness::different;
}

/// "2000 positions a call".
std::string size_text(const call_site_record& site) {
  return fmt::format("{:.0f} positions a call", positions_of_call(site));
}
std::string calls_text(const call_site_record& site) { return base::counted(site.calls, "call"); }

struct difference {
  likeness how = likeness::alike;
  std::string here, there;  // of the run on one worker, and of the other one: "2000 positions a call"
  const call_site_record* loop = nullptr;
};

difference compare_loops(const call_site_record& one, const call_site_record& several, std::size_t workers) {
  const likeness sizes = compare_sizes(one, several, workers), calls = compare_calls(one, several, workers);
  if (sizes == likeness::alike && calls == likeness::alike) return {};
  if (sizes >= calls) return {sizes, size_text(one), size_text(several), &several};
  return {calls, calls_text(one), calls_text(several), &several};
}

/// Some loops run in the library, which is their call site for all of the program's loops of this kind (parallel_for with a memo).
bool is_of_program(const call_site_record& site) {
  return !site.address.empty() && !site.name.starts_with("skua::core::");
}

/// The largest difference between calls of loops in the two runs. A program that was built anew has other addresses.
difference compare_loops(const run_record& one, const run_record& several) {
  difference largest;
  if (!one.work_span || !several.work_span) return largest;
  for (const call_site_record& there : several.work_span->sites)
    for (const call_site_record& here : one.work_span->sites) {
      if (there.calls == 0 || here.calls == 0 || !is_of_program(there)) continue;
      if (there.kind != here.kind || there.address != here.address) continue;
      const difference found = compare_loops(here, there, several.workers.size());
      if (found.how > largest.how) largest = found;
    }
  return largest;
}

/// "solve(...) at solve.cpp:12", or "solve(...) at solver+0x41f2" where the line is not known.
std::string name_of(const call_site_record& site) {
  return fmt::format("{} at {}", reports::without_arguments(site.name),
                     site.line.empty() ? site.address : site.line);
}

// ---- tasks and times

bool was_disturbed(const run_record& run) {
  double waited_ns = 0;
  for (const observe::worker_record& worker : run.workers)
    if (worker.kernel) waited_ns += static_cast<double>(worker.kernel->waiting_ns);
  return waited_ns > paper::disturbing_wait * reports::seconds_inside(run) * 1e9 *
                         static_cast<double>(run.workers.size());
}

/// How unlikely it is that the same input explains the two times, and a sentence about them.
struct compared_times {
  likeness how = likeness::alike;
  std::string text;
};

/// More workers have more cache, and a hypervisor can take time from a run that the run cannot measure.
compared_times compare_times(const run_record& one, const run_record& run) {
  constexpr double most_speedup = 2, seldom_speedup = 1.2, most_slowdown = 20;  // for each worker
  constexpr double too_short_s = 0.01;  // the start of the workers may take longer
  const double here = reports::seconds_inside(one), there = reports::seconds_inside(run);
  const auto workers = static_cast<double>(run.workers.size());
  if (std::max(here, there) < too_short_s || was_disturbed(one) || was_disturbed(run)) return {};
  const std::string took = base::duration(here * 1e9), on = base::counted(run.workers.size(), "worker");
  if (there > most_slowdown * workers * here)
    return {likeness::different,
            fmt::format("took {} in skua, and the run on {} {:.0f} times as long", took, on, there / here)};
  if (here <= seldom_speedup * workers * there) return {};
  return {here > most_speedup * workers * there ? likeness::different : likeness::perhaps,
          fmt::format("took {} in skua, {:.1f} times as long as the run on {}", took, here / there, on)};
}

/// The program's forks and group tasks, if their number is known: pieces of loops fork as well.
double known_tasks(const run_record& run) {
  const counters counts = run.total_counts();
  const bool has_loops = !run.work_span || run.work_span->loops != 0;
  return static_cast<double>(has_loops ? counts.group_tasks : counts.forks + counts.group_tasks);
}

void note_other_tasks(run_record& run, const run_record& one) {
  constexpr double few_tasks = 1000;
  // The forks of a search depend on thieves a little: 1.2 times as many on 16 workers as on one (queens).
  constexpr double seldom_by_chance = 1.5;
  const double here = known_tasks(one), there = known_tasks(run);
  if (std::max(here, there) < few_tasks || factor_between(here, there) < seldom_by_chance) return;
  run.notes.push_back(fmt::format(
      "the baseline made {:.0f} tasks and this run {:.0f}: unless their number depends on chance or on the "
      "number of workers, the baseline is of another input",
      here, there));
}

/// Of the tasks; 0 if the record does not have them. Counters that took turns did not count all.
double instructions_of(const run_record& run) {
  if (run.counters_took_turns) return 0;
  double all = 0;
  for (const observe::hardware_record& event : run.hardware)
    if (event.event == "instructions")
      for (const observe::hardware_counts& worker : event.workers)
        all += static_cast<double>(worker.of[static_cast<std::size_t>(activity::user)]);
  return all;
}

/// Longer leaves in as many tasks and positions show only in what the tasks have done.
void note_other_leaves(run_record& run, const run_record& one) {
  // Blocks with borders declare more bytes the more blocks there are.
  constexpr double seldom_by_chance = 1.5;
  constexpr double few_bytes = 1e6, few_instructions = 1e7;
  const auto differ = [](double here, double there, double few) {
    return here > 0 && there > 0 && std::max(here, there) >= few &&
           factor_between(here, there) >= seldom_by_chance;
  };
  const auto bytes = static_cast<double>(one.bytes_declared),
             bytes_there = static_cast<double>(run.bytes_declared);
  if (differ(bytes, bytes_there, few_bytes))
    run.notes.push_back(
        fmt::format("the tasks of the baseline declared {}, and those of this run {}: unless that depends on "
                    "chance or on the number of workers, the baseline is of another input",
                    base::amount_of_bytes(bytes), base::amount_of_bytes(bytes_there)));
  const double instructions = instructions_of(one), instructions_there = instructions_of(run);
  if (differ(instructions, instructions_there, few_instructions))
    run.notes.push_back(
        fmt::format("the tasks of the baseline executed {} instructions, and those of this run "
                    "{}: unless tasks poll for each other, the baseline is of another input",
                    base::count(static_cast<std::uint64_t>(instructions)),
                    base::count(static_cast<std::uint64_t>(instructions_there))));
}

}  // namespace

void add_baseline(run_record& run, const std::string& path, const run_record& one) {
  if (one.workers.size() != 1)
    throw no_baseline(path, fmt::format("has {} workers", one.workers.size()),
                      "a run of the same program on one worker");
  if (program_of(one) != program_of(run))
    throw no_baseline(path, fmt::format("is a run of '{}'", program_of(one)),
                      fmt::format("a run of the same program, '{}', on one worker", program_of(run)));
  if (const std::string number = other_number(one, run); !number.empty())
    throw no_baseline(path, fmt::format("is a run of '{}', with the argument {}", one.program, number),
                      fmt::format("a run of the same command, '{}', on one worker", run.program));
  const difference loops = compare_loops(one, run);
  if (loops.how == likeness::different)
    throw no_baseline(path,
                      fmt::format("had {} of the loop in {}, and the run {}", loops.here,
                                  name_of(*loops.loop), loops.there),
                      same_input);
  if (!does_similar_work(one, run)) throw no_baseline(path, "forked a different number of tasks", same_input);
  const compared_times times = compare_times(one, run);
  if (times.how == likeness::different) throw no_baseline(path, times.text, same_input);
  if (times.how == likeness::perhaps)
    run.notes.push_back(
        fmt::format("the baseline {}: unless its data fit only into the caches of several workers, the runs "
                    "were disturbed, or the baseline is of another input",
                    times.text));
  if (loops.how == likeness::perhaps)
    run.notes.push_back(
        fmt::format("the baseline had {} of the loop in {}, and this run {}: unless that depends "
                    "on chance or on the number of workers, the baseline is of another input",
                    loops.here, name_of(*loops.loop), loops.there));
  note_other_tasks(run, one);
  note_other_leaves(run, one);
  run.baseline = observe::baseline_record{.seconds = reports::seconds_inside(one),
                                          .parallel_seconds = reports::seconds_inside(run)};
}

}  // namespace skua::cli
