// A rule for each limit finds the share of all workers' time that it cost, and the evidence. The verdict is the rule with the
// largest share.
#include "report/verdict.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/list_text.hpp"
#include "base/number_text.hpp"
#include "observe/run_record.hpp"
#include "report/account.hpp"
#include "report/lines.hpp"
#include "report/lost_time.hpp"
#include "report/summary.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

using namespace base;

namespace {

/// The input of all rules.
struct facts {
  const observe::run_record& run;
  summary sum;
  account shares;
};

struct finding {
  limit what = limit::nothing;
  double lost = 0;            // share of all workers' time
  std::string sentence = {};  // empty if nothing is lost
  std::string advice = {};    // what may help, or empty
  std::vector<std::string> evidence = {};
};

finding find_nothing(const facts& f) {
  finding found;
  found.sentence = fmt::format("Nothing limits the run: {} of the time of {} was useful work.",
                               percent(f.shares.useful), counted(f.sum.workers, "worker"));
  found.evidence.push_back(fmt::format("total loss: {}", percent(f.shares.lost())));
  if (f.sum.speedup_measured)
    found.evidence.push_back(fmt::format("speedup {} over one worker, measured", decimal(f.sum.speedup)));
  if (f.run.work_span) {
    const double parallelism = f.run.work_span->burdened_parallelism();
    const bool would_help =
        parallelism >= thresholds::parallelism_for_more_workers * static_cast<double>(f.sum.workers);
    found.evidence.push_back(
        fmt::format("parallelism {}{}", decimal(parallelism), would_help ? ": more workers would help" : ""));
  }
  if (!f.sum.speedup_measured && f.sum.workers > 1 && !f.run.simulated)
    found.evidence.push_back(
        "not compared with a run on one worker, so slower work by shared lines, locks or memories would "
        "not show: --baseline");
  return found;
}

finding find_parallelism(const facts& f) {
  finding found{.what = limit::parallelism, .lost = f.shares.few_parts};
  const std::string workers = counted(f.sum.workers, "worker");
  if (!f.run.work_span || f.run.work_span->span_ns == 0) {
    found.sentence =
        fmt::format("Too little parallelism limits the run: {} had nothing to do for {} of the time.",
                    workers, percent(found.lost));
    found.advice = "Fork more of the program's work, or use fewer workers.";
    return found;
  }
  const observe::work_span_record& work_span = *f.run.work_span;
  found.sentence = fmt::format(
      "Too little parallelism limits the run: its work is only {} times its span (the longest chain of "
      "dependent parts), and {} had nothing to do for {} of the time.",
      decimal(work_span.parallelism()), workers, percent(found.lost));
  found.evidence.push_back(
      fmt::format("work {} over span {}: parallelism {}", duration(static_cast<double>(work_span.work_ns)),
                  duration(static_cast<double>(work_span.span_ns)), decimal(work_span.parallelism())));
  found.advice = "Shorten the span (see the call sites below), or use fewer workers.";
  if (!work_span.sites.empty() && work_span.sites.front().span_ns > 0) {
    const observe::call_site_record& site = work_span.sites.front();
    found.evidence.push_back(
        fmt::format("{} of the span is in {}",
                    percent(static_cast<double>(site.span_ns) / static_cast<double>(work_span.span_ns)),
                    distinct_name(site, work_span.sites)));
    if (site.is_serial())
      found.advice = "Fork the work that the program does between its parallel parts, or use fewer workers.";
  }
  return found;
}

/// Also limit::parallelism.
finding find_outside(const facts& f) {
  finding found{.what = limit::parallelism, .lost = f.shares.outside};
  const double all_seconds = f.sum.seconds + f.sum.outside_seconds;
  found.sentence = fmt::format(
      "Too little parallelism limits the run: the program spent {} of its {} outside of skua, where only "
      "one thread computes.",
      percent(f.sum.outside_seconds / all_seconds), duration(1e9 * all_seconds));
  found.evidence.push_back(fmt::format("{} in the scheduler, {} outside", duration(1e9 * f.sum.seconds),
                                       duration(1e9 * f.sum.outside_seconds)));
  found.advice = "Move more of the program into tasks, or measure only the part that matters (reset_report).";
  return found;
}

void add_steals(const observe::run_record& run, finding& found) {
  if (run.task_size.number == 0) return;
  std::string line =
      fmt::format("{} were stolen; half of them were shorter than {}", counted(run.task_size.number, "task"),
                  duration(run.task_size.quantile(0.5)));
  if (run.steal_duration.number > 0)
    line += fmt::format(", and a steal takes {}", duration(run.steal_duration.mean()));
  found.evidence.push_back(line);
}

void add_burden(const observe::run_record& run, finding& found) {
  if (!run.work_span || run.work_span->span_ns == 0) return;
  const std::string parallelism = decimal(run.work_span->parallelism()),
                    burdened = decimal(run.work_span->burdened_parallelism());
  if (parallelism == burdened) return found.evidence.push_back("parallelism " + parallelism);
  found.evidence.push_back(fmt::format("parallelism {}, but {} if every fork on the span is stolen ({} each)",
                                       parallelism, burdened,
                                       duration(static_cast<double>(run.work_span->burden_ns))));
}

finding find_task_size(const facts& f) {
  finding found{.what = limit::task_size, .lost = f.shares.library + f.shares.small_parts};
  const counters counts = f.run.total_counts();
  const std::uint64_t forks = counts.forks + counts.group_tasks;
  const auto user_ns = static_cast<double>(f.run.total_times().of(activity::user));
  const small_loops loops = find_small_loops(f.run);
  if (loops.number > 0) {
    found.sentence = fmt::format(
        "Too small loops limit the run: {} did {} of work each, too little to share with other workers; "
        "that costs {} of the time.",
        counted(loops.number, "loop"), duration(loops.work_ns), percent(found.lost));
    add_steals(f.run, found);
    found.advice = "Do more in one loop: join small loops into one, or run them without skua.";
    return found;
  }
  const std::string size =
      forks > 0 ? fmt::format("; the work per fork is {} ({})",
                              duration(user_ns / static_cast<double>(forks)), counted(forks, "fork"))
                : "";
  if (made_as_slowly_as_run(f.run))
    found.sentence = fmt::format(
        "Too small tasks limit the run: making a task takes about as long as running it, which costs {} "
        "of the time{}.",
        percent(found.lost), size);
  else if (f.shares.library >= f.shares.small_parts)
    found.sentence =
        fmt::format("Too small tasks limit the run: forking, claiming and taking them cost {} of the time{}.",
                    percent(f.shares.library), size);
  else
    found.sentence = fmt::format(
        "Too small tasks limit the run: workers had nothing to do for {} of the time, because a steal "
        "takes longer than the stolen task{}.",
        percent(f.shares.small_parts), size);
  add_steals(f.run, found);
  add_burden(f.run, found);
  found.advice =
      "Do more in one task: use a cut-off below which the work is sequential, or a larger grain of a loop.";
  return found;
}

/// The compiler may have turned one call into several, so the calls in one function are one line if their source lines are not known.
std::vector<observe::lock_record> locks_by_place(const std::vector<observe::lock_record>& locks) {
  std::vector<observe::lock_record> all;
  for (const observe::lock_record& one : locks) {
    const auto same = std::ranges::find_if(all, [&one](const observe::lock_record& other) {
      return other.name == one.name && other.line == one.line;
    });
    if (same == all.end()) {
      all.push_back(one);
      continue;
    }
    same->times += one.times;
    same->spun_ns += one.spun_ns;
    same->waited_ns += one.waited_ns;
  }
  return all;
}

finding find_locks(const facts& f) {
  finding found{.what = limit::locks, .lost = f.shares.locks};
  if (f.run.locks.empty()) return found;
  found.sentence = fmt::format(
      "Lock contention limits the run: waits for skua::mutex, and its moves between cores, cost {} of the "
      "time of {}.",
      percent(found.lost), counted(f.sum.workers, "worker"));
  constexpr std::size_t shown = 3;
  const std::vector<observe::lock_record> locks = locks_by_place(f.run.locks);
  for (const observe::lock_record& one : locks) {
    if (found.evidence.size() == shown) break;
    found.evidence.push_back(fmt::format(
        "{} of lock() in {} waited {} each", counted(one.times, "call"), distinct_name(one, locks),
        duration(static_cast<double>(one.spun_ns + one.waited_ns) / static_cast<double>(one.times))));
  }
  found.advice =
      "Hold the mutex for a shorter time, use several mutexes for parts of the data, or skua::per_worker.";
  return found;
}

/// Whether the other workers have enough to do while a task of this length runs.
std::string advice_on_long_task(const observe::run_record& run, double longest_ns) {
  const auto workers = static_cast<double>(run.workers.size());
  if (!run.work_span || run.work_span->work_ns == 0) return "Split the longest tasks, or start them first.";
  const double share_ns = static_cast<double>(run.work_span->work_ns) / workers;
  return std::max(longest_ns, static_cast<double>(run.work_span->span_ns)) <= share_ns
             ? "Start the longest task first: the other workers have enough work until it ends."
             : "Split the longest task: it takes longer than each worker's share of the work.";
}

finding find_imbalance(const facts& f) {
  finding found{.what = limit::imbalance, .lost = f.shares.long_tasks};
  const double longest = one_long_task_ns(f.run);
  const few_busy_time few = find_few_busy_time(f.run);
  const double inside_ns = f.sum.seconds * 1e9;
  if (longest > 0 && inside_ns > 0) {
    // The length of a task is known if it was stolen. Of any other one the timeline shows how long it ran alone.
    const bool known = longest == static_cast<double>(f.run.task_size.max);
    found.sentence = fmt::format(
        "Load imbalance limits the run: one task {} {}, {} of the whole time, while other workers had "
        "nothing to do for {} of it.",
        known ? "took" : "ran alone for", duration(longest), percent(longest / inside_ns),
        percent(found.lost));
    found.advice = advice_on_long_task(f.run, longest);
  } else {
    found.sentence = fmt::format(
        "Load imbalance limits the run: workers found no task for {} of the time although there was work "
        "for all of them.",
        percent(found.lost));
    found.advice = "Fork the long parts first; check that the policy lets every worker steal (skua explain).";
  }
  if (few.ns > 0 && inside_ns > 0)
    found.evidence.push_back(fmt::format("for {} of the time only {} of {} workers computed",
                                         percent(few.ns / inside_ns), decimal(few.workers), f.sum.workers));
  if (f.run.task_size.number > 0)
    found.evidence.push_back(fmt::format("stolen tasks took {} on average, the longest {}",
                                         duration(f.run.task_size.mean()),
                                         duration(static_cast<double>(f.run.task_size.max))));
  if (f.run.work_span)
    found.evidence.push_back(fmt::format("parallelism {} for {}", decimal(f.run.work_span->parallelism()),
                                         counted(f.sum.workers, "worker")));
  return found;
}

// ---- data: tasks far from their data, saturated memories, and work that became slower

bool tasks_left_their_data(const facts& f) {
  if (f.sum.remote_share < thresholds::many_remote) return false;
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  return data.one_memory < thresholds::one_memory && !data.interleaved;
}

/// The policies that steal nearby or where data are, without the one in use (its options do not matter).
std::string other_policies(std::string_view used) {
  used = base::name_before_parenthesis(used);
  std::vector<std::string_view> others;
  for (const std::string_view name : {"nearest", "bitier", "affinity"})
    if (name != used) others.push_back(name);
  const std::string_view last = others.back();
  others.pop_back();
  return fmt::format("{} or {}", fmt::join(others, ", "), last);
}

finding find_remote_steals(const facts& f) {
  finding found{.what = limit::remote_steals};
  if (!tasks_left_their_data(f)) return found;
  found.lost = f.shares.remote_data;
  const counters counts = f.run.total_counts();
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  found.sentence = fmt::format(
      "Remote steals limit the run: {} of {} steals came from another {}, and tasks then spent {} of the "
      "time waiting for remote data.",
      percent(f.sum.remote_share), count(counts.steals),
      f.run.machine.domain_kind.empty() ? "domain" : f.run.machine.domain_kind, percent(found.lost));
  if (f.run.simulated)
    found.evidence.push_back(
        fmt::format("{} of the lines that were read came from another package", percent(data.remote_reads)));
  if (f.run.bytes_stolen)
    found.evidence.push_back(
        fmt::format("stolen tasks declare {}", amount_of_bytes(static_cast<double>(f.run.bytes_stolen))));
  if (f.sum.work_inflation > 0)
    found.evidence.push_back(
        fmt::format("the same work took {} times as long as on one worker", decimal(f.sum.work_inflation)));
  found.advice = fmt::format(
      "Steal from near workers first, or keep tasks with their data: use policy {} instead of {}, or hints.",
      other_policies(f.run.policy), f.run.policy.empty() ? "this one" : f.run.policy);
  return found;
}

finding find_memory_bandwidth(const facts& f) {
  finding found{.what = limit::memory_bandwidth, .lost = f.shares.memory};
  const data_time data = split_data_time(f.run, f.sum.work_inflation);
  const bool in_one = data.one_memory >= thresholds::one_memory;
  // Remote data that steals did not cause belong to this limit.
  if (find_remote_steals(f).lost == 0) found.lost += f.shares.remote_data;
  if (f.sum.work_inflation > 0)
    found.sentence = fmt::format(
        "Memory bandwidth limits the run: the same work took {} times as long as on one worker; that is "
        "{} of the time.",
        decimal(f.sum.work_inflation), percent(found.lost));
  else if (data.interleaved)
    found.sentence = fmt::format(
        "Memory bandwidth limits the run: {} of the time was spent waiting for memories. Most of them are "
        "remote, because pages are interleaved over all memories.",
        percent(found.lost));
  else
    found.sentence = fmt::format(
        "Memory bandwidth limits the run: {} of the time was spent waiting for saturated memories and links.",
        percent(found.lost));
  if (data.fullest > 0)
    found.evidence.push_back(fmt::format("the busiest memory delivered {} of its bandwidth",
                                         percent(std::min(1.0, data.fullest))));
  if (in_one)
    found.evidence.push_back(
        fmt::format("one memory of several served {} of all bytes", percent(data.one_memory)));
  if (data.remote_reads > 0)
    found.evidence.push_back(
        fmt::format("{} of the lines that were read were remote", percent(data.remote_reads)));
  if (in_one)
    found.advice =
        "Let the workers that use data touch them first, or interleave their pages over all memories.";
  else if (data.interleaved)
    found.advice =
        "Place pages in the memory of the thread that touches them first, and steal from near workers; or "
        "use fewer bytes for each operation.";
  else
    found.advice = "Use fewer bytes for each operation: smaller blocks that stay in caches, or fused loops.";
  return found;
}

finding find_slower_work(const facts& f) {
  finding found{.what = limit::slower_work, .lost = f.shares.slower};
  if (found.lost <= 0) return found;
  found.sentence = fmt::format(
      "Work that became slower limits the run: the same work took {} times as long as on one worker; that "
      "is {} of the time.",
      decimal(f.sum.work_inflation), percent(found.lost));
  found.evidence.push_back(
      "neither counters nor declared bytes show the cause: memories, lines that several workers write, "
      "locks, or a lower clock rate");
  found.advice =
      "Look for variables, counters and locks that several workers write. Declare what tasks read and "
      "write (skua::reads, skua::writes) to see whether memories limit the run.";
  return found;
}

// ---- threads that do not run: they sleep in the kernel, or have no CPU

finding find_sleeping(const facts& f) {
  finding found{.what = limit::sleeping, .lost = f.shares.blocked};
  std::uint64_t blocked = 0;
  for (const observe::worker_record& worker : f.run.workers)
    if (worker.kernel) blocked += worker.kernel->blocked_ns;
  found.sentence = fmt::format(
      "Sleeping limits the run: tasks were blocked in the kernel for {} of the time of {}, and computed "
      "for {}.",
      percent(found.lost), counted(f.sum.workers, "worker"), percent(f.shares.useful));
  found.evidence.push_back(fmt::format("{} in locks, files, sleeps or page faults within tasks",
                                       duration(static_cast<double>(blocked))));
  found.advice =
      "Run blocking calls outside of the workers (skua::blocking), use skua::mutex, or hold locks for a "
      "shorter time.";
  return found;
}

/// The number of CPUs that the workers can share; 0 if it is not known. A topology that was given may have other CPUs than the
/// machine.
std::size_t cpus_of(const observe::machine_record& machine) {
  if (machine.usable_cpus == 0 || machine.pus == 0) return std::max(machine.usable_cpus, machine.pus);
  return std::min(machine.usable_cpus, machine.pus);
}

/// The quota is less than the workers could use, and the process used it up.
bool quota_limits(const observe::run_record& run) {
  const double quota = run.machine.cpu_quota;
  return quota > 0 && quota < static_cast<double>(std::min(run.workers.size(), cpus_of(run.machine))) &&
         run.process_cpu_seconds >= thresholds::used_quota * quota * run.seconds;
}

finding find_cpu_quota(const facts& f) {
  finding found{.what = limit::cpu_quota, .lost = f.shares.waiting_for_cpu};
  found.sentence = fmt::format(
      "The CPU quota limits the run: the control group allows {} CPUs, so {} waited for {} of the time.",
      decimal(f.run.machine.cpu_quota), counted(f.sum.workers, "worker"), percent(found.lost));
  found.evidence.push_back(fmt::format("the process used {} of CPU time in {}",
                                       duration(f.run.process_cpu_seconds * 1e9),
                                       duration(f.run.seconds * 1e9)));
  found.advice = "Raise the quota of the container or service, or use fewer workers (SKUA_WORKERS).";
  return found;
}

/// Whether threads of the program that are not workers used the CPUs more than other programs did.
bool own_threads_have_cpus(const observe::run_record& run) {
  double workers_seconds = 0;
  for (const observe::worker_record& worker : run.workers) {
    if (!worker.kernel) return false;
    workers_seconds += static_cast<double>(worker.kernel->on_cpu_ns) * 1e-9;
  }
  return run.process_cpu_seconds - workers_seconds > std::max(run.other_cpu_seconds, 0.1 * run.seconds);
}

/// limit::cpu_quota, few_cpus or other_programs.
finding find_waiting_for_cpus(const facts& f) {
  if (quota_limits(f.run)) return find_cpu_quota(f);
  finding found{.what = limit::other_programs, .lost = f.shares.waiting_for_cpu};
  const std::size_t cpus = cpus_of(f.run.machine);
  if (cpus > 0 && f.sum.workers > cpus) {
    found.what = limit::few_cpus;
    found.sentence = fmt::format(
        "{} share {}: workers waited for a CPU for {} of the time, so no other value here is reliable.",
        counted(f.sum.workers, "worker"), counted(cpus, "CPU"), percent(found.lost));
    found.advice = "Use as many workers as there are CPUs.";
  } else if (own_threads_have_cpus(f.run)) {
    found.sentence = fmt::format(
        "Other threads of the program limit the run: workers waited for {} of the time for CPUs that "
        "these used.",
        percent(found.lost));
    found.advice = "Let the program's own threads work in tasks, or use fewer workers.";
  } else {
    found.sentence = fmt::format(
        "Other programs limit the run: workers waited for {} of the time for CPUs that other programs "
        "used, so no other value here is reliable.",
        percent(found.lost));
    found.advice = "Measure again when the machine is idle.";
  }
  std::uint64_t preemptions = 0;
  for (const observe::worker_record& worker : f.run.workers)
    if (worker.kernel) preemptions += worker.kernel->preemptions;
  if (preemptions)
    found.evidence.push_back(fmt::format("threads lost their CPU {}", counted(preemptions, "time")));
  if (f.run.other_cpu_seconds > 0)
    found.evidence.push_back(fmt::format("other processes used {} of CPU time in {}",
                                         duration(f.run.other_cpu_seconds * 1e9),
                                         duration(f.run.seconds * 1e9)));
  return found;
}

constexpr finding (*rules[])(const facts&) = {find_parallelism,   find_outside,          find_task_size,
                                              find_remote_steals, find_memory_bandwidth, find_slower_work,
                                              find_locks,         find_imbalance,        find_sleeping};

finding largest_loss_of_program(const facts& f) {
  finding largest = rules[0](f);
  for (const auto rule : rules) {
    finding found = rule(f);
    if (found.lost > largest.lost) largest = std::move(found);
  }
  return largest;
}

finding decide(const facts& f) {
  const double lost = f.shares.lost();
  finding others = find_waiting_for_cpus(f);
  finding own = largest_loss_of_program(f);
  const bool is_first = others.what != limit::other_programs || !own_threads_have_cpus(f.run);
  if (is_first && others.lost >= thresholds::others_share &&
      others.lost >= thresholds::others_part_of_loss * lost) {
    if (others.what != limit::few_cpus && own.lost >= thresholds::negligible_loss)
      others.evidence.push_back("apart from that, as far as the report shows: " + own.sentence);
    return others;
  }
  if (lost < thresholds::negligible_loss) return find_nothing(f);
  return own.lost > others.lost ? own : others;
}

}  // namespace

verdict judge(const observe::run_record& run) {
  finding found = decide({run, summarise(run), account_of(run)});
  if (!run.machine.simulated && run.seconds < thresholds::too_short_s)
    found.evidence.insert(found.evidence.begin(),
                          fmt::format("the run took only {}, mostly for waking threads and first uses of "
                                      "memory: a longer run shows more",
                                      duration(run.seconds * 1e9)));
  return {found.what, std::move(found.sentence), std::move(found.advice), std::move(found.evidence)};
}

}  // namespace skua::reports
