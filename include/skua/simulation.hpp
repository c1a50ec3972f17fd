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
// - thread_local variables are those of the thread that entered: all workers share them.
// - Thread-safety: threads from outside enter one after the other.
#pragma once

#include <cstdint>
#include <string>

namespace skua {

/// How much of a machine is modelled; each level takes longer to simulate.
///   steps      every use of a shared word takes the same time
///   lines      words that workers share travel from core to core, by distance, and wait for one another
///   caches     declared bytes too go line by line through private and shared caches and the memories of the nodes
///   bandwidth  memories, links and buses serve so many bytes a cycle; lines are prefetched
enum class detail_level : std::uint8_t { steps, lines, caches, bandwidth };

struct simulation {
  /// A name from `skua machines`, or a file: a machine's or hwloc's.
  std::string machine;
  detail_level level = detail_level::bandwidth;
  /// Where declared data lie on a machine with several memories: first_touch (with the worker that declares them first),
  /// interleave (page by page in turn), or as the machine's file says.
  std::string pages = {};
  /// Leaves take as long as they declare, or, for programs that declare nothing, as long as they took on this machine.
  bool measured = false;
  /// Policies look at other workers for nothing, to see a technique beside its overhead.
  bool free_looks = false;
};

struct simulation_report {
  double seconds = 0;        // of the simulated machine, while somebody was inside
  std::uint64_t cycles = 0;  // the same in cycles
  std::uint64_t events = 0;  // steps of workers
  std::uint64_t stream = 0;  // a hash of who did what when: two runs are the same if theirs are
};

}  // namespace skua
