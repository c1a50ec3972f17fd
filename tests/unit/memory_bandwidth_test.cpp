// Queues of memory nodes, links and buses, and the prefetcher.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "simulator/memory_system.hpp"

namespace skua::simulator {
namespace {

TEST(bandwidth_queue, passes_what_it_can_in_the_order_of_coming) {
  bandwidth_queue queue(3.2, 64);  // 20 cycles a line
  for (cycles i = 0; i < 1000; ++i) ASSERT_EQ(queue.pass(0, 64), 20 * i);
  EXPECT_EQ(queue.pass(10'000, 64), 10'000u);
  EXPECT_EQ(queue.pass(30'000, 64), 0u) << "all gone by then";
}

TEST(bandwidth_queue, who_comes_late_for_an_earlier_time_takes_what_is_left) {
  bandwidth_queue queue(3, 64);  // three lines in 64 cycles
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 0u);
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 21u);
  for (cycles i = 0; i < 100; ++i) ASSERT_EQ(queue.pass(64 * i, 64), 42u);
  EXPECT_EQ(queue.pass(0, 64), 6400u) << "now nothing is left before";
}

TEST(bandwidth_queue, forgets_what_is_past) {
  bandwidth_queue queue(1, 64);
  for (int i = 0; i < 100; ++i) queue.pass(0, 64);
  queue.advance(3200);
  EXPECT_EQ(queue.pass(3200, 64), 3200u);
  queue.advance(1'000'000'000);
  EXPECT_EQ(queue.pass(1'000'000'000, 64), 0u);
  EXPECT_EQ(queue.pass(1'000'000'000, 64), 64u);
}

/// Threads that each stream through `bytes` of their own in pieces of 16 lines, the earliest first: bytes a cycle.
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

TEST(memory_bandwidth, binds_the_cores_of_a_node) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double four = rate(memory, threads_from(0, 4), 1 << 20);
  EXPECT_LE(four, 3.6);
  EXPECT_GE(four, 0.97 * 3.6);
  EXPECT_GT(memory.nodes()[0].queueing, 0u);
  memory_system all(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double sixteen = rate(all, threads_from(0, 16), 1 << 20);
  EXPECT_LE(sixteen, 4 * 3.6);
  EXPECT_GE(sixteen, 0.97 * 4 * 3.6) << "each package has its own";
}

TEST(memory_bandwidth, of_many_cores_but_not_of_one) {
  memory_system one(find_machine("epyc-9654-2s"), detail_level::bandwidth);
  const double alone = rate(one, {0}, 1 << 20);
  EXPECT_LT(alone, 10) << "twenty lines in 420 cycles are 3";
  memory_system many(find_machine("epyc-9654-2s"), detail_level::bandwidth);
  const double package = rate(many, threads_from(0, 96, 2), 1 << 18);
  EXPECT_LE(package, 105);
  EXPECT_GE(package, 0.95 * 105);
}

TEST(memory_bandwidth, is_one_for_all_packages_on_a_bus) {
  memory_system package(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  const double six = rate(package, threads_from(0, 6), 1 << 20);
  EXPECT_LE(six, 3.2) << "a package's bus";
  EXPECT_GE(six, 0.97 * 3.2);
  memory_system all(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  const double machine = rate(all, threads_from(0, 24), 1 << 19);
  EXPECT_LE(machine, 3.9) << "the memory of all";
  EXPECT_GE(machine, 0.97 * 3.9);
}

TEST(memory_bandwidth, of_a_link_binds_those_on_the_other_side) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  for (std::size_t thread = 4; thread < 8; ++thread)  // pages of node 0, touched by nobody but in name
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

TEST(memory_bandwidth, write_backs_take_their_share) {
  // Lines that are written move twice, in and out, but for the 8.25 MiB that the caches of four cores still hold.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::bandwidth);
  const double written = rate(memory, threads_from(0, 4), 8 << 20, access::write);
  const double once = 3.6 * 32 / (32 + 32 - 8.25);
  EXPECT_LE(written, once * 1.001);
  EXPECT_GE(written, once * 0.95);
}

// ---- prefetching

TEST(memory_prefetch, counts_apart_from_what_is_asked_for) {
  constexpr std::size_t pages = 100;
  const auto after = [](const std::string& name) {
    auto memory = std::make_unique<memory_system>(find_machine(name), detail_level::bandwidth);
    memory->stream(0, {0, pages * 4096}, access::read, 0);
    return memory;
  };
  // Two lines of every page show the direction; the other 62 are brought. Opteron's L2 takes nothing but what leaves its
  // L1, so they go there; EPYC's go to its L2.
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
  EXPECT_EQ(epyc->nodes()[0].bytes_read, pages * 4096) << "no line twice, none beyond";
}

TEST(memory_prefetch, hides_latency_and_leaves_other_orders_alone) {
  const machine_model machine = find_machine("epyc-9654-2s");
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
  EXPECT_EQ(misses(33), 64u * 33) << "each comes back to find that it was forgotten";
}

TEST(memory_assumptions, misses_may_overlap) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::caches,
                       {.assumed = {.misses_at_once = 3}});
  EXPECT_EQ(memory.stream(0, {0, 10 * 64}, access::read, 0), 10u * (3 + (210 - 3) / 3));
  EXPECT_EQ(memory.stream(0, {0, 10 * 64}, access::read, 0), 10u * 3);
}

}  // namespace
}  // namespace skua::simulator
