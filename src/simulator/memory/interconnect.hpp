// The routes of lines outside of packages: memory nodes, links between packages, front-side buses, and the bandwidth of
// one core to memory. Bytes are always counted. Lines wait for each other only from detail_level::bandwidth on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/machine_shape.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

// ---- bandwidth

/// A resource of limited bandwidth: memory controllers, a link, a bus.
///
/// Time is divided into slices, each with room for a number of bytes. An access takes room from the slice of its time
/// on. So accesses may arrive out of the order of their times: a later call for an earlier time takes what is left
/// there. Accesses in order wait as in a queue.
class bandwidth_queue {
 public:
  /// Counts in thousandths of bytes.
  bandwidth_queue(double bytes_a_cycle, cycles slice);

  /// How long `bytes` that arrive at `time` wait for their turn. O(1), amortised.
  cycles pass(cycles time, std::uint64_t bytes);
  /// Promises that no access for an earlier time will arrive. One that does counts as arriving at this time.
  void advance(cycles time);

 private:
  struct slice {
    std::uint64_t used = 0;  // in thousandths of bytes
    std::uint64_t next = 0;  // if full: the next slice that may have room
  };

  slice& at(std::uint64_t number) noexcept { return slices_[number & (slices_.size() - 1)]; }
  std::uint64_t with_room(std::uint64_t number);
  void reach(std::uint64_t number);

  std::uint64_t rate_, room_;  // in thousandths of bytes, per cycle and per slice
  cycles length_;
  std::uint64_t first_ = 0;  // the first slice that is kept
  std::vector<slice> slices_;
};

// ---- routes

struct node_counters {
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t bytes_read_remotely = 0;  // the part of bytes_read for other packages
  cycles queueing = 0;                    // of reads
};

/// Both ends of a bus are its package.
struct link_counters {
  std::size_t from, to;
  std::uint64_t bytes = 0;
  cycles queueing = 0;
};

class interconnect {
 public:
  interconnect(const machine_model& machine, const machine_shape& shape, bool limited,
               const memory_assumptions& assumed);

  // ---- the waiting time of one line on its route, in addition to the latency of the machine's file

  cycles fetch(std::size_t node, std::size_t core, cycles time);
  cycles transfer(std::size_t from_package, std::size_t to_package, cycles time);
  /// No core waits for a write-back, but it takes bandwidth.
  void write_back(std::size_t package, std::size_t node, cycles time);

  /// Promises that no access for an earlier time will arrive.
  void advance(cycles time);

  std::span<const node_counters> nodes() const noexcept { return node_counters_; }
  std::span<const link_counters> links() const noexcept { return link_counters_; }

 private:
  using route = std::vector<std::uint32_t>;  // links, in the order of a line's way

  void lay_buses();
  void lay_links(const machine_model& machine);
  std::uint32_t link(std::size_t from, std::size_t to);
  const route& route_between(std::size_t from, std::size_t to) const noexcept {
    return routes_[from * packages_ + to];
  }
  /// The package at which a memory node is reached. With buses, this is the package itself.
  std::size_t package_of(std::size_t node, std::size_t package) const noexcept {
    return buses_ ? package : shape_.package_of_node(node);
  }
  cycles cross(const route& links, cycles time);
  cycles from_node(std::size_t node, cycles time);

  const machine_shape& shape_;
  std::size_t packages_;
  bool buses_;  // one memory for several packages
  cycles slice_, next_slice_ = 0;
  std::vector<node_counters> node_counters_;
  std::vector<link_counters> link_counters_;
  std::vector<route> routes_;                                             // by package and package
  std::vector<bandwidth_queue> core_queues_, node_queues_, link_queues_;  // empty if lines do not wait
};

}  // namespace skua::simulator
