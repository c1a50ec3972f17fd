// When a policy counts as faster than another one, and the text of the pages.
#include <utility>

#include <gtest/gtest.h>

#include "paper/policy_comparison.hpp"

namespace comparison_test {
namespace {

using namespace skua::paper;

compared_cell cell_of(const char* policy, std::initializer_list<double> seconds) {
  compared_cell cell{.policy = policy};
  for (const double one : seconds) cell.runs.push_back({cell.runs.size() + 1, one, {{"steals", one * 10}}});
  return cell;
}

compared_row row_of(std::vector<compared_cell> cells) {
  compared_row row{"heat n=100", std::move(cells)};
  judge(row);
  return row;
}

TEST(band_of, takes_the_middle) {
  const band odd = band_of({3, 1, 2}), even = band_of({4, 1, 2, 3});
  EXPECT_EQ(odd.median, 2);
  EXPECT_EQ(even.median, 2.5);
  EXPECT_EQ(even.min, 1);
  EXPECT_EQ(even.max, 4);
}

TEST(text_on_waits, tells_of_runs_without_cpus) {
  EXPECT_EQ(text_on_waits({}), "");
  EXPECT_EQ(text_on_waits({{.share = 0.05}, {.share = 0.1}}), "");
  const std::vector<waited_run> noisy{{.share = 0.05}, {.share = 0.43}, {.share = 0.2, .is_crowded = true}};
  EXPECT_EQ(
      text_on_waits(noisy),
      "Noise: in 2 of 3 runs the workers waited for CPUs for more than 10% of their time (at most 43%), "
      "because other programs ran or a CPU quota was used up. These times are too long, and vary.\n");
  EXPECT_EQ(disturbed_runs(noisy), 2u);
  EXPECT_NE(text_on_waits({{.share = 0.5, .is_crowded = true}}).find("more workers than CPUs"),
            std::string::npos);
}

TEST(judge, a_difference_counts_when_bands_do_not_overlap) {
  const compared_row row =
      row_of({cell_of("random", {10, 11, 12, 13}), cell_of("nearest", {6, 7, 8, 9}),
              cell_of("bitier", {8, 8.5, 9, 9.9}), cell_of("announced", {9, 10, 11, 12}),
              cell_of("affinity", {13.1, 14, 15, 16}), cell_of("mix", {9.1, 9.2, 9.3, 9.4})});
  EXPECT_EQ(row.cells[0].judged, standing::same);
  EXPECT_EQ(row.cells[1].judged, standing::best);
  EXPECT_EQ(row.cells[2].judged, standing::best) << "its band overlaps with nearest's";
  EXPECT_EQ(row.cells[3].judged, standing::same);
  EXPECT_EQ(row.cells[4].judged, standing::slower);
  EXPECT_EQ(row.cells[5].judged, standing::faster) << "nearest's slowest is faster than its fastest";
  EXPECT_DOUBLE_EQ(row.cells[1].relative.median, 7.5 / 11.5);
  EXPECT_DOUBLE_EQ(row.cells[1].relative.max, 9 / 11.5);
}

TEST(judge, three_seeds_are_too_few) {
  const compared_row row = row_of({cell_of("random", {10, 11, 12}), cell_of("nearest", {1, 2, 3})});
  EXPECT_EQ(row.cells[1].judged, standing::same);
}

TEST(judge, seeds_with_equal_results_count_as_one_run) {
  const compared_row row = row_of({cell_of("random", {10, 11, 12, 13}), cell_of("announced", {5, 5, 5, 5})});
  EXPECT_EQ(row.cells[1].judged, standing::same);
}

TEST(judge, policies_without_a_steal_do_not_differ) {
  compared_cell random = cell_of("random", {10, 11, 12, 13}), nearest = cell_of("nearest", {6, 7, 8, 9});
  for (compared_cell* cell : {&random, &nearest})
    for (compared_run& run : cell->runs) run.facts["steals"] = 0;
  EXPECT_EQ(row_of({random, nearest}).cells[1].judged, standing::same);
  nearest.runs[2].facts["steals"] = 1;
  EXPECT_EQ(row_of({random, nearest}).cells[1].judged, standing::best);
}

TEST(judge, needs_random) {
  const compared_row row = row_of({cell_of("nearest", {1, 2, 3, 4})});
  EXPECT_EQ(row.cells[0].judged, standing::not_run);
  EXPECT_EQ(sentence_of(row), "heat n=100: no result");
}

TEST(sentence_of, names_all_that_cannot_be_distinguished) {
  const compared_row row =
      row_of({cell_of("random", {9.8, 9.9, 10.1, 10.2}), cell_of("nearest", {5, 4.9, 5.1, 6}),
              cell_of("bitier", {5.4, 5.5, 5.6, 7})});
  EXPECT_EQ(
      sentence_of(row),
      "heat n=100: nearest takes 0.51 [0.49, 0.60] of random's time; not distinguishable from it: bitier");
}

TEST(sentence_of, says_that_no_policy_wins) {
  const compared_row row = row_of({cell_of("random", {10, 12, 11, 13}), cell_of("nearest", {8, 8.5, 9, 11})});
  EXPECT_EQ(sentence_of(row), "heat n=100: no policy is faster than random by more than the spread");
}

TEST(fact, is_the_median_of_the_runs) {
  EXPECT_EQ(cell_of("random", {1, 2, 9}).fact("steals"), 20);
  EXPECT_EQ(cell_of("random", {1, 2, 9}).fact("nothing"), 0);
}

compared_block block_of(const char* machine) {
  return {
      .machine = machine,
      .size = "ci",
      .level = "bandwidth",
      .pages = "",
      .workers = 8,
      .seeds = 4,
      .rows = {row_of({cell_of("random", {9.8, 9.9, 10.1, 10.2}), cell_of("nearest", {5, 4.9, 5.1, 6})})}};
}

TEST(map_of, has_a_row_for_each_machine_and_workload) {
  std::vector<compared_block> blocks{block_of("a"), block_of("b")};
  blocks[1].rows.front().cells.push_back({.policy = "bitier", .complaint = "it fell over"});
  const heat_map map = map_of(blocks);
  EXPECT_EQ(map.columns, (std::vector<std::string>{"random", "nearest", "bitier"}));
  ASSERT_EQ(map.rows.size(), 2u);
  EXPECT_EQ(map.rows[1].name, "b, heat n=100");
  EXPECT_DOUBLE_EQ(map.rows[1].ratios[1].value(), 0.505);
  EXPECT_FALSE(map.rows[1].ratios[2]);
  EXPECT_EQ(best_of(map.rows[1]), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(complaints_of(blocks), "it fell over\n");
}

TEST(same_table, is_of_one_machine_and_the_same_policies) {
  compared_block other = block_of("a");
  EXPECT_TRUE(same_table(block_of("a"), other));
  EXPECT_FALSE(same_table(block_of("a"), block_of("b")));
  other.pages = "interleave";
  EXPECT_FALSE(same_table(block_of("a"), other));
  other = block_of("a");
  other.repeat = 2;
  EXPECT_FALSE(same_table(block_of("a"), other));
}

TEST(pages, name_the_command) {
  const std::string command =
      "skua compare --machines a --workloads \"heat n=100\" --policies \"nearest\" --workers 8 --seeds 4";
  EXPECT_EQ(command_of(block_of("a")), command);
  EXPECT_NE(markdown_of(block_of("a")).find(command), std::string::npos);
  EXPECT_NE(markdown_of(block_of("a")).find("| **0.51**<br>0.49-0.60 |"), std::string::npos);
  EXPECT_NE(text_of(block_of("a")).find("*0.51"), std::string::npos);
}

TEST(pages, tell_of_runs_without_cpus) {
  compared_block block = block_of("this machine");
  EXPECT_EQ(text_of(block).find("Noise"), std::string::npos);
  auto& facts = block.rows.front().cells[1].runs[2].facts;
  facts["share waiting for CPUs"] = 0.3;
  facts["CPUs"] = 8;
  EXPECT_NE(text_of(block).find("Noise: in 1 of 1 run"), std::string::npos)
      << "others have no times of the kernel";
  EXPECT_NE(markdown_of(block).find("other programs ran"), std::string::npos);
  facts["CPUs"] = 4;
  EXPECT_NE(text_of(block).find("more workers than CPUs"), std::string::npos);
}

TEST(pages, tell_first_and_last_repetitions_apart) {
  compared_block block = block_of("a");
  block.first_seed = 3;
  block.repeat = 8;
  for (compared_cell& cell : block.rows.front().cells)
    for (compared_run& run : cell.runs)
      run.seconds_of_runs = {run.seconds / 2, 0.5, 0.25, 0.25, 0.25, 0.25, 0.125, 0.375};
  EXPECT_NE(command_of(block).find(" --seeds 4 --first-seed 3 --repeat 8"), std::string::npos)
      << command_of(block);
  EXPECT_EQ(heading_of(block),
            "a, 8 workers, bandwidth, pages as the machine says, 4 seeds from 3 on of 8 runs each");
  const std::string page = markdown_of(block);
  EXPECT_NE(page.find("| heat n=100 | random | 1250 | 5000 | 250 |"), std::string::npos) << page;
  EXPECT_EQ(page.find("L2 misses"), std::string::npos) << "counts are of one of the runs";
  EXPECT_NE(text_of(block).find("ms a run"), std::string::npos);
}

}  // namespace
}  // namespace comparison_test
