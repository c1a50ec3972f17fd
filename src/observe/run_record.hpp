// What a run left behind: the content of a report file (SKUA_REPORT, skua run --report), as a value.
//
//   run_record r = read_run_record(json text);       // throws bad_input for what is none
//   std::string text = to_json(r);                   // the same again
//
// Written by the core when a scheduler or the process ends; read by `skua report`, which needs nothing else. A record is of
// one scheduler. Times are in nanoseconds, of the simulated machine in a simulated run; bytes are declared ones
// (skua::reads, skua::writes). What could not be had is empty, and `notes` says why.
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

/// Where a worker sits. Index in the machine's own numbering.
struct seat_record {
  std::uint32_t cpu = 0, domain = 0, package = 0;
};

/// What the kernel says of the threads that sat at a worker's place; of a real machine only.
struct kernel_record {
  std::uint64_t on_cpu_ns = 0;    // got a CPU
  std::uint64_t waiting_ns = 0;   // wanted one, which somebody else had
  std::uint64_t blocked_ns = 0;   // in the kernel in the middle of a task: files, locks, page faults
  std::uint64_t preemptions = 0;  // lost the CPU involuntarily
};

/// Of one thief and one victim.
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

/// Where time went over time: `workers[w][i].ns[doing]` nanoseconds of worker w in the i-th interval.
struct timeline_record {
  std::uint64_t interval_ns = 0;
  std::vector<std::vector<worker_times>> workers = {};
};

/// One place in the program that forks, loops or spawns, and its part of the span.
struct call_site_record {
  std::string name = {};      // "fib(long) [clone .x]", or "program+0x12ab" where there is no symbol
  std::string address = {};   // "program+0x12ab": where the call returns to
  std::string kind = {};      // "join", "loop", "group"; "serial" of what no site holds, once
  std::uint64_t span_ns = 0;  // of the span's own length, spent in tasks of this site
  std::uint64_t work_ns = 0;  // of all tasks of this site
  std::uint64_t times = 0;    // how often it forked, where that is told one by one
  std::uint64_t inside = 0;   // what was forked, here or elsewhere, in parts of it that were taken as serial

  bool is_serial() const { return kind == "serial"; }
};

/// From the fork-join structure, as Cilkscale defines them.
struct work_span_record {
  std::uint64_t work_ns = 0, span_ns = 0;
  std::uint64_t burdened_span_ns = 0;  // every fork on the span could cost a steal: `burden_ns` each
  std::uint64_t burden_ns = 0;
  std::uint64_t forks = 0, loops = 0, group_tasks = 0;
  bool exact = false;                        // every fork was timed; else small ones were taken as serial
  std::uint64_t grain_ns = 0;                // parts smaller than this were not told apart, unless exact
  std::vector<call_site_record> sites = {};  // those with the most span first, ten at most

  double parallelism() const noexcept {
    return span_ns ? static_cast<double>(work_ns) / static_cast<double>(span_ns) : 0;
  }
  double burdened_parallelism() const noexcept {
    return burdened_span_ns ? static_cast<double>(work_ns) / static_cast<double>(burdened_span_ns) : 0;
  }
};

/// Of one worker, by what it did (index: skua::doing).
struct hardware_counts {
  std::array<std::uint64_t, activity_count> of{};
};
/// One event of the hardware, or of the kernel, and its counts.
struct hardware_record {
  std::string event =
      {};  // "cycles", "instructions", "last-level misses", "remote node accesses"; or "page faults"
  std::vector<hardware_counts> workers = {};
};

/// What a simulated machine's own parts did.
struct simulated_record {
  std::uint64_t cycles = 0;
  simulated_times times = {};
  std::vector<simulated_cache> caches = {};
  std::vector<simulated_node> nodes = {};
  std::vector<simulated_transfers> transfers = {};
  double memory_bytes_a_cycle = 0;  // that one node's memory brings at most; 0: not limited, or not known
  bool pages_dealt_out = false;     // to all nodes in turn, whoever touches them first
};

/// The same program on one worker, as `skua run --report` measures it beside.
struct baseline_record {
  double seconds = 0;           // of one run
  double parallel_seconds = 0;  // of one run with all workers, measured in the same way, in between
};

/// A measured point of a curve: the same program with so many workers.
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
      0;  // of them, with a call in it: what is left is the program's time outside of skua
  double process_cpu_seconds = 0;  // of the whole process in `seconds`; real machines only
  double other_cpu_seconds = 0;    // that other processes had on this machine in `seconds`; where known
  std::vector<worker_record> workers = {};
  std::vector<pair_record> pairs = {};  // those that met
  std::uint64_t bytes_stolen = 0;       // declared by stolen tasks
  distribution steal_latency = {};      // ns from the beginning of a search to the task that ended it
  distribution steal_duration = {};     // ns of one successful try: from the try to the begun task
  distribution search_time = {};        // ns of whole searches, with success or without
  distribution task_size = {};          // ns of what a thief took, run by it without a pause
  timeline_record timeline = {};
  std::optional<work_span_record> work_span = {};
  std::vector<hardware_record> hardware = {};
  std::optional<simulated_record> simulated = {};
  std::optional<baseline_record> baseline = {};
  std::vector<speedup_point> curve = {};  // measured elsewhere (skua scale)
  std::vector<std::string> notes = {};    // what is calibrated, what could not be had and why

  worker_times total_times() const;
  skua::counters total_counts() const;
};

/// Throws bad_input for a text that is no report.
run_record read_run_record(std::string_view text, std::string_view name = "the report");
std::string to_json(const run_record& record);

}  // namespace skua::observe
