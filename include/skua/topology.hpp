// The machine on which skua runs, as a value.
//
// It describes
//   1. the parts of the machine               -> topology::packages(), domains(), cores() ...
//   2. the CPU of each worker                 -> topology::place(workers)  (a `placement`)
//   3. the distance between two workers       -> placement::distance(a, b)
// All other code uses these values and never asks the operating system. So it can be tested with saved machines.
//
// Example:
//   skua::topology machine = skua::topology::synthetic("package:4 core:4 pu:1");
//   skua::placement seats = machine.place(16);
//   assert(machine.domains() == 4 && seats.distance(0, 1) < seats.distance(0, 15));
//
// Complexity: a topology takes the time that hwloc needs to build it (some milliseconds). place() is O(W^2) in time and
// memory for W workers, draw() is linear in the size of the machine, and everything else is O(1).
// Throws: bad_input where the input is a text, a file or a number of workers; else only std::bad_alloc.
// Thread-safety: both are immutable values that share their data. Copies are cheap. Any thread may use them.
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

#include <skua/detail/export.hpp>
#include <skua/detail/ids.hpp>
#include <skua/sequence.hpp>

namespace skua {

/// Input that skua cannot accept. what() is one sentence with the input, the allowed values and the nearest match if one is
/// similar.
class SKUA_API bad_input : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// How near two workers are: the smallest part of the machine that they share. Smaller is nearer.
enum class nearness : std::uint8_t {
  same_core,       // hyper-threads of one core
  same_cache,      // a CPU cache smaller than the domain's (an L2 per pair or tile), or its tags (a cluster)
  same_domain,     // the domain: the largest CPU cache that two or more cores share
  same_numa_node,  // one memory node that lies within one package
  same_package,    // one package
  same_machine     // only the machine
};

/// The order in which workers are assigned to CPUs. Both orders use the same CPUs: an even spread over the machine.
enum class pin_order : std::uint8_t {
  grouped,  // adjacent CPUs have adjacent worker ids: the ids of the workers of a domain are consecutive
  dealt     // worker ids alternate between packages, so worker i has the same CPU for any number of workers
};

/// One core and those of its hardware threads that this process may use. A CPU that belongs to no core counts as a core
/// of its own.
struct core_info {
  std::uint32_t index;          // logical index, 0 .. core_list().size()-1
  std::uint32_t package;        // 0 .. packages-1 (0 when the machine reports none)
  std::uint32_t numa_node;      // 0 .. numa_nodes-1, the nearest node whose memory this process may use
  domain_id domain;             // 0 .. domains-1
  std::uint32_t kind;           // 0 is the most powerful kind; hybrid machines have more than one
  sequence<std::uint32_t> pus;  // operating-system indices of its CPUs, in logical order
};

/// The CPU of one worker and the parts of the machine that contain it.
struct seat {
  std::uint32_t cpu;  // operating-system index of the CPU
  std::uint32_t core;
  std::uint32_t package;
  std::uint32_t numa_node;
  domain_id domain;
  bool head;  // the worker with the lowest number in its domain; under some policies only heads steal outside
};

class placement;

/// A machine; see the top of this file.
class SKUA_API topology {
 public:
  // No moves, because an object that was moved from could not be used. A copy copies one pointer.
  topology(const topology&) = default;
  topology& operator=(const topology&) = default;

  /// The machine as this process may use it, within its cpuset and cgroup quota and without offline CPUs. Never throws
  /// for an unusual machine: each missing fact has a default and one warning in warnings(). The set of CPUs that the
  /// process may use is read at the first call and stored, because skua binds threads later.
  static topology host();
  /// A synthetic machine, hwloc's syntax: "package:4 core:4 pu:1". Throws bad_input.
  static topology synthetic(std::string_view description);
  /// A machine saved as hwloc XML (lstopo out.xml). Throws bad_input with the name of the file.
  static topology from_file(const std::string& path);
  /// `spec` is "host", a path of an hwloc XML file, or a synthetic description. Throws bad_input.
  static topology parse(const std::string& spec);
  /// The machine that SKUA_TOPOLOGY describes, else the host. Throws bad_input.
  static topology from_environment();

  /// The same machine with measured distances: place() orders workers by the latencies in `path`, a file that
  /// `skua topo --measure --output` wrote. Throws bad_input with the reason when the file is damaged or describes
  /// another machine.
  topology with_distances(const std::string& path) const;

  std::size_t packages() const;  // 0 when the machine reports none
  std::size_t numa_nodes() const;
  std::size_t domains() const;
  std::size_t cores() const;  // as the machine reports them; 0 when it reports none
  std::size_t pus() const;
  std::size_t kinds() const;
  /// One entry for each core, or one for each CPU when the machine reports no cores.
  std::span<const core_info> core_list() const;

  /// Bytes of the cache that defines a domain; 0 when a cache does not define the domains.
  std::size_t domain_cache_bytes() const;
  /// What defines the domains: "L3", "L2", "NUMA node", "package" or "machine".
  std::string_view domain_kind() const;
  /// Relative cost of memory access between two NUMA nodes, as the machine reports it: 10 is local, as in ACPI's SLIT.
  /// Latencies are returned as reported. Without a report it is 10 within a node and 20 between nodes.
  std::uint32_t numa_distance(std::size_t from, std::size_t to) const;

  std::string_view processor() const;             // the name of the processor; empty when unknown
  bool is_host() const;                           // whether threads may be bound to its CPUs
  double cpu_quota() const;                       // CPUs allowed by the cgroup; infinity when unlimited
  std::string_view source() const;                // "host", the file, or the synthetic text
  const sequence<std::string>& warnings() const;  // missing facts, one sentence each

  /// The default number of workers: one for each core (with `smt`: one for each hardware thread), at most ceil(quota),
  /// at least 1.
  std::size_t default_workers(bool smt = false) const;

  /// Assigns `workers` workers to CPUs. Packages and domains are filled evenly, each core gets one worker before any
  /// core gets a second one, and the most powerful kind of core is used first. There may be more workers than CPUs.
  /// Throws bad_input for 0 workers.
  placement place(std::size_t workers, pin_order order = pin_order::grouped) const;
  /// Assigns worker i to cpus[i], an operating-system index. With more workers than entries the list is used again from
  /// its start. Throws bad_input for 0 workers, for an empty list, and for a CPU that this process may not use or that
  /// is listed twice.
  placement place(std::size_t workers, std::span<const std::uint32_t> cpus) const;

  /// A drawing of the machine as a tree: one line for each part, with a newline at the end. With `seats` it also shows
  /// the workers.
  std::string draw() const;
  std::string draw(const placement& seats) const;

  struct data;

 private:
  placement placed(sequence<seat> seats) const;
  explicit topology(std::shared_ptr<const data> facts) : facts_(std::move(facts)) {}
  std::shared_ptr<const data> facts_;
  friend class placement;
  friend struct topology_access;
};

/// Workers on a machine: their CPUs, their distances, and for each worker the others by distance.
class SKUA_API placement {
 public:
  placement(const placement&) = default;  // as topology
  placement& operator=(const placement&) = default;

  std::size_t workers() const;
  std::size_t domains() const;  // all domains of the machine; one without a worker has an empty list
  std::span<const seat> seats() const;
  const seat& operator[](worker_id worker) const;

  /// The number of distinct distances between two workers. Levels are 0 .. levels()-1, the nearest first, ordered by
  /// (nearness, NUMA distance). Each level occurs between at least two workers. On a machine with_distances() a level
  /// is a group of measured latencies. Its nearness is then same_core, same_domain or same_machine (for all workers
  /// outside of the domain), and levels are ordered by (nearness, latency).
  std::size_t levels() const;
  nearness level_nearness(std::size_t level) const;
  std::string level_name(std::size_t level) const;       // "same domain", "same machine, NUMA distance 21",
                                                         // "same domain, 62 ns"
  std::size_t distance(worker_id a, worker_id b) const;  // a level, the same from b to a; a != b

  /// The workers at that level from `worker`, in ring order starting after `worker`, so that adjacent workers start
  /// with different victims. Possibly empty, and empty for a level that does not exist: a single worker has none.
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
