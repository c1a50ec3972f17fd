// A report for a terminal: sections, each a heading and some lines, or empty where the record lacks the data.
#include "report/text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "base/number_text.hpp"
#include "observe/run_record.hpp"
#include "report/lines.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"

namespace skua::reports {

using namespace base;

namespace {

/// "8 workers, policy nearest, on ..."
std::string machine_line(const observe::run_record& run) {
  const observe::machine_record& machine = run.machine;
  std::string line = fmt::format("{}, policy {}, on {}{}", counted(run.workers.size(), "worker"), run.policy,
                                 machine.simulated ? "the simulated machine " : "", machine.source);
  if (machine.cores > 0) {
    line += fmt::format(": {}, {}", counted(machine.packages, "package"), counted(machine.domains, "domain"));
    if (!machine.domain_kind.empty()) line += fmt::format(" ({})", machine.domain_kind);
    line += fmt::format(", {}, {}", counted(machine.cores, "core"), counted(machine.pus, "CPU"));
  }
  if (machine.simulated && !machine.level.empty()) line += fmt::format("; level {}", machine.level);
  return line;
}

std::string verdict_section(const observe::run_record& run) {
  const verdict v = judge(run);
  std::string all = wrapped(v.sentence, 0);
  for (const std::string& line : v.evidence) all += wrapped(line, 4, "- ");
  if (!v.advice.empty()) all += wrapped(v.advice, 4, "> ");
  return all;
}

std::string speed_section(const observe::run_record& run) {
  const summary s = summarise(run);
  std::vector<std::vector<std::string>> rows;
  std::string time = duration(1e9 * s.seconds);
  if (s.outside_seconds > 0.001 * s.seconds)
    time += fmt::format(" in the scheduler, {} outside", duration(1e9 * s.outside_seconds));
  const std::string how =
      s.speedup_measured ? "over one worker, measured" : "estimated: user time over wall time";
  std::string all = fmt::format("  time        {}\n  speedup     {} ({}), efficiency {}\n", time,
                                decimal(s.speedup), how, percent(s.efficiency));
  if (s.work_inflation > 0)
    all += fmt::format("  inflation   the same work took {} times as long as on one worker\n",
                       decimal(s.work_inflation));
  return all;
}

constexpr std::size_t bar_columns = 40;

std::string bar(double share) {
  const auto length = static_cast<std::size_t>(share * static_cast<double>(bar_columns) + 0.5);
  return length ? "  " + std::string(length, '#') : "";
}

std::vector<std::string> line_of_worker(const observe::run_record& run, std::size_t w) {
  const observe::worker_record& worker = run.workers[w];
  std::vector<std::string> cells = {fmt::format("{} on CPU {}", w, worker.seat.cpu)};
  const auto all = static_cast<double>(worker.times.sum());
  for (const std::uint64_t ns : worker.times.ns)
    cells.push_back(all > 0 ? percent(static_cast<double>(ns) / all) : "-");
  return cells;
}

std::string times_section(const observe::run_record& run, bool each_worker) {
  const summary s = summarise(run);
  const worker_times times = run.total_times();
  std::string all = "Time of all workers\n";
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < activity_count; ++i)
    all += fmt::format("  {:<12}{:>6}  {:>8}{}\n", activity_names[i], percent(s.share[i]),
                       duration(static_cast<double>(times.ns[i])), bar(s.share[i]));
  all += fmt::format("  library: {} (all but user and asleep); unattributed: {}\n", percent(s.library),
                     percent(s.unattributed));
  if (!each_worker) return all;
  // With two words for a column the table would be wider than a terminal.
  rows.push_back(
      {"worker", "user", "spawn", "queue", "look", "claim", "take", "wait", "suspend", "resume", "asleep"});
  for (std::size_t w = 0; w < run.workers.size(); ++w) rows.push_back(line_of_worker(run, w));
  return all + "\n" + table(rows);
}

std::string time(std::uint64_t ns) { return duration(static_cast<double>(ns)); }

std::string work_span_section(const observe::run_record& run) {
  if (!run.work_span) return "";
  const observe::work_span_record& s = *run.work_span;
  std::string all = "Work and span\n";
  all += fmt::format("  work {}, span {}: parallelism {}\n", time(s.work_ns), time(s.span_ns),
                     decimal(s.parallelism()));
  all += fmt::format("  span {} if every fork on it costs a steal ({}): parallelism {}\n",
                     time(s.burdened_span_ns), time(s.burden_ns), decimal(s.burdened_parallelism()));
  all += fmt::format("  {}, {}, {}", counted(s.forks, "fork"), counted(s.loops, "loop"),
                     counted(s.group_tasks, "group task"));
  if (!s.exact && s.grain_ns) all += fmt::format("; parts below {} were treated as serial", time(s.grain_ns));
  return all + "\n";
}

std::string prediction_section(const observe::run_record& run) {
  const std::vector<predicted_speedup> all = predict(run);
  if (all.empty()) return "";
  std::vector<std::vector<std::string>> rows = {{"workers", "expected", "at most", "measured"}};
  for (const predicted_speedup& p : all) {
    // Powers of two and the measured points are enough.
    if (!p.measured && p.workers != run.workers.size() && (p.workers & (p.workers - 1)) != 0) continue;
    rows.push_back(
        {count(p.workers), decimal(p.at_least), decimal(p.at_most), p.measured ? decimal(*p.measured) : "-"});
  }
  return "Speedup that work and span allow\n" + table(rows);
}

std::string calls_of(const observe::call_site_record& site) {
  return site.inside == 0 ? count(site.times) : count(site.times) + " + " + count(site.inside) + " inside";
}

std::string call_sites_section(const observe::run_record& run) {
  if (!run.work_span || run.work_span->sites.empty()) return "";
  const auto share = [](std::uint64_t part, std::uint64_t of) {
    return of ? percent(static_cast<double>(part) / static_cast<double>(of)) : "-";
  };
  std::vector<std::vector<std::string>> rows = {{"call site", "kind", "of span", "of work", "calls"}};
  for (const observe::call_site_record& site : run.work_span->sites)
    rows.push_back({without_arguments(distinct_name(site, run.work_span->sites)), site.kind,
                    share(site.span_ns, run.work_span->span_ns),
                    site.is_serial() ? "-" : share(site.work_ns, run.work_span->work_ns),
                    site.is_serial() ? "-" : calls_of(site)});
  return "Call sites on the span\n" + table(rows);
}

/// "random 12 us (8 samples), announced given up": the times of an iteration.
std::string evidence_of(const observe::choice_record& one) {
  std::string all;
  for (const observe::tried_policy_record& tried : one.tried)
    all +=
        fmt::format("{}{} {}{}", all.empty() ? "" : ", ", tried.policy, duration(tried.ns),
                    tried.given_up ? " (given up)" : fmt::format(" ({})", counted(tried.samples, "sample")));
  return all;
}

std::string choices_section(const observe::run_record& run) {
  if (run.choices.empty()) return "";
  constexpr std::size_t shown = 10;
  std::string all = "Policies chosen by call site\n";
  for (std::size_t i = 0; i < std::min(shown, run.choices.size()); ++i) {
    const observe::choice_record& one = run.choices[i];
    const std::string size = one.size_bits < 2 ? "" : fmt::format(" of size 2^{}", one.size_bits - 1);
    all += wrapped(
        fmt::format("{}, {}{}: {} ({}{}) in {}, {}; exploring lost {}; an iteration took: {}",
                    without_arguments(one.name), one.kind, size, one.policy, one.stage,
                    one.reopened ? fmt::format(", started over {}", counted(one.reopened, "time")) : "",
                    counted(one.episodes, "run"), duration(one.total_ns), duration(one.lost_ns),
                    one.tried.empty() ? "not measured" : evidence_of(one)),
        2);
  }
  if (run.choices.size() > shown)
    all += fmt::format("  ... and {} more places\n", run.choices.size() - shown);
  return all;
}

std::string locks_section(const observe::run_record& run) {
  if (run.locks.empty()) return "";
  std::vector<std::vector<std::string>> rows = {
      {"lock() in", "waits", "queued", "time polling", "time queued"}};
  for (const observe::lock_record& lock : run.locks)
    rows.push_back({without_arguments(distinct_name(lock, run.locks)), count(lock.times), count(lock.in_line),
                    time(lock.spun_ns), time(lock.waited_ns)});
  return "Waits for skua::mutex\n" + table(rows);
}

/// The pairs with the most steals. The page shows all pairs.
std::string best_pairs(const observe::run_record& run) {
  constexpr std::size_t shown = 5;
  std::vector<observe::pair_record> pairs = run.pairs;
  std::ranges::sort(pairs, std::greater{}, [](const observe::pair_record& pair) {
    return std::tuple(pair.steals, ~pair.thief, ~pair.victim);
  });
  std::string all;
  for (std::size_t i = 0; i < std::min(shown, pairs.size()) && pairs[i].steals > 0; ++i)
    all += fmt::format("{}worker {} stole {} from worker {}", all.empty() ? "" : ", ", pairs[i].thief,
                       counted(pairs[i].steals, "task"), pairs[i].victim);
  return all;
}

/// With the declared bytes, if there are any.
std::string distances_table(const observe::run_record& run) {
  const std::vector<distance_row> distances = distances_of(run);
  if (distances.empty()) return "";
  const bool declared =
      std::ranges::any_of(distances, [](const auto& row) { return row.bytes.value_or(0) > 0; });
  std::vector<std::vector<std::string>> rows = {{"distance", "steals", "share"}};
  if (declared) rows[0].push_back("declared data");
  for (const distance_row& row : distances) {
    rows.push_back({row.name, count(row.steals), percent(row.share)});
    if (declared) rows.back().push_back(amount_of_bytes(static_cast<double>(*row.bytes)));
  }
  return table(rows);
}

std::string steals_section(const observe::run_record& run) {
  const counters counts = run.total_counts();
  const summary s = summarise(run);
  std::string all = "Steals\n";
  all += wrapped(fmt::format("{} in {}, {} missed, {} from another domain; {}, {}, {}, {}",
                             counted(counts.steals, "steal"), counted(counts.attempts, "attempt"),
                             percent(s.miss_share), percent(s.remote_share), counted(counts.forks, "fork"),
                             counted(counts.group_tasks, "group task"),
                             counted(counts.suspensions, "suspension"), counted(counts.sleeps, "sleep")),
                 2);
  all += distances_table(run);
  std::uint64_t looks = 0;
  for (const observe::pair_record& pair : run.pairs) looks += pair.looks;
  if (looks) all += fmt::format("  the policy looked at other workers {}\n", counted(looks, "time"));
  if (run.bytes_stolen)
    all += fmt::format("  stolen tasks declare {}\n", amount_of_bytes(static_cast<double>(run.bytes_stolen)));
  const std::string pairs = best_pairs(run);
  if (!pairs.empty()) all += wrapped("busiest pairs: " + pairs, 2);
  return all;
}

std::string distributions_section(const observe::run_record& run) {
  struct named {
    const char* name;
    const observe::distribution& of;
  };
  std::vector<std::vector<std::string>> rows = {{"", "count", "median", "90% below", "maximum"}};
  for (const auto& [name, of] :
       {named{"stolen task", run.task_size}, named{"steal", run.steal_duration},
        named{"search that found a task", run.steal_latency}, named{"every search", run.search_time}})
    if (of.number > 0)
      rows.push_back({name, count(of.number), duration(of.quantile(0.5)), duration(of.quantile(0.9)),
                      duration(static_cast<double>(of.max))});
  return rows.size() > 1 ? "Durations\n" + table(rows) : "";
}

std::string kernel_line(const observe::run_record& run) {
  observe::kernel_record all;
  bool known = false;
  for (const observe::worker_record& worker : run.workers) {
    if (!worker.kernel) continue;
    known = true;
    all.on_cpu_ns += worker.kernel->on_cpu_ns;
    all.waiting_ns += worker.kernel->waiting_ns;
    all.blocked_ns += worker.kernel->blocked_ns;
    all.preemptions += worker.kernel->preemptions;
  }
  if (!known) return "";
  std::string text = fmt::format(
      "threads of workers: {} on a CPU, {} waiting for one, {} blocked in tasks, {}", time(all.on_cpu_ns),
      time(all.waiting_ns), time(all.blocked_ns), counted(all.preemptions, "preemption"));
  if (run.other_cpu_seconds > 0)
    text += fmt::format("; other processes used {} of CPU time", duration(1e9 * run.other_cpu_seconds));
  return wrapped(text, 2);
}

std::uint64_t sum_of(const observe::hardware_record& event, bool only_user) {
  std::uint64_t all = 0;
  for (const observe::hardware_counts& worker : event.workers)
    all += only_user ? worker.of[static_cast<std::size_t>(activity::user)]
                     : std::accumulate(worker.of.begin(), worker.of.end(), std::uint64_t{0});
  return all;
}

std::string hardware_section(const observe::run_record& run) {
  std::string all = kernel_line(run);
  std::vector<std::vector<std::string>> rows = {{"event", "all", "in user time"}};
  for (const observe::hardware_record& event : run.hardware)
    rows.push_back({event.event, count(sum_of(event, false)), count(sum_of(event, true))});
  if (rows.size() > 1) all += table(rows);
  return all.empty() ? "" : "Kernel and hardware\n" + all;
}

std::string simulated_section(const observe::run_record& run) {
  if (!run.simulated) return "";
  const observe::simulated_record& simulated = *run.simulated;
  std::string all = fmt::format("Simulated machine, {} cycles\n", count(simulated.cycles));
  const std::string times = to_string(simulated.times);
  // These are one thread more than there are workers, so the share of sleep differs from "Time of all workers".
  if (!times.empty())
    all +=
        wrapped("threads of workers and of the caller (asleep while another runs its worker): " + times, 2);
  std::vector<std::vector<std::string>> caches = {{"cache", "hits", "misses", "prefetches", "evictions"}};
  for (const simulated_cache& c : simulated.caches)
    if (c.hits + c.demand_misses + c.prefetches > 0)
      caches.push_back({fmt::format("L{}", c.level), count(c.hits), count(c.demand_misses),
                        count(c.prefetches), count(c.evictions)});
  if (caches.size() > 1) all += table(caches);
  std::vector<std::vector<std::string>> nodes = {
      {"memory", "read", "of that remote", "written", "waiting cycles"}};
  for (std::size_t i = 0; i < simulated.nodes.size(); ++i) {
    const simulated_node& n = simulated.nodes[i];
    if (n.bytes_read + n.bytes_written == 0) continue;
    const auto bytes = [](std::uint64_t value) { return amount_of_bytes(static_cast<double>(value)); };
    nodes.push_back({count(i), bytes(n.bytes_read), bytes(n.bytes_read_remotely), bytes(n.bytes_written),
                     count(n.waiting_cycles)});
  }
  if (nodes.size() > 1) all += table(nodes);
  std::vector<std::vector<std::string>> moved = {{"lines between caches", "scheduler", "data"}};
  for (const simulated_transfers& t : simulated.transfers)
    if (t.words || t.data) moved.push_back({t.distance, count(t.words), count(t.data)});
  if (moved.size() > 1) all += table(moved);
  return all;
}

std::string notes_section(const observe::run_record& run) {
  if (run.notes.empty()) return "";
  std::string all = "Notes\n";
  for (const std::string& note : run.notes) all += wrapped(note, 4, "- ");
  return all;
}

// More lines than this are not read at a glance.
constexpr std::size_t few_workers = 16, few_tree_lines = 24;

std::string tree(const observe::run_record& run) {
  std::istringstream text(run.machine.tree);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(shortened(line, columns - 2));
  // A note that one line is missing would take as much room as the line.
  const std::size_t shown = lines.size() <= few_tree_lines + 1 ? lines.size() : few_tree_lines;
  std::string all;
  for (std::size_t i = 0; i < shown; ++i) all += "  " + lines[i] + "\n";
  if (shown < lines.size()) all += fmt::format("  ... and {} more lines\n", count(lines.size() - shown));
  return all;
}

}  // namespace

std::string to_text(const observe::run_record& run, const text_options& options) {
  std::string out = wrapped(run.program, 0) + wrapped(machine_line(run), 2);
  if (!run.when.empty()) out += fmt::format("  ended {} UTC\n", run.when);
  const bool each_worker = options.workers || run.workers.size() <= few_workers;
  for (const std::string& section :
       {tree(run), verdict_section(run), speed_section(run), times_section(run, each_worker),
        work_span_section(run), prediction_section(run), call_sites_section(run), choices_section(run),
        locks_section(run), steals_section(run), distributions_section(run), hardware_section(run),
        simulated_section(run), notes_section(run)})
    if (!section.empty()) out += "\n" + section;
  return out;
}

namespace {

using rows_of_text = std::vector<std::vector<std::string>>;
using format = std::string (*)(double);

std::string ratio(double one, double other) { return one > 0 ? fmt::format("{:.2f}", other / one) : "-"; }

/// A value of both runs, and the quotient of the second and the first.
void compare(rows_of_text& rows, std::string name, double one, double other, format as) {
  if (one == 0 && other == 0) return;
  rows.push_back({std::move(name), as(one), as(other), ratio(one, other)});
}

std::string whole(double value) { return count(static_cast<std::uint64_t>(value)); }

std::string how(const summary& of) { return of.speedup_measured ? "measured" : "estimated"; }

std::string inflation(double value) { return value > 0 ? decimal(value) : "not known"; }

void compare_speed(rows_of_text& rows, const summary& one, const summary& other) {
  compare(rows, "workers", static_cast<double>(one.workers), static_cast<double>(other.workers), whole);
  compare(rows, "time in the scheduler", 1e9 * one.seconds, 1e9 * other.seconds, duration);
  compare(rows, "time outside", 1e9 * one.outside_seconds, 1e9 * other.outside_seconds, duration);
  if (one.speedup_measured == other.speedup_measured) {
    compare(rows, "speedup, " + how(one), one.speedup, other.speedup, decimal);
    compare(rows, "efficiency", one.efficiency, other.efficiency, percent);
  } else {  // a ratio of an estimate and a measurement means nothing
    const auto speedup = [](const summary& of) { return decimal(of.speedup) + ", " + how(of); };
    rows.push_back({"speedup", speedup(one), speedup(other), "-"});
    rows.push_back({"efficiency", percent(one.efficiency), percent(other.efficiency), "-"});
  }
  const double a = one.work_inflation, b = other.work_inflation;
  if (a > 0 || b > 0)
    rows.push_back({"work inflation", inflation(a), inflation(b), b > 0 ? ratio(a, b) : "-"});
}

void compare_work_span(rows_of_text& rows, const observe::run_record& one, const observe::run_record& other) {
  if (!one.work_span || !other.work_span) return;
  const auto &a = *one.work_span, &b = *other.work_span;
  compare(rows, "work", static_cast<double>(a.work_ns), static_cast<double>(b.work_ns), duration);
  compare(rows, "span", static_cast<double>(a.span_ns), static_cast<double>(b.span_ns), duration);
  compare(rows, "parallelism", a.parallelism(), b.parallelism(), decimal);
  compare(rows, "burdened parallelism", a.burdened_parallelism(), b.burdened_parallelism(), decimal);
}

void compare_counts(rows_of_text& rows, const observe::run_record& one, const observe::run_record& other) {
  const counters a = one.total_counts(), b = other.total_counts();
  struct named {
    const char* name;
    std::uint64_t counters::* member;
  };
  for (const auto& [name, member] :
       {named{"forks", &counters::forks}, named{"group tasks", &counters::group_tasks},
        named{"attempts", &counters::attempts}, named{"steals", &counters::steals},
        named{"steals from other domains", &counters::remote_steals},
        named{"suspensions", &counters::suspensions}, named{"sleeps", &counters::sleeps}})
    compare(rows, name, static_cast<double>(a.*member), static_cast<double>(b.*member), whole);
  compare(rows, "bytes of stolen tasks", static_cast<double>(one.bytes_stolen),
          static_cast<double>(other.bytes_stolen), amount_of_bytes);
  compare(rows, "median of stolen tasks", one.task_size.quantile(0.5), other.task_size.quantile(0.5),
          duration);
  compare(rows, "median of steals", one.steal_duration.quantile(0.5), other.steal_duration.quantile(0.5),
          duration);
}

}  // namespace

std::string to_text(const observe::run_record& one, const observe::run_record& other, const text_options&) {
  std::string out;
  for (const auto& [letter, run] : {std::pair{"A  ", &one}, std::pair{"B  ", &other}})
    out += wrapped(run->program, 3, letter) + wrapped(machine_line(*run), 3) + "\n" + verdict_section(*run) +
           "\n";
  const summary a = summarise(one), b = summarise(other);
  rows_of_text rows = {{"", "A", "B", "B / A"}};
  compare_speed(rows, a, b);
  for (std::size_t i = 0; i < activity_count; ++i)
    compare(rows, fmt::format("share of time: {}", activity_names[i]), a.share[i], b.share[i], percent);
  compare_work_span(rows, one, other);
  compare_counts(rows, one, other);
  return out + table(rows);
}

}  // namespace skua::reports
