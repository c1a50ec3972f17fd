// The files of published/ must be complete and valid, and equal the papers where a mistake would matter most.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "paper/figure.hpp"
#include "paper/judgement.hpp"
#include "paper/reading.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::paper::figures_test {
namespace {

/// The same sample for all points.
samples everywhere(const figure& of, double number) {
  samples all;
  for (const point& here : of.points()) all[here] = std::vector(of.level == level::exact ? 1 : 5, number);
  return all;
}

const published_value& value_at(const figure& of, std::string_view panel, std::string_view series,
                                std::string_view x) {
  const auto is = [](const std::vector<std::string>& names, std::string_view name) {
    return name.empty() ? names.empty() : names.size() == 1 && names.front() == name;
  };
  const auto at = std::ranges::find_if(of.values, [&](const published_value& one) {
    return is(one.what.of.panel, panel) && is(one.what.of.series, series) && is(one.what.of.x, x);
  });
  if (at == of.values.end()) throw bad_input(of.name() + " gives no such number");
  return *at;
}

TEST(published, has_every_figure_and_table_that_is_to_be_checked) {
  std::vector<std::string> names;
  for (const figure& one : all_figures()) names.push_back(one.name());
  const std::vector<std::string> expected = {"cab eq4",
                                             "cab fig2",
                                             "cab fig4",
                                             "cab fig5",
                                             "cab fig6",
                                             "cab fig7",
                                             "cab fig8",
                                             "cab fig9",
                                             "cab table4",
                                             "cab text-inter-tier",
                                             "tatl table1",
                                             "tatl table2",
                                             "tatl table3",
                                             "tatl table5",
                                             "steal-hints affinity",
                                             "steal-hints depth",
                                             "adm fig1",
                                             "adm fig2-4",
                                             "adm fig5",
                                             "adm fig6",
                                             "adm fig7",
                                             "adm fig8",
                                             "adm fig9",
                                             "adm fig10",
                                             "adm table3",
                                             "adm table4",
                                             "adm table5",
                                             "adm text-managers",
                                             "adm text-reductions",
                                             "tbb-thesis fig11-58",
                                             "tbb-thesis fig59-60",
                                             "tbb-thesis fig62-74",
                                             "tbb-thesis fig75-90",
                                             "tbb-thesis fig91-138",
                                             "tbb-thesis fig139-167",
                                             "tbb-thesis fig168-200",
                                             "tbb-thesis text-policies",
                                             "tbb-thesis text-stealing"};
  EXPECT_EQ(names, expected);
}

TEST(published, figures_are_found_by_what_the_user_types) {
  EXPECT_EQ(find_figure("cab", "fig8").title, "All values of the boundary level");
  const auto refusal = [](std::string_view paper, std::string_view id) -> std::string {
    try {
      return find_figure(paper, id).id;
    } catch (const bad_input& error) {
      return error.what();
    }
  };
  EXPECT_NE(refusal("cba", "fig8").find("nearest: cab"), std::string::npos) << refusal("cba", "fig8");
  EXPECT_NE(refusal("cab", "fg8").find("nearest: fig8"), std::string::npos) << refusal("cab", "fg8");
}

// If nothing was run, a claim counts as not run. So a claim about points that do not exist would never fail.
TEST(published, every_claim_is_about_existing_points) {
  for (const figure& one : all_figures()) {
    SCOPED_TRACE(one.name());
    const figure_judgement found = judge(one, everywhere(one, 1));
    for (const value_judgement& value : found.values)
      EXPECT_NE(value.result, judgement::not_run) << value.what;
    for (const comparison_judgement& claim : found.comparisons) EXPECT_TRUE(claim.run) << claim.says;
  }
}

// If all policies give equal results, no figure may count as reproduced; otherwise it would check nothing.
TEST(published, equal_results_everywhere_reproduce_no_figure) {
  for (const figure& one : all_figures()) {
    const judgement found = judge(one, everywhere(one, 1)).result;
    const bool only_upper_ends = one.name() == "cab fig9";
    EXPECT_EQ(found, one.level == level::inputs ? judgement::inputs
                     : only_upper_ends          ? judgement::same_sign_and_order
                                                : judgement::different)
        << one.name();
  }
}

TEST(published, every_claim_says_what_and_where) {
  for (const figure& one : all_figures()) {
    EXPECT_FALSE(one.title.empty() || one.place.empty() || one.claim.empty()) << one.name();
    for (const comparison& claim : one.comparisons)
      EXPECT_FALSE(claim.says.empty() || claim.place.empty()) << one.name();
    for (const published_value& value : one.values) EXPECT_FALSE(value.place.empty()) << one.name();
    EXPECT_GE(one.seeds.size(), 5u) << one.name();
  }
}

TEST(published, every_point_names_a_run_on_a_known_machine) {
  std::map<std::string, std::size_t> threads_of;  // a file is read once
  const auto threads = [&](const std::string& machine) {
    const auto [at, is_new] = threads_of.try_emplace(machine, 0);
    if (is_new) at->second = simulator::find_machine(machine).threads();
    return at->second;
  };
  for (const figure& one : all_figures())
    for (const size how_much : {size::quick, size::full})
      for (const point& here : one.points(how_much)) {
        if (one.level == level::inputs) continue;
        SCOPED_TRACE(one.name() + ": " + one.words_for(here));
        const setup run = one.setup_at(here, how_much);
        EXPECT_FALSE(run.measure.empty());
        if (one.level == level::exact || one.level == level::host) continue;
        ASSERT_NO_THROW(threads(run.machine)) << run.machine;
        EXPECT_GT(run.workers, 0u);
        EXPECT_LE(run.workers, threads(run.machine) * (run.options.contains("threads_a_core") ? 2 : 1));
        EXPECT_TRUE(!run.policy.empty() || !run.substrate.empty() || run.options.contains("schedule"));
        if (!run.policy.empty()) {
          EXPECT_NO_THROW(make_policy(run.policy)) << run.policy;
        }
      }
}

TEST(published, ratios_of_table_iv_are_those_of_its_counts) {
  const figure& table = find_figure("cab", "table4");
  EXPECT_DOUBLE_EQ(value_at(table, "L2", "cab", "ge").low, 458200.0 / 2413947.0);
  EXPECT_DOUBLE_EQ(value_at(table, "L3", "cab", "sor").high, 747291.0 / 1005938.0);
  // The percentages by which the misses decrease: 81, 85, 69, 81 in L2 and 20, 29, 18, 26 in L3.
  const double saved[2][4] = {{81, 85, 69, 81}, {20, 29, 18, 26}};
  const char* programs[] = {"ge", "mergesort", "heat", "sor"};
  for (int level = 0; level < 2; ++level)
    for (int i = 0; i < 4; ++i)
      EXPECT_NEAR(100 * (1 - value_at(table, level ? "L3" : "L2", "cab", programs[i]).low), saved[level][i],
                  0.6);
}

TEST(published, npb_gains_are_those_of_the_table) {
  const figure& table = find_figure("tatl", "table5");
  double sum = 0;
  for (const char* panel : {"CG", "EP"})
    for (const char* x : {"W", "A", "B"}) {
      const double over_cilk = value_at(table, panel, "cilk", x).low,
                   over_openmp = value_at(table, panel, "openmp", x).low;
      EXPECT_GE(over_cilk, 1.23);
      EXPECT_LE(over_cilk, 1.26);
      EXPECT_GE(over_openmp, 1.265);
      EXPECT_LE(over_openmp, 1.315);
      sum += over_cilk;
    }
  EXPECT_NEAR(sum / 6, 1.24, 0.005);  // as the abstract says
}

TEST(published, the_map_of_the_thesis_fills_every_package) {
  const figure& map = find_figure("tbb-thesis", "fig59-60");
  std::map<double, int> slots;
  for (const published_value& one : map.values)
    if (one.what.of.panel.front() == "package") ++slots[one.low];
  EXPECT_EQ(slots, (std::map<double, int>{{0, 6}, {1, 6}, {2, 6}, {3, 6}}));
}

// The inputs of the model are ADM's operations, and the operations of ADM and ULI on their own queues.
TEST(published, every_input_of_table_5_is_marked_as_one_and_not_judged) {
  const figure& table = find_figure("adm", "table5");
  EXPECT_EQ(table.inputs.size(), 8u);
  for (const published_value& one : table.values) {
    EXPECT_EQ(one.what.of.series, std::vector<std::string>{"uli"});
    EXPECT_FALSE(one.what.of.panel.front() == "enqueue" || one.what.of.panel.front() == "dequeue");
  }
  EXPECT_EQ(find_figure("adm", "table3").level, level::inputs);
}

}  // namespace
}  // namespace skua::paper::figures_test
