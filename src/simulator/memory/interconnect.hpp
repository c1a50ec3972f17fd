// The ways of lines outside of packages: memory nodes, links between packages, front-side buses, and what one core draws
// from memory. Bytes are counted
// always; they wait for each other only from detail_level::bandwidth on.
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

// One thing that passes so many bytes a cycle: memory controllers, a link, a bus.
//
// Time is cut into slices, each of which has room for so many bytes. Who comes takes room from the slice of its time on,
// so accesses may come in another order than their times: one that comes later, for an earlier time, takes what is left
// there. Those that come in order wait as in a queue.

class bandwidth_queue {
 public:
  /// Kept in thousandths of bytes.
  bandwidth_queue(double bytes_a_cycle, cycles slice);

  /// How long `bytes` that come at `time` wait until their turn. O(1), amortised.
  cycles pass(cycles time, std::uint64_t bytes);
  /// Nobody comes any more for a time before this one; who does counts as coming then.
  void advance(cycles time);

 private:
  struct slice {
    std::uint64_t used = 0;  // in thousandths of bytes
    std::uint64_t next = 0;  // of a full one: where there may be room
  };

  slice& at(std::uint64_t number) noexcept { return slices_[number & (slices_.size() - 1)]; }
  std::uint64_t with_room(std::uint64_t number);
  void reach(std::uint64_t number);

  std::uint64_t rate_, room_;  // in thousandths of bytes, of a cycle and of a slice
  cycles length_;
  std::uint64_t first_ = 0;  // slice that is still kept
  std::vector<slice> slices_;
};

struct node_counters {
  std::uint64_t bytes_read = 0, bytes_written = 0;
  std::uint64_t bytes_read_remotely = 0;  // those of bytes_read that went to another package
  cycles queueing = 0;                    // of those who read
};

/// Of a bus, both ends are its package.
struct link_counters {
  std::size_t from, to;
  std::uint64_t bytes = 0;
  cycles queueing = 0;
};

class interconnect {
 public:
  interconnect(const machine_model& machine, const machine_shape& shape, bool limited,
               const memory_assumptions& assumed);

  // ---- one line each; how long it waits on the way, beside the latency that the machine's file gives

  cycles fetch(std::size_t node, std::size_t core, cycles time);
  cycles transfer(std::size_t from_package, std::size_t to_package, cycles time);
  /// Nobody waits for it, but it takes its room.
  void write_back(std::size_t package, std::size_t node, cycles time);

  /// Nobody comes any more for a time before this one.
  void advance(cycles time);

  std::span<const node_counters> nodes() const noexcept { return node_counters_; }
  std::span<const link_counters> links() const noexcept { return link_counters_; }

 private:
  using route = std::vector<std::uint32_t>;  // links, in the order in which a line takes them

  void lay_buses();
  void lay_links(const machine_model& machine);
  std::uint32_t link(std::size_t from, std::size_t to);
  const route& way(std::size_t from, std::size_t to) const noexcept { return routes_[from * packages_ + to]; }
  /// Where memory is, seen from a package: of a machine of buses, behind its own.
  std::size_t place_of(std::size_t node, std::size_t package) const noexcept {
    return buses_ ? package : shape_.package_of_node(node);
  }
  cycles over(const route& links, cycles time);
  cycles from_node(std::size_t node, cycles time);

  const machine_shape& shape_;
  std::size_t packages_;
  bool buses_;  // one memory for several packages
  cycles slice_, next_slice_ = 0;
  std::vector<node_counters> node_counters_;
  std::vector<link_counters> link_counters_;
  std::vector<route> routes_;                                             // by package and package
  std::vector<bandwidth_queue> core_queues_, node_queues_, link_queues_;  // empty where nobody waits
};

}  // namespace skua::simulator
