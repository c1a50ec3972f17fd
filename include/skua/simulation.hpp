// A simulated machine: the same program, policies and managers in virtual time, on hardware you do not have.
//
//   SKUA_SIMULATE=opteron-8380-4s ./program                      any program that uses skua
//   skua::scheduler pool({.simulate = {{.machine = "epyc-9654-2s"}}});
//   pool.run(work);
//   double seconds = pool.simulated().seconds;                    of that machine
//
// Workers are virtual ones, run by one thread: that which enters the scheduler. Time passes where a task declares what it
// computes (skua::costs) and which bytes it reads and writes (skua::reads, skua::writes), at forks and joins, and at
// every use of a word that workers share, by the caches, links and memories of the machine. With declared costs a seed gives
// the same run to the bit.
//
// - Tasks yield only at forks, joins and declarations. One that spins on what another task will write, or waits for it
//   with a lock that is not skua's, waits for ever.
// - thread_local variables are those of the thread that entered, shared by all workers, unless own_threads is chosen.
// - Thread-safety: threads from outside enter one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <skua/detail/export.hpp>

namespace skua {

/// How much of a machine is modelled; each level takes longer to simulate.
///   steps      every use of a shared word takes the same time
///   lines      words that workers share travel from core to core, by distance, and wait for one another
///   caches     declared bytes too go line by line through private and shared caches and the memories of the nodes
///   bandwidth  memories, links and buses serve so many bytes a cycle; lines are prefetched
enum class detail_level : std::uint8_t { steps, lines, caches, bandwidth };
/// By its value.
inline constexpr std::string_view detail_level_names[] = {"steps", "lines", "caches", "bandwidth"};

struct simulation {
  /// A name from `skua machines`, or a file: a machine's or hwloc's.
  std::string machine;
  detail_level level = detail_level::bandwidth;
  /// Where declared data lie on a machine with several memories: first_touch (with the worker that declares them first),
  /// interleave (page by page in turn), or as the machine's file says.
  std::string pages = {};
  /// Leaves take as long as they declare, or, for programs that declare nothing, as long as they took on this machine.
  bool measured = false;
  /// A file into which measured times are written, or from which they are taken: then a seed gives the same run again, and
  /// other policies, machines and numbers of workers are compared with the same times.
  std::string record = {}, replay = {};
  /// Policies look at other workers for nothing, to see a technique beside its overhead.
  bool free_looks = false;
  /// What brings a phase's tasks (phase.hpp) from one worker to another, on a machine whose file has `substrates`: software
  /// (deques), carbon (queues in hardware, last in, first out whatever the phase's order), adm (managers and direct
  /// messages) or uli (the same with user-level interrupts). Empty: as on real machines.
  std::string substrate = {};
  /// What leaves declare takes so many times as long: they were calibrated on a core that is faster than the machine's.
  double slowdown = 1;
  /// On such a machine: hardware threads of a core, where its file allows several numbers; 0: as usual there.
  unsigned threads_a_core = 0;
  /// On such a machine: messages, and Carbon's tasks, take the same time between any two cores and never wait for others.
  bool ideal_network = false;
  /// With adm and uli: children of a manager of phases, 2 to 4096; 0: as each phase says (phase_options::radix).
  unsigned radix = 0;
  /// Each worker has a real thread of its own, and so its own thread_local variables; still only one runs at a time. The
  /// same run to the bit, some ten times slower.
  bool own_threads = false;
  /// When a worker has computed or slept so long without entering skua, a line on stderr names it, once: it may wait for
  /// what another worker is to do, and wait for ever. 0: nobody watches.
  double watchdog_s = 10;
};

/// How far a run is, for whoever looks from another thread while it lasts.
struct simulation_progress {
  double seconds = 0;        // of the simulated machine
  std::uint64_t events = 0;  // steps of workers
};

/// What the caches of one level did with declared data, all of them together, in lines.
struct simulated_cache {
  unsigned level = 0;
  std::uint64_t hits = 0, demand_misses = 0, prefetches = 0, evictions = 0, write_backs = 0;
};

/// A memory and its controllers.
struct simulated_node {
  std::uint64_t bytes_read = 0, bytes_written = 0, waiting_cycles = 0;
  std::uint64_t bytes_read_remotely = 0;  // those of bytes_read that went to another package
};

/// Lines that came from the caches of other cores, by how far those are.
struct simulated_transfers {
  std::string distance;
  std::uint64_t words = 0, data = 0;  // the scheduler's own, and declared ones
};

/// What the virtual threads did, in cycles of all together: the workers', and the callers', which may lend their places.
struct simulated_times {
  std::uint64_t computing = 0;  // as leaves declare, or as was measured
  std::uint64_t data = 0;       // declared bytes, until they were at hand
  std::uint64_t forking = 0;    // forks, joins, group tasks and loop chunks that meet nobody
  std::uint64_t sharing = 0;    // words of the scheduler that others use too: queues, looks, steals, counts
  std::uint64_t spinning = 0;   // pauses between two looks
  std::uint64_t kernel = 0;     // fences, sleeping, waking, new threads
  std::uint64_t asleep = 0;     // and awake again
  std::uint64_t queueing = 0;   // operations on the queues of a substrate, and sending
  std::uint64_t handling = 0;   // handlers of its messages and interrupts, also while their threads waited
  std::uint64_t waiting = 0;    // for the tasks and the end of a phase on a substrate
};

/// All of them, to list them.
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

/// "computing 60.1%, data 12.0%": what took time, as shares of all virtual threads' time; without what took none.
SKUA_API std::string to_string(const simulated_times& times);

/// How often an operation was carried out, and how long all of them together kept their threads.
struct simulated_operation {
  std::uint64_t times = 0, cycles = 0;
};

/// Those of a phase on a substrate; with what they send, and with the interrupts of what comes as a message.
struct simulated_operations {
  simulated_operation enqueue = {}, dequeue = {};  // of a thread's own queue, on uli and adm
  simulated_operation receive_update = {};         // by a manager, without a match
  simulated_operation match_steal = {};            // by a manager: a thief and a victim
  simulated_operation send_tasks = {};             // by a victim that was asked: all that it gives
  simulated_operation receive_task = {};           // by a thief
  // adm, uli: from the last thread's part until the last thread has the result. Else: of the parts in memory.
  simulated_operation reduction = {};
};

/// All of them, to list them.
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

/// The tasks that a substrate has given out; those of a thread that were in another one's queue first. Carbon counts.
struct simulated_tasks {
  std::uint64_t run = 0, stolen = 0;
};

struct simulation_report {
  double seconds = 0;        // of the simulated machine, while somebody was inside
  std::uint64_t cycles = 0;  // the same in cycles
  std::uint64_t events = 0;  // steps of workers
  std::uint64_t stream = 0;  // a hash of who did what when: two runs are the same if theirs are
  simulated_times times = {};
  simulated_operations operations = {};
  simulated_tasks tasks = {};
  std::uint64_t above_boundary_cycles =
      0;  // of them, in forks above the boundary level of a region (shaped.hpp)
  std::uint64_t measured = 0,
                not_recorded = 0;  // times of leaves; those that a recording does not have, which took none
  std::vector<simulated_cache> caches = {};  // the smallest first
  std::vector<simulated_node> nodes = {};
  std::vector<simulated_transfers> transfers = {};  // the nearest first
};

}  // namespace skua
