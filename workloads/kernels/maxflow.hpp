// The maximum flow from a source to a sink: networks, the steps of push-relabel, and the proof of an answer. No
// scheduling.
//
// Every node has a height and an excess, the flow that has come in and not gone out yet. A node with an excess is
// active. Discharging it pushes the excess to lower nodes along arcs with residual capacity, and lifts the node if
// there is no lower one. From time to time all heights are set to the distances that they approximate.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"

namespace workloads {

struct flow_edge {
  std::uint32_t from, to;
  std::int64_t capacity;
};
struct flow_problem {
  std::uint32_t nodes = 0, source = 0, sink = 0;
  std::vector<flow_edge> edges;
};

/// Washington's random level graph: `rows` nodes in each of `levels` levels, three arcs from each to the next level.
inline flow_problem flow_levels(std::uint32_t rows, std::uint32_t levels, std::uint64_t max_capacity,
                                std::uint64_t seed) {
  const std::uint32_t sink = rows * levels + 1;
  flow_problem problem{sink + 1, 0, sink, {}};
  const auto wide = static_cast<std::int64_t>(3 * max_capacity);
  for (std::uint32_t i = 1; i <= rows; ++i) {
    problem.edges.push_back({0, i, wide});
    problem.edges.push_back({sink - i, sink, wide});
  }
  for (std::uint32_t k = 0; k < rows * (levels - 1); ++k) {
    const auto draw = [&](std::uint32_t which, std::uint64_t bound) {
      return static_cast<std::uint32_t>(below_at(seed, std::uint64_t{6} * k + which, bound));
    };
    std::uint32_t x[] = {draw(0, rows), draw(1, rows - 1), draw(2, rows - 2)};
    if (x[1] >= x[0]) ++x[1];
    const auto [low, high] = std::minmax(x[0], x[1]);
    if (x[2] >= low) ++x[2];
    if (x[2] >= high) ++x[2];
    const std::uint32_t next_level = (k / rows + 1) * rows + 1;
    for (std::uint32_t q = 0; q < 3; ++q)
      problem.edges.push_back(
          {k + 1, next_level + x[q], 1 + static_cast<std::int64_t>(draw(3 + q, max_capacity))});
  }
  return problem;
}

inline std::uint64_t flow_hash(const flow_problem& problem) {
  std::vector<std::uint64_t> words;
  for (const flow_edge& e : problem.edges)
    words.push_back(std::uint64_t{e.from} << 40 ^ std::uint64_t{e.to} << 20 ^
                    static_cast<std::uint64_t>(e.capacity));
  return hash_sequence(words);
}

/// The known flow value for a problem with this hash, else -1.
inline std::int64_t flow_known(std::uint64_t hash) {
  struct {
    std::uint64_t hash;
    std::int64_t value;
  } constexpr known[] = {{0x46cb0caa7f7086f3, 676},
                         {0x204cfcf8d0627a96, 110972},
                         {0xffea8df38d0a39a3, 107671},
                         {0x48ce90b408f2339e, 439569},
                         {0xb03dcc4809df6d4d, 437325},
                         {0xab259d0935cb9a66, 485222},
                         {0x252b94f58dc54820, 452694},
                         {0x2035ee49773e5f80, 4230405},
                         {0x390c28cf3c30deac, 42942},
                         {0x895694a421520c41, 915509},
                         {0x4719187762dcc021, 1860086},
                         // gl1, gw1 and wlm3 of DIMACS
                         {0x3a5ec13be7ca4029, 156545},
                         {0x5c1e5c035bba8852, 1202018},
                         {0xfe553f3f95fe3d9f, 11875108}};
  for (const auto& k : known)
    if (k.hash == hash) return k.value;
  return -1;
}

/// How shared numbers are accessed: by one worker only, or by several workers.
struct flow_alone {
  template <class T>
  static T read(T& x) {
    return x;
  }
  template <class T>
  static void write(T& x, T value) {
    x = value;
  }
  /// Returns the value before.
  template <class T>
  static T add(T& x, T amount) {
    return std::exchange(x, x + amount);
  }
  template <class T>
  static bool lower(T& x, T value) {
    if (x <= value) return false;
    x = value;
    return true;
  }
};
struct flow_shared {
  template <class T>
  static T read(T& x) {
    return std::atomic_ref<T>(x).load(std::memory_order_acquire);  // partner: add
  }
  template <class T>
  static void write(T& x, T value) {
    std::atomic_ref<T>(x).store(value, std::memory_order_relaxed);
  }
  // A thread that sees the excess of a node also sees the capacity through which it came, and the node's height.
  template <class T>
  static T add(T& x, T amount) {
    return std::atomic_ref<T>(x).fetch_add(amount, std::memory_order_acq_rel);
  }
  template <class T>
  static bool lower(T& x, T value) {
    const std::atomic_ref<T> shared(x);
    T now = shared.load(std::memory_order_relaxed);
    while (now > value)
      if (shared.compare_exchange_weak(now, value, std::memory_order_relaxed)) return true;
    return false;
  }
};

struct flow_arc {
  std::uint32_t head;
  std::uint32_t twin;     // the reverse arc
  std::int64_t residual;  // how much more can be pushed
};
/// For callers that need not know the arcs.
struct flow_unnoticed {
  void operator()(const flow_arc&) const {}
};
/// The result of a discharge.
struct flow_work {
  std::int64_t lifts = 0, arcs = 0;
};

class flow_network {
 public:
  explicit flow_network(const flow_problem& problem)
      : source_(problem.source),
        sink_(problem.sink),
        excess_(problem.nodes),
        heights_(problem.nodes),
        first_(problem.nodes + 1, 0) {
    for (const flow_edge& e : problem.edges) ++first_[e.from + 1], ++first_[e.to + 1];
    for (std::size_t u = 0; u < excess_.size(); ++u) first_[u + 1] += first_[u];
    arcs_.resize(2 * problem.edges.size());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (const flow_edge& e : problem.edges) {
      const std::uint32_t there = next[e.from]++, back = next[e.to]++;
      arcs_[there] = {e.to, back, e.capacity};
      arcs_[back] = {e.from, there, 0};
    }
    for (const flow_arc& a : arcs_) capacities_.push_back(a.residual);
  }
  void reset() {
    std::ranges::fill(excess_, 0);
    for (std::size_t a = 0; a < arcs_.size(); ++a) arcs_[a].residual = capacities_[a];
  }

  std::uint32_t source() const { return source_; }
  std::uint32_t sink() const { return sink_; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(excess_.size()); }
  const std::int64_t* excess(std::uint32_t u) const { return &excess_[u]; }
  const std::int32_t* height(std::uint32_t u) const { return &heights_[u]; }
  const flow_arc* twin(const flow_arc& a) const { return &arcs_[a.twin]; }
  std::span<flow_arc> arcs(std::uint32_t u) {
    return std::span(arcs_).subspan(first_[u], first_[u + 1] - first_[u]);
  }

  /// Pushes as much as possible from the source. Calls activate(node) for nodes that become active.
  template <class Activate>
  void fill(Activate activate) {
    for (flow_arc& a : arcs(source_)) push<flow_alone>(source_, a, a.residual, activate);
  }

  /// Discharges an active node. No other thread may discharge it at the same time. Once its excess is 0 another thread
  /// may make it active again, so the excess is set last. pushed_along(arc) is called after each push, before that.
  template <class Memory, class Activate, class Pushed = flow_unnoticed>
  flow_work discharge(std::uint32_t u, Activate activate, Pushed pushed_along = {}) {
    flow_work done;
    for (std::int64_t excess = Memory::read(excess_[u]);;) {
      std::int64_t left = excess;
      std::int32_t lowest =
          std::numeric_limits<std::int32_t>::max();  // the lowest neighbour that is not lower than the node
      for (flow_arc& a : arcs(u)) {
        ++done.arcs;
        const std::int64_t residual = Memory::read(a.residual);
        if (residual == 0) continue;
        const std::int32_t height = Memory::read(heights_[a.head]);
        if (height >= heights_[u]) {
          lowest = std::min(lowest, height);
          continue;
        }
        const std::int64_t pushed = std::min(left, residual);
        push<Memory>(u, a, pushed, activate);
        pushed_along(a);
        left -= pushed;
        if (left == 0) break;
      }
      const bool all = left == 0;
      excess = all || left != excess ? Memory::add(excess_[u], left - excess) - (excess - left) : excess;
      if (excess == 0) return done;
      if (all || lowest == std::numeric_limits<std::int32_t>::max())
        continue;  // more has arrived in the meantime
      Memory::write(heights_[u], lowest + 1);
      ++done.lifts;
    }
  }

  /// The heights of all nodes except the root of the labelling.
  void forget_heights(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t u = first; u < last; ++u) heights_[u] = 2 * static_cast<std::int32_t>(size());
  }
  /// Sets the root of a labelling: the sink has height 0, the source the number of nodes.
  std::uint32_t root(bool of_source) {
    const std::uint32_t u = of_source ? source_ : sink_;
    heights_[u] = of_source ? static_cast<std::int32_t>(size()) : 0;
    return u;
  }
  /// Labels the nodes that can push to `u` with the height of `u` plus one, and calls reached(node) for those whose
  /// height this lowers. When no more nodes are reached, all heights are distances, for any order of the calls. Returns
  /// whether the source can push to `u`.
  template <class Memory, class Reached>
  bool label(std::uint32_t u, Reached reached) {
    bool source_can = false;
    const std::int32_t height = Memory::read(heights_[u]) + 1;
    for (const flow_arc& a : arcs(u)) {
      if (arcs_[a.twin].residual == 0) continue;
      if (a.head == source_)
        source_can = true;
      else if (Memory::lower(heights_[a.head], height))
        reached(a.head);
    }
    return source_can;
  }

  /// For each node, whether the source can still push to it. For a maximum flow these nodes are the source's side of
  /// the minimum cut.
  std::vector<bool> reachable() const;
  /// Calls f(from, to, flow) for every arc with a flow.
  template <class F>
  void each_flow(F f) const {
    for (std::uint32_t u = 0; u < size(); ++u)
      for (std::uint32_t i = first_[u]; i < first_[u + 1]; ++i)
        if (const std::int64_t flow = capacities_[i] - arcs_[i].residual; flow > 0) f(u, arcs_[i].head, flow);
  }

  /// The value of the flow, or -1 and the reason why it is not a flow or not the maximum.
  std::int64_t value(std::string& wrong);

 private:
  template <class Memory, class Activate>
  void push(std::uint32_t from, flow_arc& a, std::int64_t amount, Activate activate) {
    if (amount == 0 || a.head == from) return;
    Memory::add(a.residual, -amount);
    Memory::add(arcs_[a.twin].residual, amount);
    if (Memory::add(excess_[a.head], amount) == 0 && a.head != sink_ && a.head != source_) activate(a.head);
  }

  std::uint32_t source_, sink_;
  std::vector<std::int64_t> excess_;  // indexed by node
  std::vector<std::int32_t> heights_;
  std::vector<std::uint32_t> first_;  // the first arc of each node
  std::vector<flow_arc> arcs_;
  std::vector<std::int64_t> capacities_;
};

inline std::vector<bool> flow_network::reachable() const {
  std::vector<bool> seen(size());
  std::vector<std::uint32_t> found = {source_};
  seen[source_] = true;
  while (!found.empty()) {
    const std::uint32_t u = found.back();
    found.pop_back();
    for (std::uint32_t i = first_[u]; i < first_[u + 1]; ++i) {
      const flow_arc& a = arcs_[i];
      if (a.residual == 0 || seen[a.head]) continue;
      seen[a.head] = true;
      found.push_back(a.head);
    }
  }
  return seen;
}

inline std::int64_t flow_network::value(std::string& wrong) {
  std::vector<std::int64_t> gain(size(), 0);
  for (std::uint32_t u = 0; u < size(); ++u)
    for (std::size_t i = first_[u]; i < first_[u + 1]; ++i) {
      const flow_arc &a = arcs_[i], &back = arcs_[a.twin];
      if (a.residual < 0 || a.residual + back.residual != capacities_[i] + capacities_[a.twin]) {
        wrong = "arc " + std::to_string(u) + " to " + std::to_string(a.head) + " exceeds its capacity";
        return -1;
      }
      gain[u] += a.residual - capacities_[i];
    }
  for (std::uint32_t u = 0; u < size(); ++u)
    if (gain[u] != 0 && u != source_ && u != sink_) {
      wrong = "node " + std::to_string(u) + " does not pass on " + std::to_string(gain[u]);
      return -1;
    }
  if (reachable()[sink_]) {
    wrong = "more can flow from the source to the sink";
    return -1;
  }
  return gain[sink_];
}

/// Sequential push-relabel, first in, first out. Sets all heights again after as many lifts as there are nodes.
class flow_sequential {
 public:
  explicit flow_sequential(flow_network& network) : network_(network) {}

  void solve() {
    std::vector<std::uint32_t> active;
    for (bool more = label(); more || !active.empty(); more = label()) {
      const auto activate = [&](std::uint32_t u) { active.push_back(u); };
      if (active.empty()) network_.fill(activate);
      std::size_t next = 0;
      for (std::int64_t lifts = 0; next < active.size() && lifts < network_.size();)
        lifts += network_.discharge<flow_alone>(active[next++], activate).lifts;
      active.erase(active.begin(), active.begin() + static_cast<std::ptrdiff_t>(next));
      std::ranges::sort(active);
    }
  }

 private:
  /// Sets all heights. Returns whether the source can still push to the sink.
  bool label() {
    network_.forget_heights(0, network_.size());
    const bool more = label_from(network_.root(false));
    label_from(network_.root(true));
    return more;
  }
  bool label_from(std::uint32_t root) {
    bool source_can = false;
    std::vector<std::uint32_t> found = {root};
    for (std::size_t next = 0; next < found.size(); ++next)
      source_can |= network_.label<flow_alone>(found[next], [&](std::uint32_t u) { found.push_back(u); });
    return source_can;
  }

  flow_network& network_;
};

}  // namespace workloads
