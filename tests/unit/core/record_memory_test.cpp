// The memory of the records of group tasks: batches, the pieces in which they lie, and too little memory.
#include "core/queue/record_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"

namespace record_memory_test {
namespace {

using skua::core::record_memory;
using skua::detail::task;
using skua::detail::task_pool;

constexpr std::size_t batch_bytes = task_pool::batch * sizeof(task);
constexpr std::size_t most = 64;  // batches of a piece

/// Makes batches until there are many, and then up to the end of a piece. Returns the last one.
const task* fill_pieces(record_memory& memory) {
  const task* last = nullptr;
  for (int i = 0; i < 1024; ++i) last = memory.new_batch();
  for (std::size_t in_a_row = 1; in_a_row < most;) {
    const task* const next = memory.new_batch();
    in_a_row = next == last + task_pool::batch ? in_a_row + 1 : 1;
    last = next;
  }
  return last;
}

TEST(record_memory, links_the_free_records_of_a_batch) {
  record_memory memory;
  const task* const first = memory.new_batch();
  std::size_t count = 0;
  for (const task* t = first; t; t = t->next, ++count) {
    EXPECT_EQ(t, first + count) << "a batch that lies in one piece can be prefetched";
    EXPECT_EQ(t->isolation, 0u);
    EXPECT_EQ(t->bound, 0u);
    EXPECT_EQ(t->marks, task::plain);
  }
  EXPECT_EQ(count, task_pool::batch);
}

TEST(record_memory, takes_small_pieces_while_there_are_few_records) {
  if constexpr (under_sanitizer) GTEST_SKIP() << "its allocator puts pieces side by side";
  record_memory memory;
  const task* last = memory.new_batch();
  std::size_t in_a_row = 1, most_in_a_row = 1;
  for (int i = 1; i < 16; ++i) {
    const task* const next = memory.new_batch();
    in_a_row = next == last + task_pool::batch ? in_a_row + 1 : 1;
    most_in_a_row = std::max(most_in_a_row, in_a_row);
    last = next;
  }
  EXPECT_LE(most_in_a_row, 2u) << "at most an eighth of the memory is unused";
}

// One page fault for each page would cost more than the tasks.
TEST(record_memory, takes_the_pages_of_a_large_piece_at_once) {
  record_memory memory;
  fill_pieces(memory);
  task* const first = memory.new_batch();
  constexpr std::uintptr_t page = 4096;
  const auto at = (reinterpret_cast<std::uintptr_t>(first) + (most - 1) * batch_bytes) & ~(page - 1);
  if (madvise(reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(first) & ~(page - 1)), page, 23) != 0)
    GTEST_SKIP() << "the kernel cannot populate";
  unsigned char in_memory = 0;
  ASSERT_EQ(mincore(reinterpret_cast<void*>(at), page, &in_memory), 0);
  EXPECT_TRUE(in_memory & 1) << "the last batch of the piece, which is unused";
}

/// The exit code is 0 if smaller pieces were taken when there was no memory for a large one.
void use_up_memory() {
  record_memory memory;
  fill_pieces(memory);
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit little{pages * 4096 + most * batch_bytes - 1, RLIM_INFINITY};
  setrlimit(RLIMIT_AS, &little);
  std::size_t made = 0;
  try {
    for (;; ++made) memory.new_batch();
  } catch (const std::bad_alloc&) {
  }
  std::_Exit(made % most != 0 ? 0 : 1);
}

TEST(record_memory, takes_smaller_pieces_when_memory_is_short) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer maps more memory than any limit allows";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(use_up_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace record_memory_test
