// The limits of the rule by which a figure counts as reproduced, and the allowed contents of a figure's file.
#include <gtest/gtest.h>

#include <string>

#include <skua/topology.hpp>

#include "paper/experiment.hpp"
#include "paper/figure.hpp"
#include "paper/judgement.hpp"

namespace skua::paper::judgement_test {
namespace {

using namespace std::string_literals;

/// A figure with these claims. It has two series, cab and random, and two x values, a and b.
figure with(const std::string& claims, const std::string& level = "L0") {
  return parse_figure("cab-fig0.json",
                      R"({"paper": "cab", "id": "fig0", "title": "a test", "place": "nowhere",
    "claim": "none", "level": ")" +
                          level + R"(",
    "series": [{"name": "cab", "title": "CAB"}, {"name": "random", "title": "Cilk"}],
    "xs": [{"name": "a"}, {"name": "b"}], )" +
                          claims + "}");
}

std::string number(const std::string& of, const std::string& published) {
  return R"("values": [{"of": )" + of + R"(, "published": )" + published +
         R"(, "from": "text", "place": "p"}])";
}

std::string claim(const std::string& comparison) {
  return R"("comparisons": [{)" + comparison + R"(, "says": "so", "place": "p"}])";
}

const std::string cab_at_a = R"({"series": "cab", "x": "a"})";
const std::string ratio_at_a = R"({"series": "cab", "x": "a", "over": {"series": "random"}})";

samples cab(std::vector<double> numbers) { return {{point{"", "cab", "a"}, std::move(numbers)}}; }

samples both(std::vector<double> cab, std::vector<double> random) {
  return {{point{"", "cab", "a"}, std::move(cab)}, {point{"", "random", "a"}, std::move(random)}};
}

judgement of_number(const std::string& published, std::vector<double> ours) {
  return judge(with(number(cab_at_a, published)), cab(std::move(ours))).result;
}

TEST(judgement, a_number_in_our_band_is_reproduced_up_to_its_ends) {
  const std::vector<double> ours{1, 2, 3, 4, 100};
  EXPECT_EQ(of_number("100", ours), judgement::reproduced);
  EXPECT_EQ(of_number("1", ours), judgement::reproduced);
  EXPECT_EQ(of_number("100.1", ours), judgement::different);
  EXPECT_EQ(of_number("0.99", ours), judgement::different);
}

TEST(judgement, a_number_within_a_tenth_of_our_median_is_reproduced) {
  const std::vector<double> ours{10, 10, 10, 10, 10};
  EXPECT_EQ(of_number("11", ours), judgement::reproduced);
  EXPECT_EQ(of_number("9", ours), judgement::reproduced);
  EXPECT_EQ(of_number("11.01", ours), judgement::different);
  EXPECT_EQ(of_number("8.99", ours), judgement::different);
  EXPECT_EQ(of_number("1.1", {1, 1, 1, 1, 1}), judgement::reproduced);  // in binary, 1.1 - 1 is more than 0.1
}

TEST(judgement, the_tenth_is_of_our_median_and_not_of_what_is_published) {
  EXPECT_EQ(of_number("90", {100, 100, 100, 100, 100}), judgement::reproduced);
  EXPECT_EQ(of_number("100", {90, 90, 90, 90, 90}), judgement::different);  // 10 is more than 9
}

TEST(judgement, of_a_median_of_zero_only_zero_is_within_a_tenth) {
  EXPECT_EQ(of_number("0", {0, 0, 0, 0, 0}), judgement::reproduced);
  EXPECT_EQ(of_number("0.000001", {0, 0, 0, 0, 0}), judgement::different);
}

TEST(judgement, a_published_range_is_reproduced_if_it_touches_our_band) {
  EXPECT_EQ(of_number("[12, 20]", {8, 9, 10, 11, 12}), judgement::reproduced);
  EXPECT_EQ(of_number("[12.5, 20]", {8, 9, 10, 11, 12}), judgement::different);
}

TEST(judgement, a_value_read_from_a_picture_is_a_range) {
  const auto read = [](const std::string& error) {
    return with(R"("values": [{"of": )" + cab_at_a +
                R"(, "published": 15, "from": "picture", "reading_error": )" + error + R"(, "place": "p"}])");
  };
  EXPECT_EQ(judge(read("3"), cab({8, 9, 10, 11, 12})).result, judgement::reproduced);
  EXPECT_EQ(judge(read("2"), cab({8, 9, 10, 11, 12})).result, judgement::different);
}

TEST(judgement, fewer_than_five_seeds_are_refused) {
  const figure of = with(number(cab_at_a, "1"));
  EXPECT_THROW(judge(of, cab({1, 1, 1, 1})), bad_input);
  EXPECT_EQ(judge(of, cab({1, 1, 1, 1, 1})).result, judgement::reproduced);
}

TEST(judgement, samples_that_do_not_fit_are_refused) {
  const figure of = with(number(cab_at_a, "1"));
  EXPECT_THROW(judge(of, both({1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1})), bad_input);
  EXPECT_THROW(judge(of, {{point{"", "cab", "c"}, {1, 1, 1, 1, 1}}}), bad_input);
  EXPECT_THROW(judge(of, cab({1, 1, 1, 1, 1.0 / 0.0})), bad_input);
}

TEST(judgement, a_comparison_must_hold_in_four_of_five_seeds) {
  const figure of = with(claim(R"("less": ["cab", "random"])"));
  EXPECT_EQ(judge(of, both({1, 1, 1, 1, 3}, {2, 2, 2, 2, 2})).result, judgement::same_sign_and_order);
  const figure_judgement three = judge(of, both({1, 1, 1, 3, 3}, {2, 2, 2, 2, 2}));
  EXPECT_EQ(three.result, judgement::different);
  EXPECT_NE(three.reason.find("3 of 5 seeds"), std::string::npos) << three.reason;
  EXPECT_EQ(judge(of, both({1, 1, 1, 1, 2}, {2, 2, 2, 2, 2})).comparisons[0].held, 4u);  // equal is not less
}

TEST(judgement, four_fifths_are_rounded_up) {
  EXPECT_EQ(enough_of(5), 4u);
  EXPECT_EQ(enough_of(6), 5u);
  EXPECT_EQ(enough_of(7), 6u);
  EXPECT_EQ(enough_of(9), 8u);
  EXPECT_EQ(enough_of(10), 8u);
  EXPECT_EQ(enough_of(11), 9u);
}

TEST(judgement, a_comparison_is_made_at_every_place_and_the_worst_counts) {
  const figure of = with(claim(R"("less": ["cab", "random"])"));
  samples all = both({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2});
  EXPECT_EQ(judge(of, all).comparisons[0].places, 1u);  // b was not run
  all[{"", "cab", "b"}] = {3, 3, 3, 3, 3};
  all[{"", "random", "b"}] = {2, 2, 2, 2, 2};
  EXPECT_EQ(judge(of, all).result, judgement::different);
  const figure only_a = with(claim(R"("less": ["cab", "random"], "at": {"x": "a"})"));
  EXPECT_EQ(judge(only_a, all).result, judgement::same_sign_and_order);
}

TEST(judgement, ratios_are_taken_within_a_seed) {
  // The ratio of each seed is 0.5, but that of the medians is not.
  const figure of = with(number(ratio_at_a, "0.5"));
  const figure_judgement found = judge(of, both({1, 20, 3, 40, 5}, {2, 40, 6, 80, 10}));
  EXPECT_EQ(found.result, judgement::reproduced);
  EXPECT_EQ(found.values[0].ours.min, 0.5);
  EXPECT_EQ(found.values[0].ours.max, 0.5);
}

TEST(judgement, a_ratio_to_zero_reproduces_nothing_and_no_comparison_with_it_holds) {
  const figure of = with(number(ratio_at_a, "0.5"));
  const figure_judgement found = judge(of, both({1, 1, 1, 1, 1}, {2, 2, 2, 2, 0}));
  EXPECT_EQ(found.values[0].result,
            judgement::same_sign_and_order);  // below 1 in 4 of 5 seeds, where it is defined
  EXPECT_NE(found.values[0].reason.find("not defined"), std::string::npos);
  const figure_judgement none = judge(of, both({0, 0, 0, 0, 0}, {0, 0, 0, 0, 0}));
  EXPECT_EQ(none.result, judgement::different);
}

TEST(judgement, a_ratio_of_zero_is_a_number) {
  const figure of = with(number(ratio_at_a, "0"));
  EXPECT_EQ(judge(of, both({0, 0, 0, 0, 0}, {2, 2, 2, 2, 2})).result, judgement::reproduced);
  EXPECT_EQ(judge(of, both({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2})).result, judgement::same_sign_and_order);
}

TEST(judgement, a_published_ratio_says_on_which_side_of_one_it_lies) {
  const figure of = with(number(ratio_at_a, "0.5"));
  EXPECT_EQ(judge(of, both({9, 9, 9, 9, 9}, {10, 10, 10, 10, 10})).result, judgement::same_sign_and_order);
  const figure_judgement other = judge(of, both({11, 11, 11, 11, 11}, {10, 10, 10, 10, 10}));
  EXPECT_EQ(other.result, judgement::different);
  ASSERT_EQ(other.comparisons.size(), 1u);
  EXPECT_TRUE(other.comparisons[0].implied);
}

TEST(judgement, a_number_that_no_comparison_covers_is_reproduced_or_different) {
  const std::string two =
      number(cab_at_a, "100") + ", " + claim(R"("less": ["cab", "random"], "at": {"x": "b"})");
  samples all = cab({1, 1, 1, 1, 1});
  all[{"", "cab", "b"}] = {1, 1, 1, 1, 1};
  all[{"", "random", "b"}] = {2, 2, 2, 2, 2};
  EXPECT_EQ(judge(with(two), all).result, judgement::different);
}

TEST(judgement, is_not_reproduced_while_a_comparison_fails) {
  const std::string two =
      number(cab_at_a, "1") + ", " + claim(R"("less": ["random", "cab"], "at": {"x": "a"})");
  EXPECT_EQ(judge(with(two), both({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2})).result, judgement::different);
  EXPECT_EQ(judge(with(two), both({1, 1, 1, 1, 1}, {0, 0, 0, 0, 0})).result, judgement::reproduced);
}

TEST(judgement, the_best_among_the_others) {
  const figure of = with(claim(R"("least": {"series": "cab", "x": "b"}, "among": "x")"));
  const auto at = [](double a, double b) {
    return samples{{point{"", "cab", "a"}, std::vector(5, a)}, {point{"", "cab", "b"}, std::vector(5, b)}};
  };
  EXPECT_EQ(judge(of, at(2, 1)).result, judgement::same_sign_and_order);
  EXPECT_EQ(judge(of, at(1, 1)).result, judgement::different);
  EXPECT_EQ(judge(of, cab({1, 1, 1, 1, 1})).result, judgement::not_run);
}

TEST(judgement, about_the_same_within_a_tolerance_of_the_first) {
  const figure of = with(claim(R"("about": ["random", "cab"], "tolerance": 0.05)"));
  EXPECT_EQ(judge(of, both({105, 105, 105, 105, 105}, {100, 100, 100, 100, 100})).result,
            judgement::same_sign_and_order);
  EXPECT_EQ(judge(of, both({106, 106, 106, 106, 106}, {100, 100, 100, 100, 100})).result,
            judgement::different);
}

TEST(judgement, picks_the_largest_of_many_ratios) {
  const figure of =
      with(number(R"({"series": "cab", "x": "*", "over": {"series": "random"}, "pick": "largest"})", "4"));
  samples all = both({1, 1, 1, 1, 1}, {2, 2, 2, 2, 2});
  EXPECT_EQ(judge(of, all).result, judgement::not_run);  // b is missing
  all[{"", "cab", "b"}] = {8, 8, 8, 8, 8};
  all[{"", "random", "b"}] = {2, 2, 2, 2, 2};
  EXPECT_EQ(judge(of, all).result, judgement::reproduced);
}

TEST(judgement, exact_figures_need_one_sample_and_equality) {
  const figure of = with(number(cab_at_a, "4"), "exact");
  EXPECT_EQ(judge(of, cab({4})).result, judgement::reproduced);
  EXPECT_EQ(judge(of, cab({4.1})).result, judgement::different);
  EXPECT_EQ(judge(of, cab({4, 5})).result, judgement::different);
}

TEST(judgement, inputs_are_not_judged_and_figures_without_runs_have_no_verdict) {
  const figure inputs =
      with(R"("inputs": [{"name": "enqueue", "value": 57, "unit": "cycles", "place": "T5"}])", "inputs");
  EXPECT_EQ(judge(inputs, {}).result, judgement::inputs);
  const result missing = run(with(number(cab_at_a, "4")), {}, {});
  EXPECT_EQ(missing.found.result, judgement::not_run);
  EXPECT_FALSE(missing.came_out.not_run.empty());
}

TEST(judgement, an_experiment_is_found_by_its_name_and_judged) {
  const figure of = with(number(cab_at_a, "4"));
  const experiment four{"cab fig0", [](const figure&, const run_options& how) {
                          return outcome{.measured = cab(std::vector(how.seeds.size(), 4.0)),
                                         .machine = {},
                                         .level = {},
                                         .command = {},
                                         .assumptions = {},
                                         .tuned = {},
                                         .not_run = {}};
                        }};
  EXPECT_EQ(run(of, {four}, {.seeds = {1, 2, 3, 4, 5}}).found.result, judgement::reproduced);
}

/// The sentence with which the file of a figure is refused.
std::string refusal(const std::string& claims, const std::string& level = "L0") {
  try {
    with(claims, level);
  } catch (const bad_input& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const std::string& claims, std::initializer_list<const char*> naming,
                    const char* level = "L0") {
  const std::string sentence = refusal(claims, level);
  for (const char* part : naming)
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " in: " << sentence;
}

TEST(figure_files, are_refused_with_the_name_of_the_mistake) {
  expect_refused(number(R"({"series": "cba", "x": "a"})", "1"),
                 {"cab-fig0.json", "values[0].of.series", "nearest: cab"});
  expect_refused(number(R"({"series": "cab", "x": "*"})", "1"), {"values[0].of", "pick", "largest"});
  expect_refused(number(cab_at_a, "[2, 1]"), {"values[0].published[1]", "nearest: 2"});
  expect_refused(claim(R"("less": ["cab"])"), {"comparisons[0].less", "two or more"});
  expect_refused(claim(R"("less": ["cab", "random"], "most": "cab")"), {"comparisons[0]", "one of less"});
  expect_refused(claim(R"("about": ["cab", "random"])"), {"comparisons[0].tolerance is missing"});
  expect_refused(R"("run": {"measure": "second"}, )" + number(cab_at_a, "1"),
                 {"run.measure", "nearest: seconds"});
  expect_refused(R"("run": {"workers": 0}, )" + number(cab_at_a, "1"), {"run.workers", "nearest: 1"});
  expect_refused(R"("seeds": [1, 2], )" + number(cab_at_a, "1"), {"seeds", "5 or more"});
  expect_refused(number(cab_at_a, "1"), {"level", "nearest: L0"}, "L00");
  expect_refused(R"("remark": ["nothing claimed"])", {"the file", "published values, comparisons"});
  expect_refused(
      R"("values": [{"of": )" + cab_at_a + R"(, "published": 1, "from": "picture", "place": "p"}])",
      {"values[0]", "reading_error"});
  expect_refused(R"("value": 1, )" + number(cab_at_a, "1"), {"value is not known here", "nearest: values"});
}

TEST(figure_files, are_named_after_their_content) {
  const std::string text =
      R"({"paper": "cab", "id": "fig1", "title": "", "place": "", "claim": "", "level": "inputs",
                              "inputs": [{"name": "a", "value": 1, "place": "p"}]})";
  EXPECT_NO_THROW(parse_figure("published/cab-fig1.json", text));
  EXPECT_THROW(parse_figure("published/cab-fig2.json", text), bad_input);
  EXPECT_THROW(parse_figure("published/cab-fig1.json", "{"), bad_input);
}

TEST(figure, panel_series_and_x_set_up_a_point_and_the_last_setting_counts) {
  const figure of = parse_figure("cab-fig0.json", R"({"paper": "cab", "id": "fig0", "title": "", "place": "",
    "claim": "", "level": "L2", "run": {"machine": "m", "workers": 16, "parameters": {"n": 1, "leaf": 128}},
    "panels": [{"name": "heat", "run": {"workload": "heat"}}],
    "series": [{"name": "cab", "run": {"policy": "bitier"}}, {"name": "random", "run": {"policy": "random"}}],
    "xs": [{"name": "1", "run": {"parameters": {"n": 1024}}, "quick": {"parameters": {"n": 256}}},
           {"name": "2", "run": {"workers": 4}, "full_only": true}],
    "absent": [{"series": "random", "x": "2"}],
    "comparisons": [{"less": ["cab", "random"], "says": "", "place": ""}]})");
  const point one{"heat", "cab", "1"}, two{"heat", "cab", "2"};
  EXPECT_EQ(of.setup_at(one, size::full).workload, "heat");
  EXPECT_EQ(of.setup_at(one, size::full).policy, "bitier");
  EXPECT_EQ(of.setup_at(one, size::full).parameters.at("n"), "1024");
  EXPECT_EQ(of.setup_at(one, size::full).parameters.at("leaf"), "128");
  EXPECT_EQ(of.setup_at(one, size::quick).parameters.at("n"), "256");
  EXPECT_EQ(of.setup_at(two, size::full).workers, 4u);
  EXPECT_EQ(of.points().size(), 3u);
  EXPECT_EQ(of.points(size::quick).size(), 2u);
  EXPECT_THROW(of.setup_at({"heat", "random", "2"}, size::full), bad_input);
}

}  // namespace
}  // namespace skua::paper::judgement_test
