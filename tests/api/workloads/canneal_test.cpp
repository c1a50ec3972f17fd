// canneal: published runs of the deterministic mode, both modes on any number of workers, intact and damaged files of
// circuits.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/canneal.hpp"
#include "workloads/kernels/canneal_input.hpp"

namespace workloads::canneal_test {
namespace {

using setting = std::map<std::string, std::string, std::less<>>;

TEST(canneal, deterministic_runs_as_published) {
  for (const setting& options :
       {setting{{"n", "100"}, {"steps", "10"}, {"moves", "100"}}, setting{},
        setting{{"n", "10000"}, {"steps", "50"}, {"moves", "10000"}, {"temperature", "2000"}}}) {
    const auto program = find("canneal")->make({.options = options});
    program->prepare();
    EXPECT_FALSE(program->verify().correct);
    program->sequential();
    const answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << v.message;
  }
  EXPECT_EQ(canneal_published(100, 10, 100, 300)->after, 3156);
  EXPECT_EQ(canneal_published(100, 10, 100, 301), nullptr);
}

TEST(canneal, the_large_circuit_as_published) {
  const auto program = find("canneal")->make(
      {.options = {{"n", "100000"}, {"steps", "20"}, {"moves", "15000"}, {"temperature", "2000"}}});
  skua::scheduler pool({.workers = 2});
  program->prepare();
  pool.run([&] { program->parallel(); });
  const answer_check v = program->verify();
  EXPECT_EQ(v.message,
            "wire length 92868124 before, 85766438 after; of 300000 moves 93341 accepted, 82867 made");
  EXPECT_TRUE(v.correct);
}

// The length that the racy mode keeps up to date is exact if no other thread interferes.
TEST(canneal, a_move_changes_the_cost_by_the_predicted_difference) {
  // There are few elements, so that many moves swap the ends of a wire.
  const canneal_circuit c = canneal_random(3, 12);
  std::vector<canneal_place> places = canneal_in_order(c);
  const auto place_of = [&](std::uint32_t id) { return places[id]; };
  for (std::uint64_t m = 0; m < 200; ++m) {
    const canneal_move move = canneal_draw(9, m, c.places());
    ASSERT_NE(move.a, move.b);
    const std::int64_t before = canneal_cost(c, place_of),
                       change = canneal_evaluate(c, move.a, move.b, place_of).real;
    std::swap(places[move.a], places[move.b]);
    ASSERT_EQ(canneal_cost(c, place_of), before + change) << m;
  }
}

TEST(canneal, both_modes_on_any_number_of_workers) {
  for (const char* mode : {"det", "racy"})
    for (const setting& options : {setting{{"n", "1"}, {"moves", "1"}}, setting{{"n", "2"}},
                                   setting{{"n", "50"}, {"moves", "65"}}, setting{}}) {
      parameters asked{.options = options};
      asked.options["mode"] = mode;
      const auto program = find("canneal")->make(asked);
      for (const std::int64_t workers : any_number_of_workers) {
        skua::scheduler pool({.workers = workers});
        program->prepare();
        EXPECT_FALSE(program->verify().correct);
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", " << mode << ", " << workers << " workers";
        if (workers == 1 && asked.options["mode"] == "racy") {
          EXPECT_NE(v.message.find("length kept up to date: the same"), std::string::npos) << v.message;
          program->prepare();
          program->sequential();
          EXPECT_EQ(program->verify().message, v.message);
        }
        program->flip_one();
        EXPECT_FALSE(program->verify().correct);
      }
    }
  EXPECT_THROW(find("canneal")->make({.options = {{"mode", "fast"}}}), skua::bad_input);
  EXPECT_THROW(find("canneal")->make({.options = {{"moves", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("canneal")->make({.options = {{"n", "10000001"}}}), skua::bad_input);
}

struct circuit_files : testing::Test, input_file {
  circuit_files() : input_file("canneal") {}
};

TEST_F(circuit_files, give_the_same_circuit_as_the_generator) {
  const canneal_circuit made = canneal_random(42, 100);
  std::string text = "100 11 11\n";
  for (std::uint64_t i = 0; i < 100; ++i) {
    text += "e" + std::to_string(i) + " 1";
    for (std::uint64_t q = 0; i > 0 && q < 5; ++q) text += " e" + std::to_string(below_at(42, 5 * i + q, i));
    text += " END\n";
  }
  write(text);
  const canneal_circuit read = canneal_reader(name).read();
  EXPECT_EQ(read.start, made.start);
  EXPECT_EQ(read.wires, made.wires);
  const auto program = find("canneal")->make({.options = {{"input", name}}});
  program->prepare();
  program->sequential();
  EXPECT_TRUE(program->verify().correct);
}

TEST_F(circuit_files, damaged_ones_are_refused) {
  EXPECT_EQ(complaint("2 3 1\na 1 b END\n\nb 2 END\n"), "accepted");
  EXPECT_EQ(complaint(""),
            " ends after line 0: expected a line with the numbers of elements, columns and rows");
  EXPECT_EQ(complaint("2 3\n"), ":1: expected the numbers of elements, columns and rows, found '2 3'");
  EXPECT_EQ(
      complaint("2 2 1\n"),
      ":1: expected 1 to 10000000 elements, and more places than elements, at most 40000000, found '2 2 1'");
  EXPECT_EQ(complaint("2 3 1\na x b END\n"),
            ":2: expected a name, a type, inputs and END, found 'a x b END'");
  EXPECT_EQ(complaint("2 3 1\na 1 b\n"), ":2: expected END after the inputs, found nothing");
  EXPECT_EQ(complaint("2 3 1\na 1 b END b\n"), ":2: expected nothing after END, found more");
  EXPECT_EQ(complaint("2 3 1\na 1 END\na 1 END\n"),
            ":3: expected one line for each element, found a second one");
  EXPECT_EQ(complaint("2 3 1\na 1 b c END\n"),
            ":2: expected no more than 2 elements, found another one, 'c'");
  EXPECT_EQ(complaint("2 3 1\na 1 END\n"), " ends after line 2: expected 2 elements, found 1");
  EXPECT_EQ(complaint("2 3 1\na 1 b END\n"),
            " ends after line 2: expected a line for each element that is an input");
  EXPECT_THROW(find("canneal")->make({.options = {{"input", "/no/such/file"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::canneal_test
