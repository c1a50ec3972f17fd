// Queues of memory nodes, links and buses, and the prefetcher.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simulator/memory/memory_system.hpp"

namespace skua::simulator::memory_bandwidth_test {
namespace {

TEST(bandwidth_queue, serves_requests_in_the_order_of_arrival) {
  bandwidth_queue queue(3.2, 64);  // 20 cycles a line
  for (cycles i = 0; i < 1000; ++i) ASSERT_EQ(queue.pass(0, 64), 20 * i);
  EXPECT_EQ(queue.pass(10'000, 64), 10'000u);
  EXPECT_EQ(queue.pass(30'000, 64), 0u) << "no transfer is left in the queue by then";
}

TEST(bandwidth_queue, a_late_request_for_an_earlier_time_takes_what_is_left) {
  bandwidth_queue queue(3, 64);  // three lines in 64 cycles
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 0u);
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 21u);
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 42u);
  EXPECT_EQ(queue.pass(0, 64), 6400u) << "no bandwidth is left at earlier times";
}

TEST(bandwidth_queue, forgets_the_past) {
  bandwidth_queue queue(1, 64);
  for (int i = 0; i < 100; ++i) queue.pass(0, 64);
  queue.advance(3200);
  EXPECT_EQ(queue.pass(3200, 64), 3200u);
  queue.advance(1'000'000'000);
  EXPECT_EQ(queue.pass(1'000'000'000, 64), 0u);
  EXPECT_EQ(queue.pass(1'000'000'000, 64), 64u);
}

/// Each thread streams through `bytes` bytes of its own in pieces of 16 lines. The thread with the earliest time is next.
/// Returns bytes per cycle.
double rate(memory_system& memory, const std::vector<std::size_t>& threads, std::size_t bytes,
            access how = access::read) {
  std::vector<cycles> now(threads.size(), 0);
  std::vector<std::size_t> done(threads.size(), 0);
  std::size_t total = 0;
  cycles last = 0;
  for (;;) {
    std::size_t next = threads.size();
    for (std::size_t i = 0; i < threads.size(); ++i)
      if (done[i] < bytes && (next == threads.size() || now[i] < now[next])) next = i;
    if (next == threads.size()) break;
    const std::uintptr_t address = (threads[next] + 1) << 32 | done[next];
    now[next] += memory.stream(threads[next], {address, 1024}, how, now[next]);
    done[next] += 1024;
    total += 1024;
    last = std::max(last, now[next]);
  }
  return static_cast<double>(total) / static_cast<double>(last);
}

std::vector<std::size_t> threads_from(std::size_t first, std::size_t count, std::size_t step = 1) {
  std::vector<std::size_t> threads;
  for (std::size_t i = 0; i < count; ++i) threads.push_back(first + i * step);
  return threads;
}

TEST(memory_bandwidth, limits_the_cores_of_a_node) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double four = rate(memory, threads_from(0, 4), 1 << 20);
  EXPECT_LE(four, 3.6);
  EXPECT_GE(four, 0.97 * 3.6);
  EXPECT_GT(memory.nodes()[0].queueing, 0u);
  memory_system all(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double sixteen = rate(all, threads_from(0, 16), 1 << 20);
  EXPECT_LE(sixteen, 4 * 3.6);
  EXPECT_GE(sixteen, 0.97 * 4 * 3.6) << "each package has a memory of its own";
}

TEST(memory_bandwidth, of_many_cores_but_not_of_one) {
  memory_system one(find_machine("epyc-9654-2s"), detail_level::bandwidth);
  const double alone = rate(one, {0}, 1 << 20);
  EXPECT_LT(alone, 10) << "44 lines in 420 cycles are 6.7";
  memory_system many(find_machine("epyc-9654-2s"), detail_level::bandwidth);
  const double package = rate(many, threads_from(0, 96, 2), 1 << 18);
  EXPECT_LE(package, 105);
  EXPECT_GE(package, 0.95 * 105);
}

TEST(memory_bandwidth, is_one_for_all_packages_on_a_bus) {
  memory_system package(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  const double six = rate(package, threads_from(0, 6), 1 << 20);
  EXPECT_LE(six, 3.2) << "the bus of a package limits the rate";
  EXPECT_GE(six, 0.97 * 3.2);
  memory_system all(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  const double machine = rate(all, threads_from(0, 24), 1 << 19);
  EXPECT_LE(machine, 3.9) << "the memory of the machine limits the rate";
  EXPECT_GE(machine, 0.97 * 3.9);
}

TEST(memory_bandwidth, of_a_link_limits_threads_on_the_other_side) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  for (std::size_t thread = 4; thread < 8; ++thread)  // places their pages on node 0
    for (std::uintptr_t page = 0; page < 256; ++page)
      memory.space().first_line(((thread + 1) << 32) / 4096 + page, 0);
  const double over = rate(memory, threads_from(4, 4), 1 << 20);
  EXPECT_LE(over, 1.6);
  EXPECT_GE(over, 0.97 * 1.6);
  for (const link_counters& link : memory.links())
    EXPECT_EQ(link.bytes, link.from == 0 && link.to == 1 ? 4u << 20 : 0u) << link.from << link.to;
}

TEST(memory_bandwidth, two_hops_pass_two_links) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  memory.stream(0, {0, 64}, access::write, 0);
  EXPECT_EQ(memory.stream(12, {0, 64}, access::read, 1000), 260u);
  for (const link_counters& link : memory.links()) {
    const bool used = (link.from == 0 && link.to == 1) || (link.from == 1 && link.to == 3);
    EXPECT_EQ(link.bytes, used ? 64u : 0u) << link.from << link.to;
  }
}

TEST(memory_bandwidth, between_packages_both_buses_are_passed) {
  memory_system memory(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  memory.stream(6, {0, 64}, access::write, 0);
  EXPECT_EQ(memory.stream(0, {0, 64}, access::read, 1000), 420u);
  const std::uint64_t passed[] = {64, 2 * 64, 0, 0};  // the second bus has also passed the line from memory
  for (const link_counters& bus : memory.links()) EXPECT_EQ(bus.bytes, passed[bus.from]) << bus.from;
  EXPECT_EQ(memory.nodes()[0].bytes_read, 64u) << "the data came from a cache and not from memory";
}

TEST(memory_bandwidth, write_backs_take_their_share) {
  // Each written line moves twice, in and out, except for the 8.25 MiB that the caches of four cores still hold.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double written = rate(memory, threads_from(0, 4), 8 << 20, access::write);
  const double once = 3.6 * 32 / (32 + 32 - 8.25);
  EXPECT_LE(written, once * 1.001);
  EXPECT_GE(written, once * 0.95);
}

// ---- prefetching

TEST(memory_prefetch, is_counted_apart_from_demand_misses) {
  constexpr std::size_t pages = 100;
  const auto after = [](const std::string& name) {
    auto memory = std::make_unique<memory_system>(find_machine(name), detail_level::bandwidth);
    memory->stream(0, {0, pages * 4096}, access::read, 0);
    return memory;
  };
  // Two lines of each page show the direction, and the other 62 are prefetched. Opteron's L2 takes only lines that leave its
  // L1, so they are prefetched into the L1. EPYC's are prefetched into its L2.
  const auto opteron = after("opteron-8380-4s");
  EXPECT_EQ(opteron->caches(0)[0].demand_misses, 2 * pages);
  EXPECT_EQ(opteron->caches(0)[0].prefetch_misses, 62 * pages);
  EXPECT_EQ(opteron->caches(0)[0].hits, 62 * pages);
  EXPECT_EQ(opteron->caches(2)[0].demand_misses, 2 * pages);
  EXPECT_EQ(opteron->caches(2)[0].prefetch_misses, 62 * pages);
  const auto epyc = after("epyc-9654-2s");
  EXPECT_EQ(epyc->caches(0)[0].demand_misses, 64 * pages);
  EXPECT_EQ(epyc->caches(0)[0].prefetch_misses, 0u);
  EXPECT_EQ(epyc->caches(1)[0].demand_misses, 2 * pages);
  EXPECT_EQ(epyc->caches(1)[0].prefetch_misses, 62 * pages);
  EXPECT_EQ(epyc->nodes()[0].bytes_read, pages * 4096) << "no line is read twice, and none beyond the range";
}

TEST(memory_prefetch, hides_latency_and_leaves_other_orders_alone) {
  machine_model machine = find_machine("epyc-9654-2s");
  machine.memory.misses_at_once = 1;
  memory_system with(machine, detail_level::bandwidth), without(machine, detail_level::caches);
  const cycles ascending = with.stream(0, {0, 1 << 20}, access::read, 0);
  EXPECT_EQ(without.stream(0, {0, 1 << 20}, access::read, 0), 420u << 14);
  EXPECT_LT(ascending, (420u << 14) / 4);
  memory_system down(machine, detail_level::bandwidth);
  cycles now = 0;
  for (std::uintptr_t line = 1024; line-- > 0;) now += down.stream(0, {64 * line, 64}, access::read, now);
  EXPECT_EQ(down.sum_of(1).prefetch_misses, 0u);
  EXPECT_EQ(now, 420u * 1024);
}

TEST(memory_prefetch, follows_as_many_streams_as_it_has) {
  const auto misses = [](std::size_t streams) {
    memory_system memory(find_machine("epyc-9654-2s"), detail_level::bandwidth);
    for (std::uintptr_t line = 0; line < 64; ++line)
      for (std::uintptr_t s = 0; s < streams; ++s)
        memory.stream(0, {4096 * s + 64 * line, 64}, access::read, 1000 * (line * streams + s));
    return memory.sum_of(1).demand_misses;
  };
  EXPECT_EQ(misses(32), 2u * 32);
  EXPECT_EQ(misses(33), 64u * 33) << "each line was evicted before it was used again";
}

TEST(memory_prefetch, keeps_the_streams_that_are_used) {
  // Reads one page line by line, while 63 other pages are begun and abandoned.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  for (std::uintptr_t line = 0; line < 64; ++line) {
    memory.stream(0, {64 * line, 64}, access::read, 2000 * line);
    if (line > 0) memory.stream(0, {4096 * line, 64}, access::read, 2000 * line + 1000);
  }
  EXPECT_EQ(memory.sum_of(0).demand_misses, 2u + 63);
  EXPECT_EQ(memory.sum_of(0).prefetch_misses, 62u);
}

TEST(memory_prefetch, goes_on_to_the_next_page_where_the_machine_does) {
  const auto misses = [](bool crosses) {
    machine_model machine = find_machine("epyc-9654-2s");
    machine.memory.prefetch_crosses_pages = crosses;
    memory_system memory(machine, detail_level::bandwidth);
    for (std::uintptr_t page = 9; page-- > 0;)
      memory.space().first_line(page, 0);  // not in the order of their addresses
    memory.stream(0, {0, 8 * 4096}, access::read, 0);
    EXPECT_EQ(memory.nodes()[0].bytes_read, 8u * 4096) << "no line beyond the range is read";
    return memory.sum_of(1).demand_misses;
  };
  EXPECT_EQ(misses(false), 2u * 8);
  EXPECT_EQ(misses(true), 2u);
}

TEST(memory_prefetch, runs_ahead_as_far_as_the_machine_says) {
  const auto brought = [](std::optional<unsigned> ahead) {
    machine_model machine = find_machine("epyc-9654-2s");
    machine.memory.lines_ahead = ahead;
    memory_system memory(machine, detail_level::bandwidth);
    memory.stream(0, {0, 2 * 64}, access::read, 0);
    return memory.sum_of(1).prefetch_misses;
  };
  EXPECT_EQ(brought(std::nullopt), memory_assumptions{}.lines_ahead);
  EXPECT_EQ(brought(7), 7u);
}

// ---- misses that overlap

/// The cycles for ten lines that are in no cache.
cycles ten_lines(unsigned at_once, detail_level level = detail_level::caches) {
  machine_model machine = find_machine("opteron-8380-4s");  // 3 cycles to its L1, 210 to memory
  machine.memory.misses_at_once = at_once;
  memory_system memory(machine, level);
  return memory.stream(0, {0, 10 * 64}, access::read, 0);
}

TEST(memory_overlap, waits_for_that_many_lines_of_a_range_at_a_time) {
  EXPECT_EQ(ten_lines(1), 10u * 210);
  EXPECT_EQ(ten_lines(3), 4u * 210) << "ten lines are read in groups of 3, 3, 3 and 1";
  EXPECT_EQ(ten_lines(8), 2u * 210 + 1) << "one line is requested per cycle";
  EXPECT_EQ(ten_lines(10), 210u + 9);
  EXPECT_EQ(ten_lines(100), 210u + 9);
}

TEST(memory_overlap, hits_overlap_too) {
  machine_model machine = find_machine("opteron-8380-4s");
  for (const unsigned at_once : {1u, 8u}) {
    machine.memory.misses_at_once = at_once;
    memory_system memory(machine, detail_level::caches);
    memory.stream(0, {0, 10 * 64}, access::read, 0);
    EXPECT_EQ(memory.stream(0, {0, 10 * 64}, access::read, 10'000), at_once == 1 ? 10u * 3 : 3u + 9);
  }
}

TEST(memory_overlap, goes_over_the_rows_of_a_range_but_not_to_the_next) {
  machine_model machine = find_machine("opteron-8380-4s");
  machine.memory.misses_at_once = 8;
  memory_system memory(machine, detail_level::caches);
  EXPECT_EQ(memory.stream(0, {0, 64, 4, 1 << 20}, access::read, 0), 210u + 3);
  EXPECT_EQ(memory.stream(0, {1 << 16, 64}, access::read, 1000), 210u);
}

TEST(memory_overlap, is_limited_by_the_bandwidth_of_a_core) {
  machine_model machine = find_machine("epyc-9654-2s");
  machine.memory.lines_ahead = 64;
  machine.memory.prefetch_crosses_pages = true;
  memory_system free(machine, detail_level::bandwidth);
  EXPECT_GT(static_cast<double>(1 << 20) / static_cast<double>(free.stream(0, {0, 1 << 20}, access::read, 0)),
            13)
      << "64 lines ahead and 24 asked for, in 420 cycles";
  machine.memory.core_bytes_a_cycle = 10;
  memory_system bound(machine, detail_level::bandwidth);
  const double alone =
      static_cast<double>(1 << 20) / static_cast<double>(bound.stream(0, {0, 1 << 20}, access::read, 0));
  EXPECT_LE(alone, 10);
  EXPECT_GE(alone, 9.5);
  memory_system one(machine, detail_level::bandwidth), two(machine, detail_level::bandwidth);
  EXPECT_GE(rate(two, threads_from(0, 2, 2), 1 << 20), 1.9 * rate(one, {0}, 1 << 20))
      << "each core reaches its own rate";
}

}  // namespace
}  // namespace skua::simulator::memory_bandwidth_test
