// Declared data in caches: all kinds of transfers, which lines of smaller caches the larger ones hold, write-backs, and
// the misses of a stencil. The expected values are computed by hand from the machines' files.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "simulator/machine/machine_model.hpp"
#include "simulator/memory/memory_system.hpp"

namespace skua::simulator::memory_caches_test {
namespace {

constexpr access read = access::read, write = access::write, atomic = access::atomic;

/// The caches alone, accessed by line number. The lines from 0 on are on node 0.
struct bare {
  explicit bare(const std::string& name, std::size_t pages = 4096)
      : machine(find_machine(name)),
        shape(machine),
        space(shape, page_policy::first_touch),
        between(machine, shape, false, {}),
        caches(machine, shape, space, between) {
    for (std::size_t page = 0; page < pages; ++page) space.first_line(page, 0);
  }

  /// Returns the first line of a page on another node.
  line_number on_node(std::size_t node) {
    return space.first_line(1'000'000 + node, node * shape.cores() / shape.nodes());
  }
  cycles operator()(std::size_t core, line_number line, access how) {
    return caches.demand(core, line, how, 0);
  }
  const cache_counters& counters(std::size_t level, std::size_t core) {
    return caches.counters()[shape.cache_of(level, core)];
  }
  bool holds(std::size_t level, std::size_t core, line_number line) {
    return caches.holds(shape.cache_of(level, core), line);
  }

  machine_model machine;
  machine_shape shape;
  address_space space;
  interconnect between;
  cache_hierarchy caches;
};

TEST(memory_caches, all_known_machines_work) {
  for (const std::string_view name : known_machines()) {
    SCOPED_TRACE(name);
    const machine_model machine = find_machine(std::string(name));
    memory_system memory(machine, detail_level::bandwidth);
    const std::size_t last = machine.threads() - 1;
    EXPECT_GE(memory.stream(0, {1 << 20, 1 << 16}, write, 0), machine.memory.latency_by_hops[0]);
    EXPECT_GT(memory.stream(last, {1 << 20, 1 << 16}, read, 10'000'000), 0u);
    EXPECT_EQ(memory.stream(last, {(1 << 20) + 1023 * 64, 64}, read, 90'000'000), machine.caches[0].latency);
    EXPECT_EQ(memory.sum_of(0).demand_misses + memory.sum_of(0).prefetch_misses, 2u * 1024);
    EXPECT_EQ(memory.sum_of(0).invalidations, 0u);
    EXPECT_EQ(memory.sum_of(machine.caches.size() - 1).write_backs, 0u);
  }
}

// ---- transfers

TEST(memory_caches, transfers_on_four_packages) {
  bare touch("opteron-8380-4s");
  EXPECT_EQ(touch(0, 0, read), 210u);
  EXPECT_EQ(touch(0, 0, read), 3u);
  EXPECT_EQ(touch(0, touch.on_node(1) + 1, read), 300u) << "of node 1, one hop";
  EXPECT_EQ(touch(0, touch.on_node(3) + 2, read), 375u) << "of node 3, two hops";
  EXPECT_EQ(touch(0, 0, write), 3u);
  EXPECT_EQ(touch(1, 0, read), 119u) << "modified, same L3";
  EXPECT_EQ(touch(2, 0, read), 119u) << "the line comes from its owner";
  EXPECT_EQ(touch(4, 0, read), 205u) << "one hop";
  EXPECT_EQ(touch(5, 0, read), 45u) << "clean, same L3";
  EXPECT_EQ(touch(0, 0, write), 245u) << "other caches share the line";
  EXPECT_FALSE(touch.holds(0, 4, 0));
  EXPECT_EQ(touch(12, 0, write), 260u) << "the line comes two hops from its only holder";
  EXPECT_EQ(touch(12, 0, atomic), 3u + 30);
  EXPECT_EQ(touch.caches.owner(0), touch.shape.cache_of(0, 12));
  EXPECT_EQ(touch.caches.transfers()[3], 3u);
  EXPECT_EQ(touch.caches.transfers()[5], 1u);
  EXPECT_EQ(touch.caches.transfers()[6], 1u);
  EXPECT_EQ(touch.counters(0, 0).invalidations, 1u);
  EXPECT_EQ(touch.counters(0, 4).invalidations, 1u);
}

TEST(memory_caches, clean_lines_come_from_memory_where_that_is_nearer) {
  bare touch("epyc-9654-2s");
  const line_number far = touch.on_node(1);
  EXPECT_EQ(touch(0, 0, read), 420u);
  EXPECT_EQ(touch(96, 0, read), 690u) << "from the cache: memory would be 730";
  EXPECT_EQ(touch(0, far, read), 730u);
  EXPECT_EQ(touch(96, far, read), 420u) << "from its own memory: the cache would be 690";
  EXPECT_EQ(touch(0, 1, read), 420u);
  EXPECT_EQ(touch(8, 1, read), 350u) << "another L3 of the package";
  EXPECT_EQ(touch(9, 1, read), 50u) << "clean, from a core below the same L3";
  EXPECT_EQ(touch(9, 1, write), 300u);
  EXPECT_EQ(touch(10, 1, read), 78u) << "the line was modified there";
}

TEST(memory_caches, pairs_that_share_a_cache) {
  bare touch("xeon-x7460-4s-dunnington");
  EXPECT_EQ(touch(0, 0, read), 430u);
  EXPECT_EQ(touch(1, 0, read), 15u) << "a hit in their L2";
  EXPECT_EQ(touch(2, 0, read), 100u) << "a hit in the L3";
  EXPECT_EQ(touch(1, 0, write), 300u);
  EXPECT_TRUE(touch.holds(1, 0, 0));
  EXPECT_FALSE(touch.holds(0, 0, 0));
  EXPECT_FALSE(touch.holds(1, 2, 0));
  EXPECT_EQ(touch(0, 0, read), 50u) << "their L2 has an old copy";
  EXPECT_EQ(touch.caches.owner(0), touch.shape.cache_of(1, 0)) << "the L2 now has the new copy";
  EXPECT_EQ(touch.counters(0, 1).write_backs, 1u);
  EXPECT_EQ(touch(4, 0, read), 170u) << "modified, same L3";
  EXPECT_EQ(touch.caches.owner(0), touch.shape.cache_of(2, 0));
  EXPECT_EQ(touch(2, 0, read), 100u);
  EXPECT_EQ(touch(23, 1, read), 430u) << "memory is as far from all packages";
  EXPECT_EQ(touch(6, 0, write), 420u);
  for (const std::size_t core : {0u, 1u, 2u, 4u})
    for (const std::size_t level : {0u, 1u, 2u}) EXPECT_FALSE(touch.holds(level, core, 0));
}

// ---- what caches hold

TEST(memory_caches, a_victim_cache_gets_evicted_lines_and_gives_them_back) {
  bare touch("opteron-8380-4s");
  // L1: 512 sets of 2 lines. L2, exclusive: 512 sets of 16. L3, victim: 2048 sets of 48. Lines 0, 512, 1024 ... are in the
  // same set.
  for (line_number i = 0; i < 3; ++i) touch(0, 512 * i, read);
  EXPECT_FALSE(touch.holds(0, 0, 0)) << "the cache has two ways";
  EXPECT_TRUE(touch.holds(1, 0, 0));
  EXPECT_FALSE(touch.holds(1, 0, 512)) << "L2 holds no line that L1 holds";
  EXPECT_EQ(touch(0, 0, read), 15u);
  EXPECT_FALSE(touch.holds(1, 0, 0)) << "the line moved from L2 to L1";
  EXPECT_TRUE(touch.holds(1, 0, 512)) << "the line that L1 evicted moved to L2";
  for (line_number i = 3; i < 19; ++i) touch(0, 512 * i, read);
  EXPECT_TRUE(touch.holds(2, 0, 512)) << "the oldest of 19 lines in 2 + 16 ways";
  EXPECT_FALSE(touch.holds(2, 0, 0));
  EXPECT_EQ(touch(1, 512, read), 45u) << "another core takes it";
  EXPECT_FALSE(touch.holds(2, 0, 512));
  EXPECT_TRUE(touch.holds(0, 1, 512));
}

TEST(memory_caches, an_inclusive_cache_takes_its_lines_out_of_smaller_ones) {
  bare touch("xeon-x5550-2s-nehalem");
  // L3: 8192 sets of 16 lines. L2: 512 sets of 8. L1: 64 sets of 8. Core 0 writes line 0 and uses it all the time. The L3
  // does not see this use while core 1 fills the set.
  touch(0, 0, write);
  for (line_number i = 1; i <= 15; ++i) {
    touch(1, 8192 * i, read);
    EXPECT_EQ(touch(0, 0, read), 4u);
  }
  EXPECT_EQ(touch.between.nodes()[0].bytes_written, 0u);
  touch(1, 8192 * 16, read);
  for (const std::size_t level : {0u, 1u, 2u}) EXPECT_FALSE(touch.holds(level, 0, 0));
  EXPECT_EQ(touch.counters(0, 0).back_invalidations, 1u);
  EXPECT_EQ(touch.counters(1, 0).back_invalidations, 1u);
  EXPECT_EQ(touch.counters(2, 0).evictions, 1u);
  EXPECT_EQ(touch.counters(2, 0).write_backs, 1u);
  EXPECT_EQ(touch.between.nodes()[0].bytes_written, 64u);
  EXPECT_EQ(touch(0, 0, read), 175u);
}

TEST(memory_caches, an_independent_cache_leaves_smaller_ones_alone) {
  bare touch("xeon-8480plus-2s", 65536);
  // L3: 114688 sets of 15 lines.
  touch(0, 0, read);
  for (line_number i = 1; i <= 15; ++i) {
    touch(1, 114688 * i, read);
    touch(0, 0, read);
  }
  EXPECT_FALSE(touch.holds(2, 0, 0));
  EXPECT_TRUE(touch.holds(0, 0, 0));
  EXPECT_TRUE(touch.holds(1, 0, 0));
}

TEST(memory_caches, bytes_that_leave_for_another_package_are_counted) {
  bare touch("opteron-8380-4s");
  const line_number far = touch.on_node(1);
  touch(0, 0, read);        // on node 0, read by its own package
  touch(0, far, read);      // on node 1, read by package 0
  touch(4, far + 1, read);  // on node 1, read by its own package
  const std::span<const node_counters> nodes = touch.between.nodes();
  EXPECT_EQ(nodes[0].bytes_read, 64u);
  EXPECT_EQ(nodes[0].bytes_read_remotely, 0u);
  EXPECT_EQ(nodes[1].bytes_read, 2u * 64);
  EXPECT_EQ(nodes[1].bytes_read_remotely, 64u);
}

TEST(memory_caches, modified_lines_are_written_back_once) {
  bare touch("opteron-8380-4s", 8192);
  // 8 MiB pass through 64 KiB + 512 KiB + 6 MiB. What does not fit has been written to memory.
  constexpr std::size_t lines = 1 << 17, room = (1 << 10) + (1 << 13) + 6 * (1 << 14);
  for (line_number line = 0; line < lines; ++line) touch(0, line, write);
  std::uint64_t written = 0;
  for (const node_counters& node : touch.between.nodes()) written += node.bytes_written;
  EXPECT_EQ(written, 64 * (lines - room));
  EXPECT_EQ(touch.counters(0, 0).write_backs, lines - (1 << 10));
  EXPECT_EQ(touch.counters(1, 0).write_backs, lines - (1 << 10) - (1 << 13));
  EXPECT_EQ(touch.counters(2, 0).write_backs, lines - room);
  for (line_number line = lines; line < 2 * lines; ++line) touch(0, line, read);
  std::uint64_t then = 0;
  for (const node_counters& node : touch.between.nodes()) then += node.bytes_written;
  EXPECT_EQ(then, 64 * lines) << "no line is counted twice";
}

TEST(memory_caches, threads_of_a_core_share_its_caches) {
  memory_system memory(find_machine("epyc-9654-2s"), detail_level::caches);
  EXPECT_EQ(memory.stream(0, {0, 64}, read, 0), 420u);
  EXPECT_EQ(memory.stream(1, {0, 64}, read, 0), 4u);
  EXPECT_EQ(memory.stream(2, {0, 64}, read, 0), 50u);
}

// ---- pages

TEST(memory_caches, pages_lie_where_they_are_touched_first_or_as_the_machine_says) {
  const machine_model machine = find_machine("opteron-8380-4s");
  memory_system first(machine, detail_level::caches);
  EXPECT_EQ(first.stream(12, {0, 64}, read, 0), 210u);
  EXPECT_EQ(first.stream(0, {64, 64}, read, 0), 375u);
  EXPECT_EQ(first.nodes()[3].bytes_read, 128u);
  memory_system dealt(machine, detail_level::caches, {.pages = page_policy::interleave});
  for (std::size_t page = 0; page < 8; ++page)
    EXPECT_EQ(dealt.stream(0, {4096 * page, 64}, read, 0), page % 4 == 0   ? 210u
                                                           : page % 4 == 3 ? 375u
                                                                           : 300u);
}

TEST(memory_caches, threads_that_touch_in_turns_use_all_of_their_caches) {
  // Each thread touches 256 KiB, half of its L2. The threads take turns after each page.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::caches);
  for (int round = 0; round < 2; ++round)
    for (std::uintptr_t page = 0; page < 64; ++page)
      for (std::uintptr_t thread = 0; thread < 16; ++thread)
        memory.stream(thread, {(thread << 32) + 4096 * page, 4096}, read, 0);
  EXPECT_EQ(memory.sum_of(1).demand_misses, 16u * 64 * 64) << "only the first access misses";
}

// ---- a whole program

TEST(memory_caches, a_stencil_misses_each_line_once_per_sweep) {
  // A row has 1024 doubles, or 128 lines. Three rows are read and one is written. Four rows are 32 KiB, and the L1 has 64
  // KiB. Both grids together are 16 MiB, more than all caches. So a sweep loads each line once, from memory.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::caches);
  constexpr std::size_t rows = 1024, row = 8192, grid = rows * row;
  const auto sweep = [&] {
    const std::uint64_t l1 = memory.sum_of(0).demand_misses, l3 = memory.sum_of(2).demand_misses;
    for (std::size_t r = 1; r + 1 < rows; ++r) {
      memory.stream(0, {grid + (r - 1) * row, row, 3, row}, read, 0);
      memory.stream(0, {4 * grid + r * row, row}, write, 0);
    }
    return std::pair(memory.sum_of(0).demand_misses - l1, memory.sum_of(2).demand_misses - l3);
  };
  constexpr std::uint64_t lines = (rows + (rows - 2)) * 128;
  EXPECT_EQ(sweep(), std::pair(lines, lines));
  EXPECT_EQ(sweep(), std::pair(lines, lines));
  EXPECT_EQ(memory.nodes()[0].bytes_read, 2 * 64 * lines);
  EXPECT_EQ(memory.sum_of(0).hits, 2 * ((rows - 2) * 4 * 128 - lines));
}

TEST(memory_caches, a_stencil_that_fits_misses_once) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::caches);
  constexpr std::size_t rows = 256, row = 8192;
  for (int sweep = 0; sweep < 5; ++sweep)
    for (std::size_t r = 1; r + 1 < rows; ++r) {
      memory.stream(0, {(r - 1) * row, row, 3, row}, read, 0);
      memory.stream(0, {1 << 26 | r * row, row}, write, 0);
    }
  EXPECT_EQ(memory.sum_of(2).demand_misses, (rows + rows - 2) * 128) << "4 MiB fit into the L3 of 6 MiB";
  EXPECT_EQ(memory.sum_of(0).demand_misses, 5 * (rows + rows - 2) * 128);
}

// ---- independence of addresses

TEST(memory_caches, do_not_depend_on_addresses) {
  const auto run = [](std::uintptr_t a, std::uintptr_t b) {
    memory_system memory(find_machine("opteron-8354-8s"), detail_level::bandwidth);
    cycles now = 0;
    for (std::size_t round = 0; round < 3; ++round)
      for (std::size_t thread = 0; thread < 32; ++thread) {
        now += memory.stream(thread, {a + thread * 10'000, 12'000}, read, now);
        now += memory.stream(thread, {b + thread * 6'000, 700, 8, 750}, write, now);
      }
    std::string all = std::to_string(now);
    for (std::size_t level = 0; level < 3; ++level)
      for (const cache_counters& one : memory.caches(level))
        all += ' ' + std::to_string(one.hits) + '/' + std::to_string(one.demand_misses) + '/' +
               std::to_string(one.prefetch_misses) + '/' + std::to_string(one.write_backs);
    for (const node_counters& one : memory.nodes()) all += ' ' + std::to_string(one.bytes_read);
    for (const link_counters& one : memory.links()) all += ' ' + std::to_string(one.queueing);
    return all;
  };
  const std::string here = run(0x10000000, 0x20000000);
  EXPECT_EQ(run(0x7F3210000000, 0x7F3110000000), here)
      << "the addresses differ, and the second array is touched first";
  EXPECT_EQ(run(0x10003000, 0x20001000), here);
  EXPECT_NE(run(0x10000010, 0x20000000), here)
      << "malloc's 16 bytes shift the array, so some ranges cover one line more";
}

TEST(memory_caches, refuse_machines_that_they_do_not_know) {
  machine_model machine = find_machine("opteron-8380-4s");
  machine.caches[2].cores = 8;
  share_by_cores(machine);
  try {
    memory_system(machine, detail_level::lines);
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_STREQ(e.what(),
                 "opteron-8380-4s: several packages share an L3; allowed: caches within one package");
  }
}

/// A hybrid machine. Some cores have two threads and 48 KB, others one thread and 32 KB. An L2 belongs to one core or to
/// four.
TEST(memory_caches, of_cores_that_differ) {
  const std::string file = std::string(SKUA_SHARED) + "/topologies/20-i7-1370p-hybrid.xml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no folder of machines";
  const machine_model machine = find_machine(file);
  ASSERT_NE(machine.instances[0].front().bytes, machine.instances[0].back().bytes);
  memory_system memory(machine, detail_level::caches);
  for (std::size_t thread = 0; thread < machine.threads(); ++thread) {
    const std::uintptr_t address = (thread + 1) << 32;
    const std::uint64_t own = machine.instances[0][machine.instance_of(0, thread)].bytes;
    memory.stream(thread, {address, own}, access::read, 0);
    const cycles again = memory.stream(thread, {address, own}, access::read, 10'000'000);
    // One line per cycle, and the latency of the last line.
    EXPECT_EQ(again, own / 64 - 1 + machine.caches[0].latency)
        << "all of its own cache's size stays, of thread " << thread;
    EXPECT_GT(memory.stream(thread, {address, own + 64 * 64}, access::read, 20'000'000), 2 * again);
  }
}

/// Two small cores share an L2, a third one has its own, and none of them has an L3.
TEST(memory_caches, of_cores_that_lack_a_level) {
  memory_system memory(find_machine(std::string(SKUA_TESTS) + "/data/hybrid.xml"), detail_level::caches);
  const std::size_t large = 5, small = 8, pair = 6, other_of_pair = 7;
  constexpr std::uint64_t bytes = 8 << 20, lines = bytes / 64;  // more than an L2
  const auto twice = [&](std::size_t thread) {
    const std::uintptr_t address = (thread + 1) << 32;
    const cycles first = memory.stream(thread, {address, bytes}, access::read, 0);
    return std::pair(first, memory.stream(thread, {address, bytes}, access::read, 100'000'000));
  };
  const auto [fetched, again] = twice(large);
  EXPECT_LT(again, fetched / 2) << "most lines come from the L3";
  const auto l3_misses = [&] {
    std::uint64_t sum = 0;
    for (const cache_counters& one : memory.caches(2)) sum += one.demand_misses + one.prefetch_misses;
    return sum;
  };
  EXPECT_EQ(l3_misses(), lines);
  const auto [fetched_by_small, again_by_small] = twice(small);
  EXPECT_GT(again_by_small, fetched_by_small * 9 / 10) << "most lines come from memory again";
  EXPECT_EQ(l3_misses(), lines) << "a core without an L3 counts no misses of an L3";

  const std::uintptr_t shared = std::uintptr_t{99} << 32;
  memory.stream(pair, {shared, 64}, access::write, 200'000'000);
  const auto before = memory.caches(1)[3].hits;
  memory.stream(other_of_pair, {shared, 64}, access::read, 200'100'000);
  EXPECT_EQ(memory.caches(1)[3].hits, before + 1) << "both threads share the L2";
}

TEST(address_space, numbers_by_first_touch) {
  const machine_shape shape(find_machine("opteron-8380-4s"));
  address_space space(shape, page_policy::first_touch);
  const line_number first = space.first_line(900, 8);
  EXPECT_EQ(first, 0u);
  EXPECT_EQ(space.first_line(100, 8), 64u);
  EXPECT_EQ(space.first_line(900, 1), 0u);
  EXPECT_EQ(space.home(63), 2u);
  EXPECT_EQ(space.first_line(101, 9), 64u * 64)
      << "a thread under another cache gets a run of pages of its own";
  EXPECT_EQ(space.first_line(102, 8), 128u);
  const line_number other = space.first_line(103, 12);
  EXPECT_EQ(other, 64u * address_space::block_pages)
      << "threads under another cache get another block of pages";
  EXPECT_EQ(space.home(other), 3u);
  EXPECT_EQ(space.pages(), 5u);
  alignas(128) static char words[256];
  EXPECT_EQ(space.word_line(words + 128), 0u);
  EXPECT_EQ(space.word_line(words + 64), 1u) << "the other line of a pair";
  EXPECT_EQ(space.word_line(words + 191), 0u);
  EXPECT_EQ(space.word_lines(), 2u);
  space.forget(words + 65, 128);
  EXPECT_EQ(space.word_line(words + 64), 1u) << "a line that is forgotten only in part stays";
  EXPECT_EQ(space.word_line(words + 128), 2u);
}

}  // namespace
}  // namespace skua::simulator::memory_caches_test
