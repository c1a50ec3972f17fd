// gtfold: published energies of known and of real molecules, unusual molecules, all forms on any number of workers, damaged
// files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/gtfold_input.hpp"
#include "workloads/kernels/gtfold_structure.hpp"

namespace workloads::gtfold_test {
namespace {

struct known_molecule {
  std::string letters;
  rna_energy energy;
  int max_pairs;
};

void expect_known(const known_molecule& known) {
  fold_tables tables(rna_numbers(known.letters));
  fold_sequential(tables);
  EXPECT_EQ(tables.front.back(), known.energy) << known.letters;
  EXPECT_EQ(rna_max_pairs(tables.bases), known.max_pairs) << known.letters;
  const auto structure = fold_traceback(tables).find();
  ASSERT_TRUE(structure) << known.letters;
  EXPECT_EQ(rna_structure_energy(tables.bases, *structure), known.energy) << *structure;
}

TEST(gtfold, energies_as_published) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  expect_known({"GGGAAACCC", -120, 3});
  expect_known({"GGGGAAAACCCC", -430, 4});
  expect_known({"GCGCUUCGGCGC", -360, 4});
  expect_known({"AAAAAAAAAA", 0, 0});
  expect_known({"GGGGACCAAAGGACCAAAGGACCCC", -560, 8});
  expect_known({"GGGGGGAGGGGAAAACCCCAGGGGAAAACCCCACCCCCC", -2430, 14});
  expect_known({"GCGGAUUUAGCUCAGUUGGGAGAGCGCCAGACUGAAGAUCUGGAGGUCCUGUGUUCGAUCCACAGAAUUCGCACCA", -1870, 28});
  expect_known({rna_random(42, 60), -820, 21});
  expect_known({rna_random(42, 100), -2420, 37});
  expect_known({rna_random(42, 200), -4790, 78});
  expect_known({rna_random(42, 400), -9760, 157});
  if constexpr (!under_sanitizer) {
    expect_known({rna_random(42, 800), -18860, 309});
    expect_known({rna_random(42, 1000), -23240, 383});
  }
  expect_known({rna_random(7, 300), -8470, 116});
  expect_known({rna_random(7, 500), -13970, 194});
  fold_tables bulge(rna_numbers("GGGGAGGAAACCACCCC"));
  fold_sequential(bulge);
  EXPECT_EQ(bulge.front.back(), -680);
}

const std::filesystem::path real = std::filesystem::path(SKUA_SHARED) / "data";

TEST(gtfold, real_molecules_as_published) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  if (!std::filesystem::exists(real / "X54252.seq")) GTEST_SKIP() << "no real molecules";
  const auto letters = [](const char* name) { return read_rna((real / name).string(), 10000).letters; };
  EXPECT_EQ(letters("X54252.seq").size(), 697u);
  expect_known({letters("X54252.seq"), -10830, 284});
  expect_known({letters("ath_cp_rRNA_103.seq"), -1910, 38});
  expect_known({letters("ath_cp_rRNA_121.seq"), -3730, 45});
  if constexpr (!under_sanitizer) expect_known({letters("ath_cp_rRNA_1491.seq"), -48050, 577});
}

TEST(gtfold, real_molecules_are_compared_with_what_was_published) {
  const std::filesystem::path file = real / "ath_cp_rRNA_121.seq";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "no real molecules";
  const auto program = find("gtfold")->make({.options = {{"input", file}}});
  program->prepare();
  program->sequential();
  EXPECT_EQ(program->verify().message,
            "121 bases, 37 pairs, -37.30 kcal/mol, as published, every cell as sequential");
}

// The kernel takes the energies of loops from tables, and works in blocks if the window fits. The enumeration here does
// neither.
TEST(gtfold, no_structure_of_a_short_molecule_is_better) {
  SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER();
  const auto enumerate = [](const rna_bases& bases) {
    rna_energy min = 0;
    std::string structure;
    const auto extend = [&](auto&& again, int open) -> void {
      if (structure.size() == bases.size()) {
        if (const auto energy = rna_structure_energy(bases, structure)) min = std::min(min, *energy);
        return;
      }
      for (const char c : {'.', '(', ')'}) {
        const int now = open + (c == '(') - (c == ')');
        if (now < 0 || now > static_cast<int>(bases.size() - structure.size())) continue;
        structure.push_back(c);
        again(again, now);
        structure.pop_back();
      }
    };
    extend(extend, 0);
    return min;
  };
  for (const char* letters :
       {"", "A", "GC", "GAAAC", "GAAC", "GGGAAAUCC", "GGAAAACCGAAAC", "GCGAAAGCAGCAAAGC"}) {
    fold_tables tables(rna_numbers(letters));
    fold_sequential(tables);
    EXPECT_EQ(tables.front.back(), enumerate(tables.bases)) << letters;
  }
}

TEST(gtfold, energies_of_structures) {
  const rna_bases bases = rna_numbers("GGGAAACCC");
  EXPECT_EQ(rna_structure_energy(bases, "........."), 0);
  EXPECT_EQ(rna_structure_energy(bases, "(((...)))"), -120);
  for (const char* wrong : {"", "(((...))", "(((...)).", "((.....)))", "(((.)))..", "()......."})
    EXPECT_FALSE(rna_structure_energy(bases, wrong)) << wrong;
}

TEST(gtfold, all_forms_on_any_number_of_workers) {
  for (const char* form : {"loop", "tasks", "phases"})
    for (const char* n : {"1", "4", "5", "6", "72", "131"})
      for (const char* order : {"fifo", "lifo"}) {
        const auto program = find("gtfold")->make(
            {.seed = 5, .options = {{"form", form}, {"n", n}, {"order", order}, {"times", "2"}}});
        for (const std::int64_t workers : any_number_of_workers) {
          skua::scheduler pool({.workers = workers});
          program->prepare();
          pool.run([&] { program->parallel(); });
          const answer_check v = program->verify();
          EXPECT_TRUE(v.correct) << v.message << ", " << form << ' ' << order << ", " << workers
                                 << " workers";
          program->flip_one();
          EXPECT_FALSE(program->verify().correct) << form << ", n = " << n;
        }
      }
}

class gtfold_files : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(name); }
  std::string complaint(const std::string& text) {
    std::ofstream(name) << text;
    try {
      find("gtfold")->make({.options = {{"input", name}}});
    } catch (const skua::bad_input& error) {
      return std::string(error.what()).substr(name.size());
    }
    return "accepted";
  }
  const std::string name = testing::TempDir() + "skua_rna_" + std::to_string(getpid());
};

TEST_F(gtfold_files, are_read_and_written) {
  std::ofstream(name) << ">a hairpin\r\nggga\r\n\r\nAA CCC\r\n";
  const std::string output = name + ".out";
  const auto program = find("gtfold")->make({.options = {{"input", name}, {"output", output}}});
  program->prepare();
  EXPECT_FALSE(program->verify().correct);
  EXPECT_FALSE(std::filesystem::exists(output));
  program->sequential();
  EXPECT_EQ(program->verify().message, "9 bases, 3 pairs, -1.20 kcal/mol, every cell as sequential");
  std::ostringstream written;
  written << std::ifstream(output).rdbuf();
  EXPECT_EQ(written.str(), ">a hairpin\nGGGAAACCC\n(((...))) (-1.20)\n");
  std::filesystem::remove(output);
}

TEST_F(gtfold_files, damaged_ones_are_refused) {
  EXPECT_EQ(complaint("GGGAAATCC"), "accepted");
  EXPECT_EQ(complaint(""), " ends after line 0: expected the letters of a molecule");
  EXPECT_EQ(complaint(">only a name\n\n"), " ends after line 2: expected the letters of a molecule");
  EXPECT_EQ(complaint("GGG\nAXC\n"), ":2: expected the letters A, C, G and U (or T), found 'X'");
  EXPECT_EQ(complaint(std::string("GG\0G", 4)),
            ":1: expected the letters A, C, G and U (or T), found a byte of value 0");
  EXPECT_EQ(complaint(">a\nGGG\n>b\nCCC\n"), ":3: expected one molecule, found a second one");
  EXPECT_EQ(complaint(std::string(10001, 'A')), ":1: expected at most 10000 bases, found more");
  EXPECT_THROW(find("gtfold")->make({.options = {{"input", "/no/such/file"}}}), skua::bad_input);
  EXPECT_THROW(find("gtfold")->make({.options = {{"input", testing::TempDir()}}}), skua::bad_input);
}

TEST(gtfold, bad_options_are_refused) {
  EXPECT_THROW(find("gtfold")->make({.options = {{"form", "diagonal"}}}), skua::bad_input);
  EXPECT_THROW(find("gtfold")->make({.options = {{"order", "priority"}}}), skua::bad_input);
  EXPECT_THROW(find("gtfold")->make({.options = {{"n", "0"}}}), skua::bad_input);
  EXPECT_THROW(find("gtfold")->make({.options = {{"n", "10001"}}}), skua::bad_input);
}

}  // namespace
}  // namespace workloads::gtfold_test
