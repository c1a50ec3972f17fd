// The rules on threads that do not run: they sleep in the kernel, or have no CPU.
#include <fmt/core.h>

#include <algorithm>

#include "base/number_text.hpp"
#include "report/limits.hpp"
#include "report/thresholds.hpp"

namespace skua::reports {

using namespace base;

finding find_sleeping(const facts& f) {
  finding found{.what = limit::sleeping, .lost = f.shares.blocked};
  std::uint64_t blocked = 0;
  for (const observe::worker_record& worker : f.run.workers)
    if (worker.kernel) blocked += worker.kernel->blocked_ns;
  found.sentence = fmt::format(
      "Sleeping limits it: tasks were blocked in the kernel for {} of the time of {}, and computed for {}.",
      percent(found.lost), counted(f.sum.workers, "worker"), percent(f.shares.useful));
  found.evidence.push_back(fmt::format("{} in locks, files, sleeps or page faults within tasks",
                                       duration(static_cast<double>(blocked))));
  found.advice =
      "Run blocking calls outside of the workers (skua::blocking), use skua::mutex, or hold locks for a "
      "shorter time.";
  return found;
}

namespace {

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
      "The CPU quota limits it: the control group allows {} CPUs, so {} waited for {} of the time.",
      decimal(f.run.machine.cpu_quota), counted(f.sum.workers, "worker"), percent(found.lost));
  found.evidence.push_back(fmt::format("the process used {} of CPU time in {}",
                                       duration(f.run.process_cpu_seconds * 1e9),
                                       duration(f.run.seconds * 1e9)));
  found.advice = "Raise the quota of the container or service, or use fewer workers (SKUA_WORKERS).";
  return found;
}

}  // namespace

finding find_waiting_for_cpus(const facts& f) {
  if (quota_limits(f.run)) return find_cpu_quota(f);
  finding found{.what = limit::other_programs, .lost = f.shares.waiting_for_cpu};
  const std::size_t cpus = cpus_of(f.run.machine);
  if (cpus > 0 && f.sum.workers > cpus) {
    found.sentence = fmt::format(
        "{} share {}: workers waited for a CPU for {} of the time, so no other value here is reliable.",
        counted(f.sum.workers, "worker"), counted(cpus, "CPU"), percent(found.lost));
    found.advice = "Use as many workers as there are CPUs.";
  } else {
    found.sentence = fmt::format(
        "Other programs limit it: workers waited for {} of the time for CPUs that other programs used, so no "
        "other value here is reliable.",
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

}  // namespace skua::reports
