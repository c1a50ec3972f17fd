// Push-relabel in parallel, in rounds of two phases: the first discharges nodes with an excess, the second sets all
// heights again.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include <skua/skua.hpp>

#include "workloads/kernels/maxflow.hpp"

namespace workloads {

// Cycles for one arc, calibrated on one worker.
inline constexpr double cycles_to_discharge = 18, cycles_to_label = 3.5;

using flow_nodes = std::vector<std::uint32_t>;

class flow_parallel {
 public:
  /// With `heights_once` heights are set to distances only at the start, and one long round does everything.
  flow_parallel(flow_network& network, skua::order order, bool heights_once)
      : network_(network), order_(order), heights_once_(heights_once) {}

  void solve() {
    flow_nodes active;
    for (bool more = label(); more || !active.empty(); more = label()) {
      if (active.empty()) network_.fill([&](std::uint32_t u) { active.push_back(u); });
      active = discharge(active);
      std::ranges::sort(active);
    }
  }

 private:
  /// What one worker did in a round.
  struct part {
    flow_nodes left;  // still active at the end of the round
  };

  /// Discharges these nodes and those that become active. Returns the nodes that are active after enough lifts.
  flow_nodes discharge(const flow_nodes& active) {
    std::atomic<std::int64_t> lifts = 0;
    const std::int64_t enough = heights_once_ ? std::numeric_limits<std::int64_t>::max() : network_.size();
    // Tasks are positions in `active`, as a range, which is dealt out in pieces, and nodes that become active later.
    const std::size_t known = active.size();
    skua::phase<std::size_t> tasks(order_);
    tasks.enqueue_range(0, known);
    const auto body = [&](std::size_t task, part& mine) {
      const std::uint32_t u = task < known ? active[task] : static_cast<std::uint32_t>(task - known);
      if (lifts.load(std::memory_order_relaxed) >= enough) return mine.left.push_back(u);
      const flow_work done = network_.discharge<flow_shared>(
          u, [&](std::uint32_t v) { tasks.enqueue(known + v); }, [&](const flow_arc& a) { declare_push(a); });
      skua::writes(network_.excess(u), 1);
      if (done.lifts != 0) skua::writes(network_.height(u), 1);
      declare_look(u, cycles_to_discharge * static_cast<double>(done.arcs));
      if (done.lifts != 0) lifts.fetch_add(done.lifts, std::memory_order_relaxed);
    };
    const auto together = [](part a, part b) {
      a.left.insert(a.left.end(), b.left.begin(), b.left.end());
      return a;
    };
    return tasks.run(body, part{}, together).left;
  }

  /// Sets all heights. Returns whether the source can still push to the sink.
  bool label() {
    constexpr std::uint32_t at_once = 1024;
    skua::phase<std::uint32_t> blocks;
    blocks.enqueue_range(0, (network_.size() + at_once - 1) / at_once);
    blocks.run([&](std::uint32_t block) {
      network_.forget_heights(block * at_once, std::min((block + 1) * at_once, network_.size()));
    });
    const bool more = label_from(network_.root(false));
    label_from(network_.root(true));
    return more;
  }

  bool label_from(std::uint32_t root) {
    skua::phase<std::uint32_t> tasks(skua::order::fifo);
    tasks.enqueue(root);
    const auto body = [&](std::uint32_t u, bool& source_can) {
      source_can |= network_.label<flow_shared>(u, [&](std::uint32_t v) {
        skua::writes(network_.height(v), 1);
        tasks.enqueue(v);
      });
      declare_look(u, cycles_to_label * static_cast<double>(network_.arcs(u).size()));
      if (skua::has_listener())
        for (const flow_arc& a : network_.arcs(u)) skua::reads(network_.twin(a), 1);
    };
    return tasks.run(body, false, std::logical_or<>{});
  }

  /// Declares what a pass over the arcs of a node reads.
  void declare_look(std::uint32_t u, double cycles) {
    if (!skua::has_listener()) return;
    skua::reads(network_.height(u), 1);
    skua::reads(network_.arcs(u).data(), network_.arcs(u).size());
    for (const flow_arc& a : network_.arcs(u)) skua::reads(network_.height(a.head), 1);
    skua::costs(cycles);
  }
  void declare_push(const flow_arc& a) {
    if (!skua::has_listener()) return;
    skua::writes(&a, 1);
    skua::writes(network_.twin(a), 1);
    skua::writes(network_.excess(a.head), 1);
  }

  flow_network& network_;
  const skua::order order_;
  const bool heights_once_;
};

}  // namespace workloads
