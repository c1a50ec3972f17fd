// A simulated machine: the same program, policies and managers run in virtual time on a machine that you do not have.
//
//   SKUA_SIMULATE=opteron-8380-4s ./program                      any program that uses skua
//   skua::scheduler pool({.simulate = {{.machine = "epyc-9654-2s"}}});
//   pool.run(work);
//   double seconds = pool.simulated().seconds;                    of the simulated machine
//
// Workers are virtual threads. The one thread that enters the scheduler runs all of them. Virtual time passes where a
// task declares its computation (skua::costs) and the bytes that it reads and writes (skua::reads, skua::writes), at
// forks and joins, and at every use of a word that workers share. The model of the machine's caches, links and memories
// determines how long each of these takes. With declared costs, the same seed gives the same run to the bit.
//
// - Tasks switch only at forks, joins and declarations. A task never ends if it spins until another task writes, or
//   waits for another task with a lock that is not skua's.
// - All workers share the thread_local variables of the thread that entered, unless own_threads is chosen.
// - Throws: the scheduler's constructor throws bad_input for a machine, file or number that is not allowed. A call that has no
//   memory to enter the machine throws std::bad_alloc, and the next one works. Without memory while the model reads a machine
//   file, or while virtual threads run, the process ends (std::terminate).
// - Thread-safety: external threads enter one after the other. The structs here are values.
// Paper: substrates after Sanchez, Yoo and Kozyrakis (ASPLOS 2010); else none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <skua/detail/export.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// How much of a machine is modelled. Each level is more detailed than the previous one and takes longer to simulate.
///   steps      every use of a shared word takes the same time
///   lines      the lines of shared words move from core to core; the time depends on distance and contention
///   caches     declared bytes move line by line through private and shared caches and the memories of the nodes
///   bandwidth  memories, links and buses have a limited bandwidth in bytes per cycle; lines are prefetched
/// <term.h> of ncurses defines a macro `lines`: include skua before it, or write `#undef lines` after it.
enum class detail_level : std::uint8_t { steps, lines, caches, bandwidth };
/// The names of the levels; index: value of detail_level.
inline constexpr std::string_view detail_level_names[] = {"steps", "lines", "caches", "bandwidth"};

/// The options of a simulated machine.
struct simulation {
  /// A name from `skua machines`, or the path of a machine file or an hwloc XML file.
  std::string machine;
  detail_level level = detail_level::bandwidth;
  /// Where declared data lie on a machine with several memories: first_touch (at the worker that declares them first)
  /// or interleave (page by page in turn). Empty: the setting of the machine file.
  std::string pages = {};
  /// No: a leaf takes the time that it declares. Yes: a leaf takes the time that it took on this machine, for programs
  /// without declarations.
  bool measured = false;
  /// Paths of a file to which measured times are written, and of one from which they are read. With replayed times the
  /// same seed gives the same run, and policies, machines and numbers of workers are compared with the same times. `replay` may
  /// be several files, separated by commas: then the shortest recorded time of each part of the program counts.
  std::string record = {}, replay = {};
  /// Looks of policies at other workers take no time. This separates the benefit of a technique from its overhead.
  bool free_looks = false;
  /// How a phase's tasks (phase.hpp) move from one worker to another on a machine whose file has `substrates`: software
  /// (deques), carbon (hardware queues, always last in, first out), adm (managers and direct messages) or uli (adm with
  /// user-level interrupts). Empty: as on real machines.
  std::string substrate = {};
  /// Factor on declared times, for leaves that were calibrated on a core faster than the machine's.
  double slowdown = 1;
  /// Hardware threads of a core on a machine with substrates whose file allows several numbers. 0: the default of the
  /// file.
  unsigned threads_a_core = 0;
  /// On a machine with substrates: messages and Carbon's tasks take the same time between any two cores and never
  /// queue.
  bool ideal_network = false;
  /// With adm and uli: children of a manager of phases, 2 to 4096. 0: the radix of each phase (phase_options::radix).
  unsigned radix = 0;
  /// Each worker has its own real thread, and so its own thread_local variables. Still only one thread runs at a time.
  /// The run is the same to the bit, and about ten times slower.
  bool own_threads = false;
  /// Seconds that a worker may compute or sleep without entering skua. After that, one line on stderr names it, because
  /// it may wait forever for another worker. 0: no check.
  double watchdog_s = 10;
};

/// The progress of a run, to be read from another thread during the run.
struct simulation_progress {
  double seconds = 0;        // of the simulated machine
  std::uint64_t events = 0;  // steps of workers
};

/// Counts of all caches of one level together for declared data, in cache lines.
struct simulated_cache {
  unsigned level = 0;
  std::uint64_t hits = 0, demand_misses = 0, prefetches = 0, evictions = 0, write_backs = 0;
};

/// A memory and its controllers: bytes, and cycles that requests waited.
struct simulated_node {
  std::uint64_t bytes_read = 0, bytes_written = 0, waiting_cycles = 0;
  std::uint64_t bytes_read_remotely = 0;  // the part of bytes_read that another package read
};

/// Cache lines that came from the caches of other cores at one distance.
struct simulated_transfers {
  std::string distance;
  std::uint64_t words = 0, data = 0;  // lines of the scheduler, and lines of declared data
};

/// Cycles of all virtual threads together, by activity. Virtual threads are the workers and the callers of run().
struct simulated_times {
  std::uint64_t computing = 0;  // declared or measured computation
  std::uint64_t data = 0;       // waiting for declared bytes
  std::uint64_t forking = 0;    // forks, joins, group tasks and loop chunks without contact to other workers
  std::uint64_t sharing = 0;    // shared words of the scheduler: queues, looks, steals, counts
  std::uint64_t spinning = 0;   // pauses between two looks
  std::uint64_t kernel = 0;     // fences, going to sleep, waking, new threads
  std::uint64_t asleep = 0;     // sleeping, until awake again
  std::uint64_t queueing = 0;   // operations on the queues of a substrate, and sending
  std::uint64_t handling = 0;   // handlers of its messages and interrupts, also while their threads waited
  std::uint64_t waiting = 0;    // for the tasks and the end of a phase on a substrate
};

/// A member of simulated_times and its name.
struct named_time {
  std::string_view name;
  std::uint64_t simulated_times::* cycles;
};
inline constexpr named_time simulated_time_names[] = {
    {"computing", &simulated_times::computing}, {"data", &simulated_times::data},
    {"forking", &simulated_times::forking},     {"sharing", &simulated_times::sharing},
    {"spinning", &simulated_times::spinning},   {"kernel", &simulated_times::kernel},
    {"asleep", &simulated_times::asleep},       {"queueing", &simulated_times::queueing},
    {"handling", &simulated_times::handling},   {"waiting", &simulated_times::waiting}};

/// Describes the activities that took time, as shares of the time of all virtual threads: "computing 60.1%, data
/// 12.0%".
SKUA_API std::string to_string(const simulated_times& times);

/// How often an operation was carried out, and the cycles that all of them together took of their threads.
struct simulated_operation {
  std::uint64_t times = 0, cycles = 0;
};

/// The operations of a phase on a substrate, including the messages that they send and the interrupts of the messages
/// that they receive.
struct simulated_operations {
  simulated_operation enqueue = {}, dequeue = {};  // on a thread's own queue, with uli and adm
  simulated_operation receive_update = {};         // by a manager that finds no thief and victim to match
  simulated_operation match_steal = {};            // by a manager that matches a thief and a victim
  simulated_operation send_tasks = {};             // by a victim: all tasks of one request
  simulated_operation receive_task = {};           // by a thief
  // adm, uli: from the part of the last thread until the last thread has the result. Else: combining parts in memory.
  simulated_operation reduction = {};
};

/// A member of simulated_operations and its name.
struct named_operation {
  std::string_view name;
  simulated_operation simulated_operations::* operation;
};
inline constexpr named_operation simulated_operation_names[] = {
    {"enqueue", &simulated_operations::enqueue},
    {"dequeue", &simulated_operations::dequeue},
    {"receive_update", &simulated_operations::receive_update},
    {"match_steal", &simulated_operations::match_steal},
    {"send_tasks", &simulated_operations::send_tasks},
    {"receive_task", &simulated_operations::receive_task},
    {"reduction", &simulated_operations::reduction}};

/// The tasks that a substrate delivered: all, and those that came from another thread's queue. Only Carbon counts them.
struct simulated_tasks {
  std::uint64_t run = 0, stolen = 0;
};

/// What scheduler::simulated() returns.
struct simulation_report {
  double seconds = 0;        // virtual time during which a thread was inside the scheduler
  std::uint64_t cycles = 0;  // the same time in cycles
  std::uint64_t events = 0;  // steps of workers
  std::uint64_t stream = 0;  // a hash of all events: two runs are the same if their hashes are
  simulated_times times = {};
  simulated_operations operations = {};
  simulated_tasks tasks = {};
  std::uint64_t above_boundary_cycles =
      0;  // the part of the cycles in forks above the boundary level of a region (shaped.hpp)
  std::uint64_t measured = 0,
                not_recorded =
                    0;  // leaves with a measured time; leaves missing in a recording, which took no time
  sequence<simulated_cache> caches = {};  // the smallest first
  sequence<simulated_node> nodes = {};
  sequence<simulated_transfers> transfers = {};  // the nearest first
};

}  // namespace skua
