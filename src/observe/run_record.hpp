// The record of a run: the content of a report file (SKUA_REPORT, skua run --report), as a value.
//
//   run_record r = read_run_record(json text);       // throws bad_input if it is not a record
//   std::string text = to_json(r);                   // back to text
//
// The core writes it when a scheduler or the process ends; `skua report` reads it and needs nothing else. A record describes
// one scheduler. Times are in nanoseconds, of the simulated machine in a simulated run; bytes are declared ones
// (skua::reads, skua::writes). A value that could not be measured is empty, and `notes` says why.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skua/report.hpp>
#include <skua/simulation.hpp>

#include "observe/distribution.hpp"

namespace skua::observe {

inline constexpr std::string_view run_record_format = "skua report 1";

struct machine_record {
  std::string source = {};  // "this machine", "epyc-9654-2s", a file
  bool simulated = false;
  std::string level = {};        // of a simulation; see detail_level_names
  std::string domain_kind = {};  // "L3", "package", ...
  std::size_t packages = 0, domains = 0, cores = 0, pus = 0;
  // Of a real machine; 0: not known, or no quota. The topology may have been given (SKUA_TOPOLOGY) and have more CPUs.
  std::size_t usable_cpus = 0;                   // CPUs that this process may use
  double cpu_quota = 0;                          // CPUs that the control group allows
  std::string tree = {};                         // the lines of `skua topo`
  std::vector<std::string> distance_names = {};  // index: level of placement::distance, the nearest first
};

/// The seat of a worker, in the machine's own numbering.
struct seat_record {
  std::uint32_t cpu = 0, domain = 0, package = 0;
};

/// The kernel's times of the threads that held a worker; real machines only.
struct kernel_record {
  std::uint64_t on_cpu_ns = 0;    // on a CPU
  std::uint64_t waiting_ns = 0;   // ready, but without a CPU
  std::uint64_t blocked_ns = 0;   // in the kernel in the middle of a task: files, locks, page faults
  std::uint64_t preemptions = 0;  // involuntary losses of the CPU
};

/// One thief and one victim.
struct pair_record {
  std::uint32_t thief = 0, victim = 0;
  std::uint64_t steals = 0, misses = 0, looks = 0, bytes = 0;
  std::optional<std::uint32_t> distance = std::nullopt;  // index in machine_record::distance_names
};

struct worker_record {
  seat_record seat = {};
  worker_times times = {};
  skua::counters counts = {};
  std::optional<kernel_record> kernel = std::nullopt;
};

/// Activities over time: `workers[w][i].ns[activity]` nanoseconds of worker w in the i-th interval.
struct timeline_record {
  std::uint64_t interval_ns = 0;
  std::vector<std::vector<worker_times>> workers = {};
};

/// A call site: a call in the program that forks, loops or spawns, and its part of the span.
struct call_site_record {
  std::string name = {};      // "fib(long) [clone .x]", or "program+0x12ab" if there is no symbol
  std::string address = {};   // return address: "program+0x12ab"
  std::string file = {};      // of the address, with its folders
  std::string line = {};      // "program.cpp:12"; `skua report` finds it, a record does not contain it
  std::string kind = {};      // "join", "loop", "group"; "serial" once, for what no call site holds
  std::uint64_t span_ns = 0;  // the part of the span that is spent in tasks of this call site
  std::uint64_t work_ns = 0;  // of all tasks of this call site
  std::uint64_t times = 0;    // number of forks that were recorded individually
  std::uint64_t inside =
      0;  // number of forks, here or elsewhere, within its parts that were treated as serial
  // Of a loop: those of its calls that lie in no fork and no task, and their positions. If `calls` equals `times`, each call is
  // counted, and the numbers belong to the program's input: they depend on no thief and no clock. Very short calls of external
  // threads are not all counted, and of calls in forks it depends on thieves which ones are in `times`.
  std::uint64_t calls = 0, positions = 0, min_positions = 0, max_positions = 0;

  bool is_serial() const { return kind == "serial"; }
};

/// A call of skua::mutex::lock() in which tasks waited. Times are of all calls together.
struct lock_record {
  std::string name = {};  // these four as call_site_record
  std::string address = {}, file = {}, line = {};
  std::uint64_t times = 0;      // calls that did not get the mutex at once
  std::uint64_t in_line = 0;    // of these, calls that left their worker
  std::uint64_t spun_ns = 0;    // looking at the mutex; the worker's time counts it as user
  std::uint64_t waited_ns = 0;  // in line; meanwhile the worker ran other tasks, or had none
};

/// A policy that was tried at a place; see choice_record.
struct tried_policy_record {
  std::string policy = {};
  std::uint64_t samples = 0;     // of the last comparison; short episodes are measured together
  double ns = 0, deviation = 0;  // of an iteration in these samples
  bool given_up = false;         // it was much slower
};
/// What a policy such as auto has chosen for one place and size, and why. An episode is a call, a region or a loop there.
struct choice_record {
  std::string name = {};  // these three as call_site_record
  std::string address = {}, file = {};
  std::string kind = {};        // "call", "region", "loop"
  std::uint64_t size_bits = 0;  // of the number of positions or bytes
  std::string policy = {};      // the best one so far
  std::string stage = {};       // "warm-up", "exploring", "decided"
  std::uint64_t episodes = 0;
  double total_ns = 0, lost_ns = 0;  // of the episodes; by policies that were slower than the best one
  std::uint64_t reopened = 0;        // how often a change of its time has started the comparison anew
  std::vector<tried_policy_record> tried = {};
};

/// Work and span of the run, as Cilkscale defines them.
struct work_span_record {
  std::uint64_t work_ns = 0, span_ns = 0;
  std::uint64_t burdened_span_ns = 0;  // the span if every fork on it costs a steal, `burden_ns` each
  std::uint64_t burden_ns = 0;
  std::uint64_t forks = 0, loops = 0, group_tasks = 0;
  bool exact = false;          // every fork was timed; otherwise small ones were treated as serial
  std::uint64_t grain_ns = 0;  // parts shorter than this were treated as serial, unless exact
  std::vector<call_site_record> sites = {};  // at most ten, those with the most span first

  double parallelism() const noexcept {
    return span_ns ? static_cast<double>(work_ns) / static_cast<double>(span_ns) : 0;
  }
  double burdened_parallelism() const noexcept {
    return burdened_span_ns ? static_cast<double>(work_ns) / static_cast<double>(burdened_span_ns) : 0;
  }
};

/// The counts of one worker by activity.
struct hardware_counts {
  std::array<std::uint64_t, activity_count> of{};
};
/// One event of the hardware or of the kernel.
struct hardware_record {
  std::string event =
      {};  // "cycles", "instructions", "last-level misses", "remote node accesses"; or "page faults"
  std::vector<hardware_counts> workers = {};
};

/// The counters of a simulated machine.
struct simulated_record {
  std::uint64_t cycles = 0;
  simulated_times times = {};
  std::vector<simulated_cache> caches = {};
  std::vector<simulated_node> nodes = {};
  std::vector<simulated_transfers> transfers = {};
  double memory_bytes_a_cycle = 0;  // bandwidth of one memory node; 0: not limited, or not known
  bool pages_dealt_out = false;     // interleaved over all nodes, whichever thread touches them first
};

/// The same program on one worker, which `skua run --report` measures as well.
struct baseline_record {
  double seconds = 0;           // of one run
  double parallel_seconds = 0;  // of one run with all workers, measured alternately in the same way
};

/// A measured point of a curve: the same program with another number of workers.
struct speedup_point {
  std::size_t workers = 0;
  double seconds = 0;
};

struct run_record {
  std::string program = {};  // the command line
  std::string when = {};     // its end, UTC: "2026-01-31 23:59:59"
  std::string policy = {};
  std::uint64_t seed = 0;
  machine_record machine = {};
  double seconds = 0;  // from the scheduler's beginning (or reset_report) to its end
  double inside_seconds =
      0;  // the part with a call in the scheduler; the rest is the program's time outside of skua
  double process_cpu_seconds = 0;  // of the whole process in `seconds`; real machines only
  double other_cpu_seconds = 0;    // of other processes on this machine in `seconds`, if known
  std::vector<worker_record> workers = {};
  std::vector<pair_record> pairs = {};  // pairs with any look or steal
  std::uint64_t bytes_stolen = 0;       // declared by stolen tasks
  std::uint64_t bytes_declared = 0;     // by all tasks
  distribution steal_latency = {};      // ns from the beginning of a search to the task that ended it
  distribution steal_duration = {};  // ns of one successful steal: from the attempt to the start of the task
  distribution search_time = {};     // ns of all searches, successful or not
  distribution task_size = {};       // ns for which a thief ran a stolen task without interruption
  timeline_record timeline = {};
  std::vector<lock_record> locks = {};      // the longest waits first
  std::vector<choice_record> choices = {};  // the places that took most time first
  std::optional<work_span_record> work_span = {};
  std::vector<hardware_record> hardware = {};
  bool counters_took_turns = false;  // the processor has too few, so not all events were counted all the time
  std::optional<simulated_record> simulated = {};
  std::optional<baseline_record> baseline = {};
  std::vector<speedup_point> curve = {};  // measured elsewhere (skua scale)
  std::vector<std::string> notes = {};    // what is calibrated, and what could not be measured and why

  worker_times total_times() const;
  skua::counters total_counts() const;
};

/// Throws bad_input if the text is not a report.
run_record read_run_record(std::string_view text, std::string_view name = "the report");
std::string to_json(const run_record& record);

}  // namespace skua::observe
