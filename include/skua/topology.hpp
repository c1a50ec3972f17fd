// The machine skua runs on, as a value.
//
// Three questions are answered here and nowhere else:
//   1. what the machine is made of            -> topology::packages(), domains(), cores() ...
//   2. which worker sits on which CPU         -> topology::place(workers)  (a `placement`)
//   3. how far one worker is from another     -> placement::distance(a, b)
// Code asks these values, never the operating system, so saved machines can be tested.
//
// Example:
//   skua::topology machine = skua::topology::synthetic("package:4 core:4 pu:1");
//   skua::placement seats = machine.place(16);
//   assert(machine.domains() == 4 && seats.distance(0, 1) < seats.distance(0, 15));
//
// Complexity: a topology costs what hwloc needs to build it (some milliseconds), place() O(W^2) in time and
// memory; draw() is linear in the machine and everything else O(1).
// Throws: bad_input where the input is a text, a file or a number of workers; else only std::bad_alloc.
// Thread-safety: both are immutable values that share their data; copies are cheap and may
// be used from any thread.
// Paper: the tree of TATL (section 3) and CAB (section 4), the pin order of the TBB thesis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skua/detail/export.hpp>
#include <skua/detail/ids.hpp>

namespace skua {

/// Input that skua cannot accept. what() is one sentence: the input, what is allowed, the nearest match.
class SKUA_API bad_input : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// How near two workers are: the smallest thing they share. Smaller is nearer.
enum class nearness : std::uint8_t {
  same_core,       // hyper-threads of one core
  same_cache,      // a CPU cache smaller than the domain's (an L2 per pair or tile), or its tags (a cluster)
  same_domain,     // the domain: the largest CPU cache that two or more cores share
  same_numa_node,  // one memory node that lies within one package
  same_package,    // one package
  same_machine     // nothing but the machine
};

/// Which worker gets which of the CPUs. These are the same for both orders: an even spread over the machine.
enum class pin_order : std::uint8_t {
  grouped,  // neighbours get neighbouring ids: the workers of a domain follow each other
  dealt     // ids go round the packages like cards, so worker i keeps its CPU whatever the number of workers
};

/// A place to sit: one core and the hardware threads of it that this process may use. A CPU that the
/// machine puts into no core is a place of its own.
struct core_info {
  std::uint32_t index;             // logical index, 0 .. core_list().size()-1
  std::uint32_t package;           // 0 .. packages-1 (0 where the machine names none)
  std::uint32_t numa_node;         // 0 .. numa_nodes-1, the nearest node whose memory this process may use
  domain_id domain;                // 0 .. domains-1
  std::uint32_t kind;              // 0 is the most powerful kind; hybrid machines have more than one
  std::vector<std::uint32_t> pus;  // operating-system indices of its CPUs, in logical order
};

/// Where one worker sits.
struct seat {
  std::uint32_t cpu;  // operating-system index of the CPU
  std::uint32_t core;
  std::uint32_t package;
  std::uint32_t numa_node;
  domain_id domain;
  bool head;  // the lowest worker of its domain, the only one some policies let steal outside
};

class placement;

class SKUA_API topology {
 public:
  /// The machine as this process may use it: cpuset, cgroup quota and offline CPUs respected.
  /// Never throws for a strange machine: missing facts degrade with one warning in warnings().
  /// Which CPUs the process may use is read at the first call and kept, since skua later binds threads.
  static topology host();
  /// A synthetic machine, hwloc's syntax: "package:4 core:4 pu:1". Throws bad_input.
  static topology synthetic(std::string_view description);
  /// A machine saved as hwloc XML (lstopo out.xml). Throws bad_input, naming the file.
  static topology from_file(const std::string& path);
  /// `spec` is "host", a path of an hwloc XML file, or a synthetic description. Throws bad_input.
  static topology parse(const std::string& spec);
  /// What SKUA_TOPOLOGY says, else the host. Throws bad_input.
  static topology from_environment();

  /// The same machine, on which place() orders by what was measured between its cores: `path` is a file that
  /// `skua topo --measure --output` wrote. Throws bad_input where it is damaged or of another machine, saying how.
  topology with_distances(const std::string& path) const;

  std::size_t packages() const;  // 0 where the machine names none
  std::size_t numa_nodes() const;
  std::size_t domains() const;
  std::size_t cores() const;  // as the machine names them; 0 where it names none
  std::size_t pus() const;
  std::size_t kinds() const;
  /// One entry a place, so as many as cores(), or as CPUs where the machine names no cores.
  std::span<const core_info> core_list() const;

  /// Bytes of the cache that makes a domain; 0 where domains are not made by a cache.
  std::size_t domain_cache_bytes() const;
  /// What made the domains: "L3", "L2", "NUMA node", "package" or "machine".
  std::string_view domain_kind() const;
  /// Relative cost of memory between two NUMA nodes as the machine reports it (10 is local, as in ACPI's
  /// SLIT; latencies are kept as given); 10 and 20 where it does not say.
  std::uint32_t numa_distance(std::size_t from, std::size_t to) const;

  std::string_view processor() const;                // as the machine calls it; empty where it does not
  bool is_host() const;                              // may threads be bound to its CPUs?
  double cpu_quota() const;                          // CPUs allowed by the cgroup; infinity where unlimited
  std::string_view source() const;                   // "host", the file, or the synthetic text
  const std::vector<std::string>& warnings() const;  // facts that were missing, one sentence each

  /// How many workers by default: one a core (one a hardware thread with `smt`), at most ceil(quota), at
  /// least 1.
  std::size_t default_workers(bool smt = false) const;

  /// Seats for `workers` workers (more than CPUs is fine; throws bad_input for 0): packages and domains are
  /// filled evenly, one worker a core before any core gets a second, the most powerful kind first.
  placement place(std::size_t workers, pin_order order = pin_order::grouped) const;
  /// Worker i on cpus[i], an operating-system index; from the first one again where there are more workers. Throws bad_input
  /// for 0 workers, for no CPU, and for one that this process may not use or that is named twice.
  placement place(std::size_t workers, std::span<const std::uint32_t> cpus) const;

  /// The machine drawn as a tree, one line a part, ending in a newline. With `seats`, also who sits where.
  std::string draw() const;
  std::string draw(const placement& seats) const;

  struct data;

 private:
  placement placed(std::vector<seat> seats) const;
  explicit topology(std::shared_ptr<const data> facts) : facts_(std::move(facts)) {}
  std::shared_ptr<const data> facts_;
  friend class placement;
  friend struct topology_access;
};

/// Workers on a machine: seats, distances, and for each worker the others by distance.
class SKUA_API placement {
 public:
  std::size_t workers() const;
  std::size_t domains() const;  // as the machine counts them; one without a worker has an empty list
  std::span<const seat> seats() const;
  const seat& operator[](worker_id worker) const;

  /// Distinct distances between any two workers, 0 .. levels()-1, nearest first; a level that occurs
  /// between no two workers does not exist. Levels are ordered by (nearness, NUMA distance). On a machine
  /// with_distances() a level is a group of measured latencies, and its nearness same_core, same_domain or
  /// same_machine (for all outside of the domain): ordered by (nearness, latency).
  std::size_t levels() const;
  nearness level_nearness(std::size_t level) const;
  std::string level_name(std::size_t level) const;       // "same domain", "same machine, NUMA distance 21",
                                                         // "same domain, 62 ns"
  std::size_t distance(worker_id a, worker_id b) const;  // a level, the same from b to a; a != b

  /// The workers at that level from `worker`, in ring order starting after `worker` (so neighbours do not all
  /// pick the same victim first). Possibly empty.
  std::span<const worker_id> at_distance(worker_id worker, std::size_t level) const;
  std::span<const worker_id> domain_workers(domain_id domain) const;
  worker_id head(domain_id domain) const;  // domain must have a worker

  struct data;

 private:
  explicit placement(std::shared_ptr<const data> facts) : facts_(std::move(facts)) {}
  std::shared_ptr<const data> facts_;
  friend class topology;
};

}  // namespace skua
