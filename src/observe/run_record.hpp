// The record of a run: the content of a report file (SKUA_REPORT, skua run --report), as a value.
//
//   run_record r = read_run_record(json text);       // throws bad_input for a text that is not a record
//   std::string text = to_json(r);                   // the same text
//
// The core writes it when a scheduler or the process ends. `skua report` reads it and needs nothing else. A record
// describes one scheduler. Times are in nanoseconds, of virtual time in a simulated run. Bytes are declared bytes
// (skua::reads, skua::writes). Unavailable values are empty, and `notes` gives the reason.
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
  std::string level = {};        // of a simulation: detail_level_names
  std::string domain_kind = {};  // what a domain is: "L3", "package", ...
  std::size_t packages = 0, domains = 0, cores = 0, pus = 0;
  std::string tree = {};                         // as `skua topo` draws it, lines
  std::vector<std::string> distance_names = {};  // index: level of placement::distance, the nearest first
};

/// The CPU of a worker, in the machine's own numbering.
struct seat_record {
  std::uint32_t cpu = 0, domain = 0, package = 0;
};

/// Times that the kernel reports for the threads that held a worker's place; on a real machine only.
struct kernel_record {
  std::uint64_t on_cpu_ns = 0;    // on a CPU
  std::uint64_t waiting_ns = 0;   // ready to run while other threads used the CPU
  std::uint64_t blocked_ns = 0;   // in the kernel in the middle of a task: files, locks, page faults
  std::uint64_t preemptions = 0;  // lost the CPU involuntarily
};

/// The steals of one thief from one victim.
struct pair_record {
  std::uint32_t thief = 0, victim = 0;
  std::uint64_t steals = 0, misses = 0, looks = 0, bytes = 0;
  std::optional<std::uint32_t> distance =
      std::nullopt;  // index of machine_record::distance_names; none of itself
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

/// One call site in the program that forks, loops or spawns, and its part of the span.
struct call_site_record {
  std::string name = {};      // "fib(long) [clone .x]", or "program+0x12ab" without a symbol
  std::string address = {};   // "program+0x12ab": the return address of the call
  std::string kind = {};      // "join", "loop", "group"; one "serial" entry for the rest
  std::uint64_t span_ns = 0;  // the part of the span in tasks of this site
  std::uint64_t work_ns = 0;  // the work of all tasks of this site
  std::uint64_t times = 0;    // how often it forked, if forks are recorded one by one
  std::uint64_t inside = 0;   // forks of any site inside parts of this one that were treated as serial

  bool is_serial() const { return kind == "serial"; }
};

/// Work and span of the fork-join structure, as Cilkscale defines them.
struct work_span_record {
  std::uint64_t work_ns = 0, span_ns = 0;
  std::uint64_t burdened_span_ns = 0;  // with `burden_ns` for a possible steal at each fork on the span
  std::uint64_t burden_ns = 0;
  std::uint64_t forks = 0, loops = 0, group_tasks = 0;
  bool exact = false;                        // every fork was timed; else small ones were treated as serial
  std::uint64_t grain_ns = 0;                // unless exact: smaller parts were not distinguished
  std::vector<call_site_record> sites = {};  // at most ten, those with the longest span first

  double parallelism() const noexcept {
    return span_ns ? static_cast<double>(work_ns) / static_cast<double>(span_ns) : 0;
  }
  double burdened_parallelism() const noexcept {
    return burdened_span_ns ? static_cast<double>(work_ns) / static_cast<double>(burdened_span_ns) : 0;
  }
};

/// Counts of one worker by activity (index: skua::activity).
struct hardware_counts {
  std::array<std::uint64_t, activity_count> of{};
};
/// One event of the hardware, or of the kernel, and its counts.
struct hardware_record {
  std::string event =
      {};  // "cycles", "instructions", "last-level misses", "remote node accesses"; or "page faults"
  std::vector<hardware_counts> workers = {};
};

/// Counts of the parts of a simulated machine.
struct simulated_record {
  std::uint64_t cycles = 0;
  simulated_times times = {};
  std::vector<simulated_cache> caches = {};
  std::vector<simulated_node> nodes = {};
  std::vector<simulated_transfers> transfers = {};
  double memory_bytes_a_cycle = 0;  // maximum of one node's memory; 0: unlimited or unknown
  bool pages_dealt_out = false;     // pages are assigned to all nodes in turn instead of at first touch
};

/// The same program on one worker, as `skua run --report` also measures it.
struct baseline_record {
  double seconds = 0;           // of one run
  double parallel_seconds = 0;  // of one run with all workers, measured in the same way, in between
};

/// A measured point of a speedup curve: the same program with another number of workers.
struct speedup_point {
  std::size_t workers = 0;
  double seconds = 0;
};

struct run_record {
  std::string program = {};  // the command line
  std::string when = {};     // end of the run, UTC: "2026-01-31 23:59:59"
  std::string policy = {};
  std::uint64_t seed = 0;
  machine_record machine = {};
  double seconds = 0;  // from the scheduler's beginning (or reset_report) to its end
  double inside_seconds =
      0;  // the part of `seconds` during calls into the scheduler; the rest is the program's time outside of skua
  double process_cpu_seconds = 0;  // of the whole process in `seconds`; real machines only
  double other_cpu_seconds = 0;    // of other processes on this machine in `seconds`, if known
  std::vector<worker_record> workers = {};
  std::vector<pair_record> pairs = {};  // pairs with at least one attempt
  std::uint64_t bytes_stolen = 0;       // declared by stolen tasks
  distribution steal_latency = {};      // ns from the beginning of a search to the task that ended it
  distribution steal_duration = {};     // ns of one successful attempt, until the task begins
  distribution search_time = {};        // ns of whole searches, successful or not
  distribution task_size = {};          // ns of stolen tasks that their thief ran without a pause
  timeline_record timeline = {};
  std::optional<work_span_record> work_span = {};
  std::vector<hardware_record> hardware = {};
  std::optional<simulated_record> simulated = {};
  std::optional<baseline_record> baseline = {};
  std::vector<speedup_point> curve = {};  // measured elsewhere (skua scale)
  std::vector<std::string> notes = {};    // what is calibrated, what is unavailable and why

  worker_times total_times() const;
  skua::counters total_counts() const;
};

/// Throws bad_input for a text that is not a report.
run_record read_run_record(std::string_view text, std::string_view name = "the report");
std::string to_json(const run_record& record);

}  // namespace skua::observe
