// The hash join: known answers, partitions, tuples without a partner, any number of workers.
#include <gtest/gtest.h>

#include <set>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/hashjoin.hpp"

namespace workloads::hashjoin_test {
namespace {

TEST(hashjoin, answers_as_published) {
  for (const join_input& input :
       {join_input{65536, false}, join_input{65536, true}, join_input{131072, false}}) {
    ASSERT_NE(join_known(input).matches, 0u);
    EXPECT_EQ(join_expected(input), join_known(input));
  }
}

TEST(hashjoin, keys_are_different_and_each_is_found_twice) {
  std::set<std::uint32_t> keys;
  for (std::size_t i = 0; i < 4096; ++i) keys.insert(join_input::key_of(i));
  EXPECT_EQ(keys.size(), 4096u);
  const join_input input{4096, false};
  std::vector<int> found(4096, 0);
  for (std::size_t j = 0; j < input.probes(); ++j) ++found[input.partner_of(j)];
  EXPECT_EQ(std::ranges::count(found, 2), 4096);
}

join_relation relation(std::size_t size, std::uint64_t seed) {
  join_relation tuples(size);
  for (std::size_t i = 0; i < size; ++i) tuples[i].key = static_cast<std::uint32_t>(random_at(seed, i));
  return tuples;
}

TEST(hashjoin, partitions_are_the_same_whatever_the_blocks) {
  const join_relation all = relation(1000, 1);
  std::vector<std::uint32_t> first;
  for (const std::size_t block : {1u, 7u, 999u, 1000u, 5000u}) {
    join_partitions parts;
    parts.prepare(all, 4, block);
    for (std::size_t b = 0; b < parts.blocks(); ++b) parts.count(b);
    parts.place();
    for (std::size_t b = parts.blocks(); b-- > 0;) parts.scatter(b);
    std::vector<std::uint32_t> keys;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      std::size_t copied = 0;
      for (std::size_t b = 0; b < parts.blocks(); ++b) copied += parts.copied(b, p).size();
      EXPECT_EQ(copied, parts[p].size());
      EXPECT_EQ(parts.first(p), keys.size());
      for (const join_tuple& t : parts[p]) {
        EXPECT_EQ(join_partition_of(t.key, 4), p);
        keys.push_back(t.key);
      }
    }
    if (first.empty()) first = keys;
    EXPECT_EQ(keys, first) << block;
    EXPECT_EQ(keys.size(), 1000u);
  }
}

TEST(hashjoin, partitions_fit_a_cache) {
  EXPECT_EQ(join_bits(1), 0);
  EXPECT_EQ(join_bits(2621), 0);
  EXPECT_EQ(join_bits(2622), 1);
  EXPECT_EQ(join_bits(65536), 5);
  EXPECT_EQ(join_bits(1 << 20), 9);
}

TEST(hashjoin, a_tuple_without_a_partner_finds_none) {
  const join_relation builds = relation(100, 1), probes = relation(50, 2);
  std::vector<join_match> matches(50);
  join_table table;
  table.build(builds);
  table.probe(probes, matches.data());
  EXPECT_EQ(join_answered(matches), join_sums{});
  table.probe(std::span(builds).first(50), matches.data());
  EXPECT_EQ(join_answered(matches).matches, 50u);
  table.build({});
  table.probe(probes, matches.data());
  EXPECT_EQ(join_answered(matches), join_sums{});
}

TEST(hashjoin, joins_on_any_number_of_workers) {
  for (const std::int64_t workers : any_number_of_workers) {
    skua::scheduler pool({.workers = workers});
    for (const char* keys : {"uniform", "skew"})
      for (const auto& [n, start] :
           {std::pair{"1", "half"}, {"2", "all"}, {"16384", "half"}, {"16384", "all"}}) {
        const auto program =
            find("hashjoin")->make({.options = {{"n", n}, {"keys", keys}, {"start", start}}});
        program->prepare();
        EXPECT_FALSE(program->verify().correct);
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", n " << n << ", " << keys << ", " << workers << " workers";
        program->flip_one();
        EXPECT_FALSE(program->verify().correct);
      }
  }
}

TEST(hashjoin, refuses_bad_options) {
  for (const auto& [option, value] :
       {std::pair{"n", "0"}, {"n", "1000"}, {"keys", "same"}, {"start", "one"}, {"grain", "0"}})
    EXPECT_THROW(find("hashjoin")->make({.options = {{option, value}}}), skua::bad_input) << option;
  EXPECT_NO_THROW(find("hashjoin")->make({.options = {{"n", "1000"}, {"keys", "skew"}}}));
}

}  // namespace
}  // namespace workloads::hashjoin_test
