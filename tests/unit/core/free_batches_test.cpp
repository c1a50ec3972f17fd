// Batches of free records: each worker gets its own ones back first.
#include "core/queue/record_memory.hpp"

#include <gtest/gtest.h>

#include <array>

namespace skua::core {
namespace free_batches_test {
namespace {

TEST(free_batches, gives_a_worker_its_newest_batch_and_then_those_of_others) {
  free_batches free(3);
  std::array<detail::task, 4> first;
  EXPECT_EQ(free.take(0), nullptr);
  free.give(&first[0], 0);
  free.give(&first[1], 1);
  free.give(&first[2], 0);
  free.give(&first[3], 2);
  EXPECT_EQ(free.take(1), &first[1]);
  EXPECT_EQ(free.take(0), &first[2]);
  EXPECT_EQ(free.take(1), &first[3]) << "of the next worker that has any";
  EXPECT_EQ(free.take(2), &first[0]);
  EXPECT_EQ(free.take(2), nullptr);
}

}  // namespace
}  // namespace free_batches_test
}  // namespace skua::core
