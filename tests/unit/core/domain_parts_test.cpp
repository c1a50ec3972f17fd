// Which domain runs which part of a region.
#include "core/queue/domain_parts.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace domain_parts_test {
namespace {

using skua::core::all_domains;
using skua::core::divide;
using skua::core::domain_at;
using skua::detail::domain_part;
using domains = std::vector<std::size_t>;

/// The domains of the tasks that are `levels` joins of two below `part`, in the order of the recursion.
void add_tasks(domains& found, domain_part part, int levels, std::size_t of) {
  if (levels == 0) return found.push_back(domain_at(part, of));
  const auto [first, second] = divide(part, 0);
  add_tasks(found, first, levels - 1, of);
  add_tasks(found, second, levels - 1, of);
}
domains of_tasks(std::size_t first, std::size_t count, int levels) {
  domains found;
  add_tasks(found, all_domains(first, count), levels, count);
  return found;
}

TEST(domain_parts, each_domain_gets_its_share_in_the_order_of_the_recursion) {
  EXPECT_EQ(of_tasks(0, 4, 2), (domains{0, 1, 2, 3}));
  EXPECT_EQ(of_tasks(0, 4, 3), (domains{0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(of_tasks(0, 3, 2), (domains{0, 0, 1, 2})) << "0.75 domains each";
  EXPECT_EQ(of_tasks(0, 1, 2), (domains{0, 0, 0, 0}));
}

TEST(domain_parts, begin_at_the_domain_of_the_first_worker) {
  EXPECT_EQ(of_tasks(2, 4, 2), (domains{2, 3, 0, 1}));
  EXPECT_EQ(of_tasks(23, 24, 1), (domains{23, 11}));
}

TEST(domain_parts, of_24_domains_are_equal_as_soon_as_there_are_enough_tasks) {
  std::vector<int> tasks(24);
  for (const auto d : of_tasks(0, 24, 8)) ++tasks[d];
  for (const int n : tasks) EXPECT_NEAR(n, 256 / 24.0, 1.0);
}

TEST(domain_parts, a_join_of_siblings_gets_as_many_shares_as_it_has_siblings) {
  const auto four = divide(all_domains(0, 4), 3);  // the join of three siblings, and the fourth one
  EXPECT_EQ(domain_at(four.second, 4), 3u);
  const auto three = divide(four.first, 2);
  EXPECT_EQ(domain_at(three.second, 4), 2u);
  const auto two = divide(three.first, 1);
  EXPECT_EQ(domain_at(two.second, 4), 1u);
  EXPECT_EQ(domain_at(two.first, 4), 0u);
}

TEST(domain_parts, stay_where_they_are_when_they_are_too_small_to_divide) {
  domain_part part = all_domains(1, 2);
  for (int level = 0; level < 40; ++level) part = divide(part, 0).second;
  EXPECT_GT(part.size, 0);
  EXPECT_EQ(domain_at(part, 2), 0u) << "the second half, from domain 1 on, is domain 0";
}

TEST(domain_parts, are_none_where_a_policy_does_not_spread_or_where_there_are_too_many_domains) {
  EXPECT_EQ(divide({}, 0).second.size, 0);
  EXPECT_EQ(all_domains(0, 200).size, 0);
}

}  // namespace
}  // namespace domain_parts_test
