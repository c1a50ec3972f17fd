// The words of the runtime: the cost of each kind of access, computed by hand from the machines' files, and waits for lines.
#include <gtest/gtest.h>

#include <string>

#include "simulator/memory/memory_system.hpp"

namespace skua::simulator::memory_words_test {
namespace {

constexpr access read = access::read, write = access::write, atomic = access::atomic;

/// Accesses that are far apart in time, so none of them waits.
class calm {
 public:
  explicit calm(const std::string& machine) : memory_(find_machine(machine), detail_level::lines) {}
  cycles operator()(std::size_t thread, line_number line, access how) {
    return memory_.touch(thread, line, how, now_ += 1'000'000);
  }
  memory_system& memory() { return memory_; }

 private:
  memory_system memory_;
  cycles now_ = 0;
};

TEST(memory_words, on_four_packages_of_four_cores) {
  calm touch("opteron-8380-4s");
  EXPECT_EQ(touch(0, 7, read), 210u) << "memory of its own node";
  EXPECT_EQ(touch(0, 7, read), 3u);
  EXPECT_EQ(touch(0, 7, write), 3u) << "no other cache has the line";
  EXPECT_EQ(touch(0, 7, atomic), 3u + 30);
  EXPECT_EQ(touch(1, 7, read), 119u) << "modified, same L3";
  EXPECT_EQ(touch(0, 7, read), 3u) << "the owner keeps it";
  EXPECT_EQ(touch(2, 7, read), 45u) << "clean, same L3";
  EXPECT_EQ(touch(0, 7, write), 245u) << "other caches share the line";
  EXPECT_EQ(touch(4, 7, read), 205u) << "one hop";
  EXPECT_EQ(touch(5, 7, read), 45u) << "the nearest cache has the line";
  EXPECT_EQ(touch(12, 7, write), 245u)
      << "package 1 is one hop away (205), and three cores lose their copies";
  EXPECT_EQ(touch(0, 7, write), 260u) << "two hops";
  EXPECT_EQ(touch(8, 7, atomic), 205u + 30);
  const auto transfers = touch.memory().transfers();
  ASSERT_EQ(transfers.size(), 7u);
  EXPECT_EQ(transfers[3].distance, "same L3");
  EXPECT_EQ(transfers[3].words, 3u);
  EXPECT_EQ(transfers[5].distance, "1 hop");
  EXPECT_EQ(transfers[5].words, 3u);
  EXPECT_EQ(transfers[6].distance, "2 hops");
  EXPECT_EQ(transfers[6].words, 1u);
  EXPECT_EQ(touch.memory().words().hits, 4u);
  EXPECT_EQ(touch.memory().words().first_touches, 1u);
  EXPECT_EQ(touch.memory().words().upgrades, 1u);
}

TEST(memory_words, on_pairs_that_share_a_cache) {
  calm touch("xeon-x7460-4s-dunnington");
  EXPECT_EQ(touch(0, 0, write), 430u);
  EXPECT_EQ(touch(1, 0, read), 50u) << "modified, same L2";
  EXPECT_EQ(touch(2, 0, read), 100u) << "clean, same L3";
  EXPECT_EQ(touch(3, 0, read), 15u)
      << "clean, same L2: the machine file gives no time, so the latency of the L2";
  EXPECT_EQ(touch(3, 0, write), 300u);
  EXPECT_EQ(touch(4, 0, read), 170u) << "modified, same L3";
  EXPECT_EQ(touch(6, 0, atomic), 420u + 30) << "the other package, across both buses";
}

TEST(memory_words, on_threads_of_a_core_and_chiplets) {
  calm touch("epyc-9654-2s");
  EXPECT_EQ(touch(0, 0, write), 420u);
  EXPECT_EQ(touch(1, 0, read), 32u) << "modified by the other thread of the core";
  EXPECT_EQ(touch(0, 0, write), 4u) << "only this core has it";
  EXPECT_EQ(touch(2, 0, write), 78u) << "modified, same L3";
  EXPECT_EQ(touch(16, 0, read), 350u) << "another L3 of the package";
  EXPECT_EQ(touch(18, 0, read), 50u) << "clean, same L3";
  EXPECT_EQ(touch(192, 0, read), 690u) << "the other package";
  EXPECT_EQ(touch(193, 0, read), 4u) << "clean, in its core's first cache";
  EXPECT_EQ(touch(192, 0, write), 300u);
  EXPECT_EQ(touch(383, 0, read), 350u);
}

TEST(memory_words, on_tiles) {
  calm touch("adm-cmp-64c");
  EXPECT_EQ(touch(0, 0, write), 170u);
  EXPECT_EQ(touch(2, 0, read), 22u) << "same tile";
  EXPECT_EQ(touch(8, 0, read), 90u) << "another tile, which its victim cache knows nothing of";
}

TEST(memory_words, writers_wait_for_each_other) {
  // Sixteen cores add to one counter at the same time. Each takes the line from the previous core.
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::lines);
  cycles expected = 0;
  for (std::size_t core = 0; core < 16; ++core) {
    // The line comes from memory, then from the previous core of the same package. It moves one hop from 3 to 4 and from 11
    // to 12, and two hops from 7 to 8.
    expected += (core == 0 ? 210u : core % 4 != 0 ? 119u : core == 8 ? 260u : 205u) + 30;
    EXPECT_EQ(memory.touch(core, 0, atomic, 0), expected) << core;
  }
  EXPECT_EQ(memory.touch(15, 0, atomic, expected), 33u) << "the cache holds the line now";
}

TEST(memory_words, waiting_is_linear_in_the_contenders) {
  const auto last_of = [](std::size_t contenders) {
    memory_system memory(find_machine("xeon-8480plus-2s"), detail_level::lines);
    cycles last = 0;
    for (std::size_t i = 0; i < contenders; ++i) last = memory.touch(2 * i, 0, atomic, 0);
    return last;
  };
  for (const std::size_t contenders : {2u, 8u, 56u})
    EXPECT_EQ(last_of(contenders), 330 + (contenders - 1) * 180) << "from core to core of one package";
}

TEST(memory_words, readers_of_a_clean_line_are_served_together) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::lines);
  EXPECT_EQ(memory.touch(0, 0, write, 0), 210u);
  EXPECT_EQ(memory.touch(1, 0, read, 1000), 119u);
  EXPECT_EQ(memory.touch(2, 0, read, 1000), 119u + 45) << "the second transfer waits for the first";
  EXPECT_EQ(memory.touch(3, 0, read, 1000), 119u + 45) << "the third transfer joins the second";
  EXPECT_EQ(memory.words().queueing, 2u * 119);
}

TEST(memory_words, cost_nothing_without_lines) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::steps);
  EXPECT_EQ(memory.touch(0, 0, atomic, 0), 0u);
  EXPECT_EQ(memory.stream(0, {0, 4096}, read, 0), 0u);
}

TEST(memory_words, data_are_not_modelled_with_lines_alone) {
  memory_system memory(find_machine("opteron-8380-4s"), detail_level::lines);
  EXPECT_EQ(memory.stream(0, {0, 4096}, read, 0), 0u);
  EXPECT_TRUE(memory.caches(0).empty());
}

TEST(memory_words, cross_the_buses_with_the_data) {
  // After the second line of a page, the prefetcher requests twenty lines of 20 cycles each on the package's bus. A word of
  // another package waits behind them.
  memory_system memory(find_machine("xeon-x7460-4s-dunnington"), detail_level::bandwidth);
  memory.touch(6, 0, write, 0);
  memory.touch(6, 1, write, 0);
  EXPECT_EQ(memory.touch(0, 0, read, 10'000), 420u);
  EXPECT_EQ(memory.stream(0, {0, 128}, read, 20'000), 430u + 1)
      << "the second line is requested one cycle later";
  const cycles waited = memory.touch(1, 1, read, 20'002) - 420;
  EXPECT_GE(waited, 20u * 20);
  EXPECT_LE(waited, 22u * 20 + 64);
}

}  // namespace
}  // namespace skua::simulator::memory_words_test
