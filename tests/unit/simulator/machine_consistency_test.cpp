// Rules for all machines: a closer thread or memory is never slower. The tests cover machines/ and the default models of
// saved machines.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "tests/support/machine_files.hpp"

namespace skua::simulator::machine_consistency_test {
namespace {

std::vector<std::string> all_machines() {
  std::vector<std::string> names;
  for (const std::string_view name : known_machines()) names.emplace_back(name);
  for (const auto& file : machine_files()) names.push_back(file.string());
  return names;
}

/// The cost for `to` of a line that `from` has changed. If the two share a cache and no cost is given, it is a hit in that
/// cache.
unsigned transfer(const machine_model& m, std::size_t from, std::size_t to) {
  const hardware_thread &a = m.hardware[from], &b = m.hardware[to];
  if (a.package != b.package) return m.transfers.by_hops.at(m.hops[a.package][b.package] - 1);
  if (const std::size_t level = m.shared_level(from, to); a.core != b.core && level < m.caches.size())
    return m.transfers.by_cache[level].modified.value_or(m.caches[level].latency);
  if (a.core == b.core) return m.transfers.same_core.value_or(m.caches[0].latency);
  return m.transfers.same_package.value();
}

/// The fewer caches two threads share, the farther apart they are. Between packages, the hops count.
std::size_t steps(const machine_model& m, std::size_t from, std::size_t to) {
  const hardware_thread &a = m.hardware[from], &b = m.hardware[to];
  if (a.core == b.core) return 0;
  if (a.package == b.package) return 1 + m.shared_level(from, to);
  return 2 + m.caches.size() + m.hops[a.package][b.package];
}

TEST(machine_consistency, a_line_from_a_closer_thread_is_never_slower) {
  for (const std::string& name : all_machines()) {
    SCOPED_TRACE(name);
    const machine_model m = find_machine(name);
    const std::size_t stride =
        std::max<std::size_t>(1, m.threads() / 64);  // from about 64 threads to all threads
    for (std::size_t from = 0; from < m.threads(); from += stride) {
      std::vector<std::pair<std::size_t, unsigned>> ways;
      for (std::size_t to = 0; to < m.threads(); ++to)
        if (to != from) ways.emplace_back(steps(m, from, to), transfer(m, from, to));
      std::ranges::sort(ways);
      EXPECT_TRUE(std::ranges::is_sorted(ways, {}, [](const auto& way) { return way.second; }))
          << "from " << from;
      for (const auto& [step, cycles] : ways) EXPECT_GE(cycles, m.caches.front().latency);
    }
  }
}

TEST(machine_consistency, memory_of_a_closer_node_is_never_slower) {
  for (const std::string& name : all_machines()) {
    SCOPED_TRACE(name);
    const machine_model m = find_machine(name);
    const auto latency = [&](std::size_t a, std::size_t b) {
      return m.memory.latency_by_hops.at(m.node_hops[a][b]);
    };
    for (std::size_t a = 0; a < m.nodes; ++a)
      for (std::size_t b = 0; b < m.nodes; ++b) {
        EXPECT_GE(latency(a, b), latency(a, a));
        EXPECT_EQ(m.node_hops[a][b], m.node_hops[b][a]);
      }
    EXPECT_TRUE(std::ranges::is_sorted(m.memory.latency_by_hops));
    EXPECT_GT(m.memory.latency_by_hops[0], m.caches.back().latency);
    for (std::size_t level = 1; level < m.caches.size(); ++level)
      EXPECT_GT(m.caches[level].latency, m.caches[level - 1].latency);
  }
}

/// Only for machines whose hops are those of physical links. Hops that are derived from NUMA distances need not follow this
/// rule.
TEST(machine_consistency, hops_are_the_shortest_ways_over_links) {
  for (const std::string_view name : known_machines()) {
    SCOPED_TRACE(name);
    const machine_model m = find_machine(std::string(name));
    for (std::size_t a = 0; a < m.packages; ++a)
      for (std::size_t b = 0; b < m.packages; ++b) {
        EXPECT_EQ(m.hops[a][b], m.hops[b][a]);
        EXPECT_EQ(m.hops[a][b] == 0, a == b);
        unsigned shortest = m.hops[a][b] > 1 ? 16 : m.hops[a][b];
        for (std::size_t over = 0; over < m.packages; ++over)
          if (m.hops[a][over] == 1 && a != b) shortest = std::min(shortest, 1 + m.hops[over][b]);
        EXPECT_EQ(m.hops[a][b], shortest) << a << " to " << b;
      }
  }
}

/// The defaults must lie in the middle of the eight real machines.
TEST(machine_consistency, defaults_lie_among_real_machines) {
  std::vector<machine_model> real;
  for (const std::string_view name : known_machines())
    if (!name.starts_with("adm")) real.push_back(find_machine(std::string(name)));
  ASSERT_EQ(real.size(), 8u);
  const auto expect_middle = [&](const char* what, double value, auto of) {
    std::size_t below = 0, above = 0, all = 0;
    for (const machine_model& m : real) {
      const std::optional<double> found = of(m);
      if (!found) continue;
      ++all, below += *found <= value, above += *found >= value;
    }
    EXPECT_GE(below * 4, all) << what;  // at least a quarter on either side
    EXPECT_GE(above * 4, all) << what;
  };
  using maybe = std::optional<double>;
  for (std::size_t level = 0; level < 3; ++level)
    expect_middle("latency of a cache", defaults::caches[level].latency,
                  [&](const machine_model& m) { return maybe(m.caches[level].latency); });
  expect_middle("L3", static_cast<double>(defaults::caches[2].bytes),
                [](const machine_model& m) { return maybe(static_cast<double>(m.caches[2].bytes)); });
  expect_middle("clock", defaults::gigahertz, [](const machine_model& m) { return maybe(m.ghz); });
  expect_middle("same core", defaults::same_core, [](const machine_model& m) {
    return m.transfers.same_core ? maybe(*m.transfers.same_core) : std::nullopt;
  });
  expect_middle("modified in the L3", defaults::modified_times_hit, [](const machine_model& m) {
    return maybe(static_cast<double>(*m.transfers.by_cache[2].modified) / m.caches[2].latency);
  });
  expect_middle("first hop", defaults::first_hop,
                [](const machine_model& m) { return maybe(m.transfers.by_hops[0]); });
  expect_middle("memory", defaults::memory_latency,
                [](const machine_model& m) { return maybe(m.memory.latency_by_hops[0]); });
  expect_middle("memory one hop away", 1 + defaults::percent_of_distance / 100.0, [](const machine_model& m) {
    return m.nodes > 1 ? maybe(static_cast<double>(m.memory.latency_by_hops[1]) / m.memory.latency_by_hops[0])
                       : std::nullopt;
  });
  expect_middle("bandwidth", defaults::tenths_of_bytes_a_core / 10.0, [](const machine_model& m) {
    return maybe(m.memory.bytes_a_cycle * static_cast<double>(m.nodes) / static_cast<double>(m.cores));
  });
  expect_middle("link", defaults::link_percent / 100.0,
                [](const machine_model& m) { return maybe(*m.link_bytes_a_cycle / m.memory.bytes_a_cycle); });
}

}  // namespace
}  // namespace skua::simulator::machine_consistency_test
