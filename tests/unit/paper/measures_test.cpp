// The parts of figures: the report of a run, its measures, the command of a point, and the runs that a figure needs.
#include <gtest/gtest.h>

#include <stdexcept>

#include "paper/measures.hpp"
#include "paper/plan.hpp"

namespace measures_test {
namespace {

using namespace skua::paper;

constexpr const char* a_run = R"({"name": "heat", "seconds": 0.5, "verified": true, "answer": "",
  "counters": {"attempts": 200, "steals": 20, "steal_misses": 180, "remote_attempts": 50, "remote_steals": 5},
  "times": {"seconds": 0.5, "ns": {"user": 4000, "spawning": 50, "own queue": 30, "looking": 40, "claiming": 200,
            "taking": 20, "waiting": 540, "suspending": 80, "resuming": 40, "asleep": 3000}},
  "numbers": {"stolen_depth": 2.5, "stolen_work": 40},
  "simulated": {"times": {"computing": 500, "data": 100, "forking": 40, "sharing": 60, "spinning": 30,
                          "kernel": 20, "asleep": 50},
                "operations": {"enqueue": {"times": 4, "cycles": 230}, "send_tasks": {"times": 0, "cycles": 0}},
                "tasks": {"run": 40, "stolen": 10}, "above_boundary_cycles": 36, "caches": [{"level": 1, "demand_misses": 900}, {"level": 2, "demand_misses": 70},
                           {"level": 3, "demand_misses": 30}]}})";

double value(const char* name, const run_report& run, const run_report& alone = {}) {
  return find_measure(name)->read({.run = run, .alone = alone});
}

TEST(paper_measures, are_read_from_what_a_run_prints) {
  const run_report run = read_report(a_run);
  EXPECT_EQ(value("seconds", run), 0.5);
  EXPECT_EQ(value("l2_misses", run), 70);
  EXPECT_EQ(value("l3_misses", run), 30);
  EXPECT_EQ(value("steal_miss_ratio", run), 0.9);
  EXPECT_EQ(value("remote_ratio", run), 0.25) << "the ratio is of attempts and not of steals";
  EXPECT_EQ(value("steal_misses", run), 180);
  EXPECT_EQ(value("remote_misses", run), 45) << "5 of 50 remote attempts brought a task";
}

TEST(paper_measures, split_the_librarys_time_as_the_thesis_does) {
  const run_report run = read_report(a_run);
  EXPECT_DOUBLE_EQ(value("library_share", run), 0.25) << "200 of 800 cycles";
  EXPECT_DOUBLE_EQ(value("stealing_share", run), 0.8) << "160 of 200 cycles: all library time except forks";
  EXPECT_DOUBLE_EQ(value("steal_wait_share", run), 0.625) << "100 of 160 cycles: pauses, kernel and sleep";
  EXPECT_DOUBLE_EQ(value("inter_tier_share", run), 0.05)
      << "the share of the 720 cycles in which a worker was active";
  EXPECT_FALSE(find_measure("stealing_share")->assumption.empty());
}

TEST(paper_measures, split_the_times_of_workers_as_the_thesis_does) {
  const run_report run = read_report(a_run);
  EXPECT_DOUBLE_EQ(value("stealing_of_library", run), 0.8) << "800 of 1000 cycles, sleep excluded";
  EXPECT_DOUBLE_EQ(value("stealing_of_all", run), 0.1) << "800 of 8000 cycles";
  EXPECT_DOUBLE_EQ(value("spawning_of_library", run), 0.05);
  EXPECT_DOUBLE_EQ(value("own_queue_of_library", run), 0.03);
  EXPECT_DOUBLE_EQ(value("suspending_of_library", run), 0.12);
  EXPECT_DOUBLE_EQ(value("steal_wait_of_stealing", run), 0.725) << "all stealing time except locks and takes";
  EXPECT_DOUBLE_EQ(value("waiting_of_stealing", run), 0.675);
  EXPECT_DOUBLE_EQ(value("looking_of_stealing", run), 0.05);
  EXPECT_DOUBLE_EQ(value("claiming_of_stealing", run), 0.25);
  EXPECT_DOUBLE_EQ(value("taking_of_stealing", run), 0.025);
  EXPECT_TRUE(find_measure("taking_of_stealing")->wants_times);
  EXPECT_FALSE(find_measure("stealing_share")->wants_times);
  EXPECT_THROW(value("waiting_of_stealing", {}), std::runtime_error)
      << "a run without --times has no such time";
}

TEST(paper_measures, a_program_may_count_itself) {
  const run_report run = read_report(a_run);
  EXPECT_EQ(value("stolen_depth", run), 2.5);
  EXPECT_EQ(value("stolen_work", run), 40);
  EXPECT_THROW(value("stolen_work", {}), std::runtime_error);
}

TEST(paper_measures, are_means_of_what_substrates_count) {
  const run_report run = read_report(a_run);
  EXPECT_EQ(value("enqueue_cycles", run), 57.5);
  EXPECT_EQ(value("stolen_share", run), 0.25);
  EXPECT_THROW(value("send_cycles", run), std::runtime_error) << "the run sent no messages";
  EXPECT_THROW(value("stolen_share", {}), std::runtime_error) << "the run counted no tasks";
  for (const char* name : {"dequeue", "update", "match", "send", "receive", "reduction"})
    EXPECT_NE(find_measure(std::string(name) + "_cycles"), nullptr) << name;
}

// Software queues consist of words that threads share. So the published share of software queues is the time for such words.
TEST(paper_measures, queues_of_software_are_shared_words) {
  const auto share_of = [](std::uint64_t queueing, std::uint64_t sharing) {
    run_report run;
    run.times = {{"computing", 600},
                 {"waiting", 400 - queueing - sharing},
                 {"queueing", queueing},
                 {"sharing", sharing}};
    return value("queue_share", run);
  };
  EXPECT_DOUBLE_EQ(share_of(0, 200), 0.2);
  EXPECT_DOUBLE_EQ(share_of(50, 0), 0.05);
}

TEST(paper_measures, speedup_is_over_one_worker) {
  run_report run, alone;
  run.seconds = 2;
  alone.seconds = 7;
  EXPECT_TRUE(find_measure("speedup")->wants_alone);
  EXPECT_FALSE(find_measure("seconds")->wants_alone);
  EXPECT_EQ(value("speedup", run, alone), 3.5);
}

TEST(paper_measures, are_zero_without_steal_attempts) {
  EXPECT_EQ(value("steal_miss_ratio", {}), 0);
  EXPECT_EQ(value("remote_ratio", {}), 0);
}

TEST(paper_measures, a_missing_cache_has_no_misses) {
  EXPECT_THROW(value("l3_misses", {}), std::runtime_error);
  EXPECT_EQ(find_measure("l4_misses"), nullptr);
}

TEST(paper_measures, a_wrong_answer_or_a_missing_report_is_not_a_measurement) {
  std::string wrong = a_run;
  wrong.replace(wrong.find("true"), 4, "false");
  EXPECT_THROW(read_report(wrong), std::runtime_error);
  EXPECT_THROW(read_report("{}"), std::runtime_error);
  EXPECT_THROW(read_report("skua: no"), std::runtime_error);
}

// ---- the command of a point

figure made(const std::string& level, const std::string& run) {
  return parse_figure("cab-mine.json",
                      R"({"paper": "cab", "id": "mine", "title": "t", "place": "p", "claim": "c",
    "level": ")" + level + R"(", "axes": {"x": "", "y": ""}, "run": )" +
                          run + R"(,
    "quick": {"parameters": {"steps": 2}},
    "series": [{"name": "a", "run": {"policy": "random"}}, {"name": "b", "run": {"policy": "bitier"}}],
    "xs": [{"name": "x"}], "comparisons": [{"less": ["b", "a"], "says": "s", "place": "p"}]})");
}

constexpr const char* plain = R"({"workload": "heat", "machine": "opteron-8380-4s", "measure": "seconds",
  "workers": 16, "parameters": {"n": 100, "steps": 9}})";

using words = std::vector<std::string>;

TEST(paper_plan, is_what_a_user_would_type) {
  const figure of = made("L2", plain);
  const plan how = plan_for(of, {"", "b", "x"}, size::full);
  EXPECT_EQ(how.command(3),
            (words{"run", "heat", "n=100", "steps=9", "--simulate", "opteron-8380-4s", "--level", "caches",
                   "--policy", "bitier", "--workers", "16", "--seed", "3", "--json"}));
  EXPECT_EQ(plan_for(of, {"", "a", "x"}, size::quick).command(1, true),
            (words{"run", "heat", "n=100", "steps=2", "--simulate", "opteron-8380-4s", "--level", "caches",
                   "--policy", "random", "--workers", "1", "--seed", "1", "--json"}));
}

std::string needs(const std::string& level, const std::string& more) {
  std::string run = plain;
  run.insert(run.size() - 1, more);
  return plan_for(made(level, run), {"", "a", "x"}, size::full).needs;
}

TEST(paper_plan, says_what_is_missing) {
  EXPECT_EQ(needs("L0", ""), "");
  EXPECT_EQ(needs("L1", R"(, "substrate": "carbon", "options": {"network": "ideal"})"), "");
  EXPECT_EQ(needs("L1", R"(, "options": {"weather": "fine"})"), "the option weather=fine");
  EXPECT_EQ(needs("host", ""), "timed runs on a real machine");
}

TEST(paper_plan, options_of_a_run_become_options_of_the_command) {
  std::string run = plain;
  run.insert(run.size() - 1, R"(, "options": {"pages": "interleave", "free_looks": true})");
  const words command = plan_for(made("L2", run), {"", "a", "x"}, size::full).words;
  const words last(command.end() - 5, command.end());
  EXPECT_EQ(last, (words{"--free-looks", "--pages", "interleave", "--policy", "random"}));
}

// ---- which runs of a figure are possible

const exact_values nothing = [](const figure&, const point&) { return std::nullopt; };

TEST(paper_coverage, is_complete_if_nothing_is_missing) {
  const coverage can = coverage_of(made("L2", plain), size::quick, nothing);
  EXPECT_TRUE(can.complete());
  EXPECT_EQ(can.runs.size(), 2u);
  EXPECT_EQ(can.needs_words(), "");
}

TEST(paper_coverage, leaves_out_runs_without_a_published_claim) {
  figure of = made("L2", plain);
  of.series[1].run.options["weather"] = "fine";  // the only comparison needs both series
  const coverage can = coverage_of(of, size::quick, nothing);
  EXPECT_TRUE(can.nothing());
  EXPECT_EQ(can.points, 2u);
  EXPECT_EQ(can.needs_words(), "needs the option weather=fine");
}

TEST(paper_coverage, takes_exact_values_from_the_function_that_computes_them) {
  const exact_values one = [](const figure&, const point& where) -> std::optional<double> {
    if (where.series == "a") return 7;
    return std::nullopt;
  };
  const coverage can = coverage_of(made("exact", plain), size::full, one);
  EXPECT_EQ(can.needs_words(), "needs the measure seconds");
  EXPECT_TRUE(can.nothing()) << "the comparison needs both series";
}

}  // namespace
}  // namespace measures_test
