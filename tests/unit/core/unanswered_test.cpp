// How long an owner publishes everything while nothing is taken.
#include "core/idle/unanswered.hpp"

#include <gtest/gtest.h>

namespace skua::core {
namespace {

TEST(unanswered, says_so_after_some_publications_from_which_nothing_was_taken) {
  unanswered joins;
  const int queue = 0, other = 0;
  for (int i = 0; i < unanswered::enough; ++i) EXPECT_FALSE(joins.again(&queue, 5)) << i;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(joins.again(&queue, 5));
  EXPECT_FALSE(joins.again(&queue, 6)) << "a thief has taken one";
  for (int i = 1; i < unanswered::enough; ++i) EXPECT_FALSE(joins.again(&queue, 6));
  EXPECT_FALSE(joins.again(&other, 6)) << "the worker runs another stack";
}

}  // namespace
}  // namespace skua::core
