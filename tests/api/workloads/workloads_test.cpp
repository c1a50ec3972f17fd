// The workloads: known inputs and answers. Every answer is verified on any number of workers, and a damaged one is not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workload_checks.hpp"
#include "workloads/common/hash.hpp"
#include "workloads/common/random.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/file_counts.hpp"
#include "workloads/kernels/heat.hpp"
#include "workloads/kernels/matmul.hpp"
#include "workloads/kernels/queens.hpp"
#include "workloads/kernels/sort.hpp"
#include "workloads/kernels/uts.hpp"
#include "workloads/kernels/words.hpp"

namespace workloads::workloads_test {
namespace {

// Inputs, hashes and kernels.

TEST(random_numbers, published_vectors) {
  EXPECT_EQ(random_at(0, 0), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random_at(0, 1), 0x6e789e6aa1b965f4u);
  EXPECT_EQ(random_at(0, 2), 0x06c45d188009454fu);
  EXPECT_EQ(random_at(1, 0), 0x910a2dec89025cc1u);
  EXPECT_EQ(random_at(1, 1), 0xbeeb8da1658eec67u);
  EXPECT_EQ(random_at(1, 2), 0xf893a2eefb32555eu);
  EXPECT_EQ(random_at(42, 0), 0xbdd732262feb6e95u);
  EXPECT_EQ(random_at(42, 1), 0x28efe333b266f103u);
  EXPECT_EQ(random_at(42, 2), 0x47526757130f9f52u);
  EXPECT_DOUBLE_EQ(uniform_at(0, 0), 0.88331080821364261);
  EXPECT_DOUBLE_EQ(uniform_at(1, 0), 0.5665615751722809);
  EXPECT_DOUBLE_EQ(uniform_at(42, 0), 0.74156487877182331);
  EXPECT_EQ(below_at(0, 0, 1000), 883u);
  EXPECT_EQ(below_at(1, 0, 1000), 566u);
  EXPECT_EQ(below_at(42, 0, 1000), 741u);
}

TEST(hashes, only_one_of_the_two_depends_on_the_order) {
  const std::vector<int> there = {3, -1, 4}, back = {4, -1, 3}, other = {3, -1, 5};
  EXPECT_EQ(hash_set(there), hash_set(back));
  EXPECT_NE(hash_sequence(there), hash_sequence(back));
  EXPECT_NE(hash_set(there), hash_set(other));
}

TEST(sorting, permutation_as_published) {
  const std::vector<sort_key> small = sort_permutation(1000), large = sort_permutation(65536);
  EXPECT_EQ((std::vector<sort_key>(small.begin(), small.begin() + 3)), (std::vector<sort_key>{80, 759, 68}));
  EXPECT_EQ(hash_sequence(small), 0xc8a0faee47306a0eu);
  EXPECT_EQ((std::vector<sort_key>(large.begin(), large.begin() + 3)),
            (std::vector<sort_key>{36358, 11241, 6050}));
  EXPECT_EQ(hash_sequence(large), 0x17f6cd484075a873u);
  const std::vector<sort_key> paper = sort_permutation(1048576);
  EXPECT_EQ(hash_sequence(paper), 0xf39f6a26070e6b6du);
}

TEST(sorting, keys_as_published) {
  std::vector<sort_key> keys = sort_keys(42, 65536);
  EXPECT_EQ(hash_set(keys), 0xb2232db7c85b61d2u);
  sort_run(keys);
  EXPECT_EQ(hash_sequence(keys), 0x1d3581ea4dfa79d9u);
  EXPECT_EQ(keys.front(), 33345u);
  EXPECT_EQ(keys[keys.size() / 2], 2147022228u);
  EXPECT_EQ(keys.back(), 4294962729u);
  keys = sort_keys(42, 1048576);
  EXPECT_EQ(hash_set(keys), 0xa620f0d7e4e80325u);
}

TEST(sorting, merging_loses_nothing_when_a_run_is_empty) {
  const std::vector<sort_key> run = {1, 2, 2, 9};
  std::vector<sort_key> to(4, 0);
  merge_runs(run, {}, to.data());
  EXPECT_EQ(to, run);
  to.assign(4, 0);
  merge_runs({}, run, to.data());
  EXPECT_EQ(to, run);
  to.assign(6, 0);
  merge_runs(run, std::vector<sort_key>{0, 2}, to.data());
  EXPECT_EQ(to, (std::vector<sort_key>{0, 1, 2, 2, 2, 9}));
}

struct published_product {
  std::size_t n;
  std::int64_t sum, trace, first;
};
class products : public testing::TestWithParam<published_product> {};
TEST_P(products, as_published) {
  const auto [n, known_sum, known_trace, known_first] = GetParam();
  const std::vector<double> a = random_matrix(42, n), b = random_matrix(43, n);
  std::vector<double> c(n * n, 0.0);
  matmul_sequential(a.data(), b.data(), c.data(), n);
  EXPECT_EQ(hash_sequence(std::vector<std::int64_t>(c.begin(), c.end())), product_hash(n));
  double sum = 0, trace = 0;
  for (const double x : c) sum += x;
  for (std::size_t i = 0; i < n; ++i) trace += c[i * n + i];
  EXPECT_EQ(sum, static_cast<double>(known_sum));
  EXPECT_EQ(trace, static_cast<double>(known_trace));
  EXPECT_EQ(c[0], static_cast<double>(known_first));
  EXPECT_TRUE(is_product(a.data(), b.data(), c.data(), n));
  c[n + 1] += 1;
  EXPECT_FALSE(is_product(a.data(), b.data(), c.data(), n));
}
INSTANTIATE_TEST_SUITE_P(
    matmul, products,
    testing::Values(published_product{64, -1021, -1149, -53}, published_product{96, -706, -4172, -263},
                    published_product{128, 30760, 282, -25}, published_product{192, -30256, 1170, 193},
                    published_product{256, 124270, -889, -808}, published_product{512, 269815, 12168, 29}));

TEST(matmul, blocks_of_any_shape) {
  for (const std::size_t n : {1u, 3u, 17u, 63u, 65u, 130u}) {
    const std::vector<double> a = random_matrix(1, n), b = random_matrix(2, n);
    std::vector<double> c(n * n, 0.0), plain(n * n, 0.0);
    matmul_sequential(a.data(), b.data(), c.data(), n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < n; ++j) plain[i * n + j] += a[i * n + k] * b[k * n + j];
    EXPECT_EQ(c, plain) << n;
  }
}

TEST(queens, both_boards_count_the_same_known_numbers) {
  for (int n = 1; n <= 10; ++n) {
    const queens_tally fast = queens_count(queens_bitmask{n});
    EXPECT_EQ(fast, queens_count(queens_pairwise{n})) << n;
    EXPECT_EQ(fast.solutions, queens_solutions(n)) << n;
    EXPECT_TRUE(queens_nodes(n) == 0 || queens_nodes(n) == fast.nodes) << n;
  }
  EXPECT_EQ(queens_count(queens_bitmask{12}).nodes, 856189);
}

std::vector<int> first_solution(int n, std::int64_t& nodes) {
  queens_pairwise board{n};
  queens_find(board, nodes, [] { return false; });
  EXPECT_TRUE(queens_solved(board));
  return {board.columns.begin(), board.columns.begin() + n};
}
TEST(queens, first_solution_in_order) {
  std::int64_t nodes = 0;
  EXPECT_EQ(first_solution(8, nodes), (std::vector<int>{0, 4, 7, 5, 2, 6, 1, 3}));
  EXPECT_EQ(nodes, 114);
  nodes = 0;
  EXPECT_EQ(first_solution(20, nodes),
            (std::vector<int>{0, 2, 4, 1, 3, 12, 14, 11, 17, 19, 16, 8, 15, 18, 7, 9, 6, 13, 5, 10}));
  EXPECT_EQ(nodes, 199636);
}
TEST(queens, a_board_with_an_attack_is_no_solution) {
  queens_pairwise board{8, 8, {0, 4, 7, 5, 2, 6, 1, 3}};
  EXPECT_TRUE(queens_solved(board));
  board.columns[0] = 1;
  EXPECT_FALSE(queens_solved(board));
  EXPECT_FALSE(queens_solved(queens_pairwise{8}));
}

TEST(heat, sequential_is_the_exact_answer) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  struct {
    std::size_t n;
    int steps;
    double factor, centre;
  } const known[] = {{130, 50, 0.99976277587611151, 0.98806095344316214},
                     {512, 100, 0.99998488122622953, 0.99847981856387857},
                     {1024, 100, 0.99999622768345853, 0.99962048196890929},
                     {2048, 100, 0.99999905784150966, 0.99990519975118375}};
  for (const auto& k : known) {
    if (under_sanitizer && k.n > 1024) continue;
    const heat_problem problem = heat_square(k.n, k.steps);
    std::vector<double> plate = heat_plate(problem), other = plate;
    heat_sequential(plate, other, problem);
    EXPECT_NEAR(problem.step_factor(), k.factor, 1e-15);
    EXPECT_NEAR(plate[k.n / 2 * k.n + k.n / 2], k.centre, 1e-12);
    EXPECT_LT(heat_error(plate, problem), problem.tolerance());
    plate[k.n + 1] = std::nan("");
    EXPECT_FALSE(heat_error(plate, problem) < problem.tolerance());
  }
}

TEST(heat, the_input_of_cilk_has_the_published_error) {
  const heat_problem problem{512, 512, 100, heat_input::cilk};
  std::vector<double> plate = heat_plate(problem), other = plate;
  heat_sequential(plate, other, problem);
  EXPECT_NEAR(heat_error(plate, problem), 1.6e-13, 0.05e-13);
  EXPECT_DOUBLE_EQ(plate.back(), std::exp(-2e-7));
}

TEST(heat, plates_need_not_be_square_nor_cold_at_the_border) {
  expect_verified("heat", {{"n", "96"}, {"columns", "33"}, {"leaf", "7"}});
  expect_verified("heat", {{"n", "3"}, {"columns", "1000"}});
  expect_verified("heat", {{"n", "100"}, {"input", "cilk"}, {"leaf", "9"}});
  EXPECT_EQ(complaint("heat", "columns", "2"),
            "columns is '2'; allowed: a whole number from 3 to 16384; nearest: 3");
  EXPECT_EQ(complaint("heat", "input", "tbb"), "input is 'tbb'; allowed: eigenmode, cilk");
}

std::string hex(const sha1_digest& digest) {
  std::string text;
  char two[3];
  for (const std::uint8_t byte : digest) {
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}
TEST(sha1, examples_of_the_standard) {
  EXPECT_EQ(hex(sha1_short({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  const std::uint8_t abc[] = {'a', 'b', 'c'};
  EXPECT_EQ(hex(sha1_short(abc)), "a9993e364706816aba3e25717850c26c9cd0d89d");
  const std::vector<std::uint8_t> longest(55, 'a');
  EXPECT_EQ(hex(sha1_short(longest)), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
}

TEST(uts, trees_as_published) {
  EXPECT_EQ(uts_sequential(uts_t1_short, uts_root(uts_t1_short)), (uts_tally{16000, 12839, 6}));
  EXPECT_EQ(uts_children(uts_t3, uts_root(uts_t3)), 2000);
  EXPECT_EQ(uts_known(uts_t1), (uts_tally{4130071, 3305118, 10}));
  EXPECT_EQ(uts_known(uts_t3), (uts_tally{4112897, 3599034, 1572}));
}

// Words and files.

TEST(words, are_runs_of_letters_in_lower_case) {
  word_counts counts;
  counts.count("The the THE x9y \xc3\xa9tude, it's");
  EXPECT_EQ(counts.total, 8);
  EXPECT_EQ(counts.times("the"), 3);
  EXPECT_EQ(counts.times("x"), 1);
  EXPECT_EQ(counts.times("tude"), 1);
  EXPECT_EQ(counts.times("s"), 1);
  EXPECT_EQ(counts.times("The"), 0);
  EXPECT_EQ(counts.distinct(), 6u);
  EXPECT_EQ(counts.fingerprint, counts.recomputed_fingerprint());
}

TEST(words, no_piece_cuts_a_word_and_no_byte_is_lost) {
  std::string text;
  for (std::uint64_t i = 0; text.size() < 3 * words_piece; ++i)
    text += std::string(below_at(1, i, 30), static_cast<char>('a' + i % 26)) + " ";
  text += std::string(2 * words_piece, 'q');  // one long word
  word_counts whole, merged;
  whole.count(text);
  std::string glued;
  const std::vector<std::string_view> pieces = text_pieces(text);
  EXPECT_GE(pieces.size(), 3u);
  for (const std::string_view piece : pieces) {
    word_counts counts;
    counts.count(piece);
    merged.merge(std::move(counts));
    glued += piece;
  }
  EXPECT_EQ(glued, text);
  EXPECT_TRUE(merged == whole);
  EXPECT_EQ(merged.fingerprint, merged.recomputed_fingerprint());
  EXPECT_TRUE(text_pieces("").empty());
}

class file_tree : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(root / "a" / "b" / "empty");
    write("a/one.txt", "one two two");
    write("a/b/two.txt", "two three three three");
    write("nothing", "");
    std::string large;
    for (int i = 0; i < 200000; ++i) large += "word" + std::string(1 + i % 7, 'x') + "\n";
    write("large", large);
    std::filesystem::create_symlink(root / "a", root / "link");
    std::filesystem::create_symlink(root / "large", root / "a" / "link");
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void write(const std::string& name, const std::string& text) { std::ofstream(root / name) << text; }

  std::unique_ptr<program> counting() {
    return find("wordcount_files")->make({.options = {{"roots", root.native()}}});
  }

  const std::filesystem::path root = testing::TempDir() + "skua_files_" + std::to_string(getpid());
};

TEST_F(file_tree, counts_files_and_follows_no_links) {
  const auto words = counting();
  words->prepare();
  words->parallel();
  const answer_check v = words->verify();
  EXPECT_TRUE(v.correct);
  EXPECT_EQ(v.message, "200007 words, 10 different ones, in 4 files");
}

TEST_F(file_tree, changed_files_are_left_out_and_named) {
  const auto words = counting();
  words->prepare();
  words->parallel();
  write("a/one.txt", "one two two and more");
  const answer_check v = words->verify();
  EXPECT_TRUE(v.correct);
  EXPECT_NE(v.message.find("1 changed during the run, left out: " + (root / "a/one.txt").native()),
            std::string::npos)
      << v.message;
}

TEST_F(file_tree, the_check_finds_files_that_are_counted_wrongly) {
  files_check check;
  check.prepare({root});
  files_tally answer;
  count_directory_sequential(root, answer);
  EXPECT_EQ(check.check(answer), "");
  files_tally partial = answer;
  partial.files.pop_back();
  EXPECT_NE(check.check(partial).find("was not counted"), std::string::npos);
  files_tally doubled = answer;
  doubled.files.push_back(answer.files[0]);
  EXPECT_NE(check.check(doubled).find("was counted twice"), std::string::npos);
  files_tally wrong = answer;
  ++wrong.files[0].words;
  EXPECT_NE(check.check(wrong).find("was counted wrongly"), std::string::npos);
  answer.words.flip_one();
  EXPECT_EQ(check.check(answer), "the merged counts are not the sum of the counts of the files");
}

TEST_F(file_tree, reports_what_cannot_be_read) {
  std::filesystem::permissions(root / "a" / "b", std::filesystem::perms::none);
  std::filesystem::permissions(root / "nothing", std::filesystem::perms::none);
  const bool enforced = !std::ifstream(root / "nothing");
  const auto words = counting();
  words->prepare();
  words->parallel();
  const answer_check v = words->verify();
  std::filesystem::permissions(root / "a" / "b", std::filesystem::perms::owner_all);
  if (!enforced) GTEST_SKIP() << "this user may read every file";
  EXPECT_TRUE(v.correct);
  EXPECT_NE(v.message.find("in 2 files; 2 cannot be read:"), std::string::npos) << v.message;
}

// Every workload: sequential, parallel, and damaged.

struct one_run {
  std::string name;
  std::map<std::string, std::string, std::less<>> options = {};
  std::optional<std::uint64_t> seed = std::nullopt;
};
std::ostream& operator<<(std::ostream& out, const one_run& run) {
  out << run.name;
  for (const auto& [option, value] : run.options) out << ' ' << option << '=' << value;
  return out;
}
std::string test_name(const testing::TestParamInfo<one_run>& info) {
  std::string name = testing::PrintToString(info.param);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name + (info.param.seed ? "_seed" : "");
}

class workload_runs : public testing::TestWithParam<one_run> {
 protected:
  std::unique_ptr<program> made() {
    const workload* found = find(GetParam().name);
    EXPECT_NE(found, nullptr);
    return found->make({.seed = GetParam().seed, .options = GetParam().options});
  }
};

TEST_P(workload_runs, sequential_is_verified) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto program = made();
  program->prepare();
  program->sequential();
  const answer_check v = program->verify();
  EXPECT_TRUE(v.correct) << v.message;
}

TEST_P(workload_runs, parallel_is_verified_and_damage_is_not) {
  const auto program = made();
  for (const std::int64_t workers : {1, 2, 4}) {
    if (under_thread_sanitizer && workers == 1) continue;  // one thread
    skua::scheduler pool({.workers = workers});
    for (int repeat = 0; repeat < 3; ++repeat) {
      program->prepare();
      pool.run([&] { program->parallel(); });
      const answer_check v = program->verify();
      EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers";
    }
    program->flip_one();
    EXPECT_FALSE(program->verify().correct) << workers << " workers";
  }
}

TEST_P(workload_runs, nothing_computed_is_not_verified) {
  const auto program = made();
  program->prepare();
  EXPECT_FALSE(program->verify().correct);
}

INSTANTIATE_TEST_SUITE_P(
    api_workloads, workload_runs,
    testing::Values(
        one_run{"fib", {{"n", "20"}}}, one_run{"queens"}, one_run{"queens", {{"n", "8"}, {"cutoff", "none"}}},
        one_run{"queens", {{"n", "8"}, {"test", "pairwise"}, {"mode", "count"}}},
        one_run{"queens", {{"n", "9"}, {"mode", "count"}, {"cutoff", "0"}}},
        one_run{"queens", {{"n", "14"}, {"mode", "first"}}},
        one_run{"queens", {{"n", "1"}, {"mode", "first"}}}, one_run{"heat"},
        one_run{"heat", {{"n", "40"}, {"leaf", "1"}}}, one_run{"mergesort"},
        one_run{"mergesort", {{"form", "phase"}}},
        one_run{"mergesort", {{"form", "phase"}, {"n", "1001"}, {"leaf", "16"}}, 7},
        one_run{"mergesort", {{"n", "100000"}}, 7}, one_run{"mergesort", {{"input", "permutation"}}},
        one_run{"matmul"}, one_run{"matmul", {{"n", "130"}, {"form", "divide"}}},
        one_run{"matmul", {{"n", "192"}, {"form", "divide"}}}, one_run{"matmul", {{"n", "65"}}, 7},
        one_run{"uts"}, one_run{"skynet", {{"k", "4"}}}, one_run{"skynet", {{"k", "4"}, {"form", "reduce"}}},
        one_run{"skynet", {{"k", "4"}, {"form", "group"}}}, one_run{"fft"},
        one_run{"fft", {{"n", "8192"}, {"transforms", "3"}, {"region", "shaped"}}, 7}, one_run{"cholesky"},
        one_run{"cholesky", {{"n", "193"}, {"input", "exact"}}}, one_run{"cholesky", {{"n", "100"}}, 7},
        one_run{"strassen"}, one_run{"strassen", {{"n", "260"}, {"times", "2"}}, 7}, one_run{"sor"},
        one_run{"gauss"}, one_run{"ep"}, one_run{"cg"}, one_run{"sgemm"}, one_run{"triad"}, one_run{"hull"},
        one_run{"blackscholes"}, one_run{"swaptions"}, one_run{"floyd_warshall"},
        one_run{"floyd_warshall", {{"n", "100"}, {"rows", "1"}}, 7}, one_run{"quicksort"},
        one_run{"quicksort", {{"n", "65536"}, {"input", "reversed"}}},
        one_run{"quicksort", {{"n", "50000"}}, 7}, one_run{"is"}, one_run{"wordcount"},
        one_run{"streamcluster"}, one_run{"ck"}, one_run{"canny"},
        one_run{"canny", {{"task", "pixel"}, {"n", "100"}}}, one_run{"hashjoin"},
        one_run{"hashjoin", {{"keys", "skew"}, {"n", "3000"}, {"start", "all"}}}, one_run{"maxflow"},
        one_run{"maxflow", {{"rows", "8"}, {"levels", "8"}, {"capacity", "100"}, {"order", "lifo"}}},
        one_run{"gtfold"}, one_run{"gtfold", {{"form", "tasks"}}}, one_run{"cg16"}, one_run{"canneal"},
        one_run{"canneal", {{"mode", "racy"}}}, one_run{"canneal", {{"form", "phases"}}},
        one_run{"hashjoin", {{"timed", "join"}}}, one_run{"canneal", {{"n", "99"}, {"steps", "7"}}, 7},
        one_run{"fluidanimate"}, one_run{"fluidanimate", {{"leaf", "1"}, {"frames", "2"}}, 7}),
    test_name);

TEST(uts, a_deep_tree_needs_no_deep_stack) {
  if constexpr (under_thread_sanitizer) GTEST_SKIP() << "it is about the size of stacks";
  const auto program = find("uts")->make({.options = {{"tree", "T3"}}});  // depth 1572
  skua::scheduler pool({.workers = 2, .stack_bytes = 256 * 1024});
  program->prepare();
  pool.run([&] { program->parallel(); });
  const answer_check v = program->verify();
  EXPECT_TRUE(v.correct) << v.message;
}

TEST(registry, knows_all_names_once) {
  std::vector<std::string_view> names;
  for (const workload* w : all()) names.push_back(w->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"fib",
                                                  "queens",
                                                  "heat",
                                                  "mergesort",
                                                  "matmul",
                                                  "uts",
                                                  "skynet",
                                                  "wordcount_files",
                                                  "fft",
                                                  "ck",
                                                  "cholesky",
                                                  "sor",
                                                  "gauss",
                                                  "cg",
                                                  "ep",
                                                  "is",
                                                  "sgemm",
                                                  "triad",
                                                  "canneal",
                                                  "maxflow",
                                                  "canny",
                                                  "cg16",
                                                  "gtfold",
                                                  "hashjoin",
                                                  "blackscholes",
                                                  "fluidanimate",
                                                  "streamcluster",
                                                  "swaptions",
                                                  "hull",
                                                  "quicksort",
                                                  "strassen",
                                                  "floyd_warshall",
                                                  "wordcount"}));
  for (const workload* w : all()) EXPECT_EQ(find(w->name), w);
  EXPECT_EQ(find("fibb"), nullptr);
}

TEST(parameters, some_numbers_of_queens_have_no_solution) {
  for (const auto& [n, nearest] : {std::pair{"2", "1"}, {"3", "4"}}) {
    EXPECT_NO_THROW(find("queens")->make({.options = {{"n", n}, {"mode", "count"}}}));
    try {
      find("queens")->make({.options = {{"n", n}, {"mode", "first"}}});
      FAIL() << n;
    } catch (const skua::bad_input& error) {
      EXPECT_EQ(std::string(error.what()),
                std::string("n is '") + n +
                    "'; allowed with mode=first: 1, or 4 to 20, since 2 and 3 have no solution; nearest: " +
                    nearest);
    }
  }
}

TEST(parameters, bad_values_are_named_with_what_is_allowed) {
  EXPECT_EQ(complaint("fib", "n", "61"), "n is '61'; allowed: a whole number from 0 to 60; nearest: 60");
  EXPECT_EQ(complaint("fib", "n", "-1"), "n is '-1'; allowed: a whole number from 0 to 60; nearest: 0");
  EXPECT_EQ(complaint("fib", "n", "2x"), "n is '2x'; allowed: a whole number from 0 to 60; nearest: 2");
  EXPECT_EQ(complaint("fib", "n", "2k"), "n is '2k'; allowed: a whole number from 0 to 60");
  EXPECT_EQ(complaint("fib", "n", "1e1"), "n is '1e1'; allowed: a whole number from 0 to 60");
  EXPECT_EQ(complaint("fib", "n", "x"), "n is 'x'; allowed: a whole number from 0 to 60");
  EXPECT_EQ(complaint("queens", "test", "slow"), "test is 'slow'; allowed: bitmask, pairwise");
  EXPECT_EQ(complaint("wordcount_files", "roots", "/no/such"),
            "roots names '/no/such'; allowed: directories, separated by commas; "
            "nearest: /usr/share/common-licenses");
}

}  // namespace
}  // namespace workloads::workloads_test
