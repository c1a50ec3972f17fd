// The memory of the records of group tasks: batches, the pieces in which they lie, and too little memory.
#include "core/queue/record_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/sanitizers.hpp"

namespace record_memory_test {
namespace {

using skua::core::record_memory;
using skua::detail::task;
using skua::detail::task_pool;

constexpr std::size_t batch_bytes = task_pool::batch * sizeof(task);
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Numbers of batches that lie in a row, from the newest piece back to the oldest.
std::vector<std::size_t> pieces_of(const std::vector<task*>& batches) {
  std::vector<std::size_t> lengths(1, 1);
  for (std::size_t i = batches.size() - 1; i-- > 0;)
    if (batches[i + 1] == batches[i] + task_pool::batch &&
        reinterpret_cast<std::uintptr_t>(batches[i + 1]) % huge_page != 0)
      ++lengths.back();
    else
      lengths.push_back(1);
  return lengths;
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

TEST(record_memory, takes_huge_pages_when_there_are_many_records) {
  record_memory memory;
  std::vector<task*> batches(2048);
  for (task*& one : batches) one = memory.new_batch();
  const std::vector<std::size_t> pieces = pieces_of(batches);
  EXPECT_EQ(pieces[1], huge_page / batch_bytes) << "the newest one may be half used";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(batches[batches.size() - 1 - pieces[0]]) % huge_page,
            huge_page - batch_bytes)
      << "a piece of this size is a huge page";
  EXPECT_LT(pieces.size(), 100u) << "the first ones are small, so that a short queue takes little memory";
}

TEST(record_memory, takes_the_pages_of_a_large_piece_at_once) {
  record_memory memory;
  task* newest = nullptr;
  for (int i = 0; i < 1024; ++i) newest = memory.new_batch();
  while (reinterpret_cast<std::uintptr_t>(newest) % huge_page != 0) newest = memory.new_batch();
  unsigned char in_memory = 0;
  errno = 0;
  ASSERT_EQ(mincore(newest + (huge_page - batch_bytes) / sizeof(task), 4096, &in_memory), 0);
  if (madvise(newest, 4096, 23) != 0) GTEST_SKIP() << "the kernel cannot populate";
  EXPECT_TRUE(in_memory & 1) << "the last batch of the piece, which is unused";
}

/// The exit code is 0 if smaller pieces were taken when there was no memory for a large one.
void use_up_memory() {
  record_memory memory;
  const task* newest = nullptr;
  for (int i = 0; i < 1024; ++i) newest = memory.new_batch();
  while ((reinterpret_cast<std::uintptr_t>(newest) + batch_bytes) % huge_page != 0)
    newest = memory.new_batch();
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlimit little{pages * 4096 + huge_page,
                      RLIM_INFINITY};  // a piece with its alignment needs twice as much
  setrlimit(RLIMIT_AS, &little);
  std::size_t made = 0;
  try {
    for (;; ++made) memory.new_batch();
  } catch (const std::bad_alloc&) {
  }
  std::_Exit(made >= huge_page / batch_bytes / 2 ? 0 : 1);
}

TEST(record_memory, takes_smaller_pieces_when_memory_is_short) {
  if (under_sanitizer) GTEST_SKIP() << "a sanitizer maps more memory than any limit allows";
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(use_up_memory(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace record_memory_test
