// Canny: generated and real pictures, compared with published edges; pictures of unusual shape; damaged files; any number of
// workers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/canny.hpp"

namespace workloads::canny_test {
namespace {

namespace fs = std::filesystem;

std::vector<std::uint8_t> edges_of(const grey_picture& picture, canny_limits limits) {
  std::vector<std::uint8_t> marks(picture.pixels.size()), edges(picture.pixels.size());
  canny_marker(picture, limits, marks.data()).mark(0, picture.height);
  for (std::size_t at = 0; at < marks.size(); ++at)
    if (marks[at] != canny_mark_of(picture, limits, at)) ADD_FAILURE() << "pixel " << at;
  canny_connect(marks.data(), picture.width, picture.height, edges.data());
  return edges;
}

TEST(canny, made_pictures_as_published) {
  struct {
    std::size_t side;
    std::uint64_t picture;
    int edges;
  } const known[] = {
      {256, 0x42782545a77ab267, 2103}, {512, 0x1c2568c70f7a6919, 8234}, {1024, 0x11fe9719bd8e290f, 32571}};
  for (const auto& k : known) {
    const grey_picture picture = canny_picture(k.side, k.side);
    EXPECT_EQ(hash_sequence(picture.pixels), k.picture) << k.side;
    const std::vector<std::uint8_t> edges = edges_of(picture, {});
    EXPECT_EQ(std::ranges::count(edges, 255), k.edges) << k.side;
    const canny_known* const published = canny_published(k.picture, {});
    ASSERT_TRUE(published) << k.side;
    EXPECT_EQ(published->count, k.edges) << k.side;
    EXPECT_EQ(hash_sequence(edges), published->edges) << k.side;
  }
  for (const std::size_t side : {2048, 4096})
    EXPECT_TRUE(canny_published(hash_sequence(canny_picture(side, side).pixels), {})) << side;
}

// The program recognises an input by its pixels, whatever the name of its file is.
TEST(canny, real_pictures_are_compared_with_what_was_published) {
  const fs::path folder = fs::path(SKUA_SHARED) / "data";
  if (!fs::exists(folder)) GTEST_SKIP() << "no folder of real pictures";
  const auto program = find("canny")->make({.options = {{"input", folder / "camera.pgm"}}});
  program->prepare();
  program->sequential();
  EXPECT_EQ(program->verify().message, "19686 edge pixels of 262144, as published");
}

TEST(canny, real_pictures_as_published) {
  struct {
    const char* name;
    canny_limits limits;
    int edges;
    std::uint64_t hash;
  } const known[] = {{"camera", {50, 150}, 30980, 0x19efc40950ba9960},
                     {"camera", {100, 200}, 19686, 0x56e0217def205522},
                     {"coins", {50, 150}, 14955, 0xc57c2d32f4f9de5f},
                     {"moon", {100, 200}, 1145, 0x7161d3f5e4f5f72a}};
  const fs::path folder = fs::path(SKUA_SHARED) / "data";
  if (!fs::exists(folder)) GTEST_SKIP() << "no folder of real pictures";
  for (const auto& k : known) {
    const std::vector<std::uint8_t> edges =
        edges_of(read_pgm(folder / (std::string(k.name) + ".pgm")), k.limits);
    EXPECT_EQ(std::ranges::count(edges, 255), k.edges) << k.name;
    EXPECT_EQ(hash_sequence(edges), k.hash) << k.name;
  }
}

class canny_files : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  std::string write(const std::string& bytes) {
    const fs::path name = folder / "in.pgm";
    std::ofstream(name, std::ios::binary) << bytes;
    return name;
  }
  static std::string complaint(const std::string& file) {
    try {
      find("canny")->make({.options = {{"input", file}}});
    } catch (const skua::bad_input& error) {
      return std::string(error.what()).substr(file.size());
    }
    return "accepted";
  }

  const fs::path folder = fs::path(testing::TempDir()) / ("skua_canny_" + std::to_string(getpid()));
};

TEST_F(canny_files, any_shape_on_any_number_of_workers) {
  const std::string output = folder / "out.pgm";
  for (const auto& [width, height] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {1, 7}, {7, 1}, {2, 2}, {67, 41}}) {
    const std::string input = folder / "in.pgm";
    write(pgm_text(canny_picture(width, height, 7)));
    for (const std::int64_t workers : any_number_of_workers) {
      skua::scheduler pool({.workers = workers});
      for (const char* task : {"rows", "pixel"}) {
        const auto program = find("canny")->make({.options = {{"input", input},
                                                              {"output", output},
                                                              {"low", "20"},
                                                              {"high", "60"},
                                                              {"rows", "3"},
                                                              {"task", task}}});
        program->prepare();
        EXPECT_FALSE(program->verify().correct);
        pool.run([&] { program->parallel(); });
        const answer_check v = program->verify();
        EXPECT_TRUE(v.correct) << v.message << ", " << width << " x " << height << ", " << workers
                               << " workers";
        EXPECT_EQ(read_pgm(output).pixels, edges_of(read_pgm(input), {20, 60}));
        program->flip_one();
        EXPECT_FALSE(program->verify().correct);
      }
    }
  }
}

TEST_F(canny_files, both_forms_of_pgm) {
  const grey_picture text = read_pgm(write("P2\n# a comment 9\n3 2 # another\n9\n0 1 2\n7 8 9"));
  EXPECT_EQ(text.pixels, (std::vector<std::uint8_t>{0, 1, 2, 7, 8, 9}));
  const grey_picture binary = read_pgm(write("P5 3 2 255\n\n#ABCD and more"));
  EXPECT_EQ(binary.pixels, (std::vector<std::uint8_t>{'\n', '#', 'A', 'B', 'C', 'D'}));
  EXPECT_EQ(binary.width, 3u);
  EXPECT_EQ(binary.height, 2u);
}

TEST_F(canny_files, damaged_ones_are_refused_by_line) {
  EXPECT_EQ(complaint(write("")), ", line 1; expected: P5 or P2, as a PGM file begins");
  EXPECT_EQ(complaint(write("P5")), ", line 1; expected: the width, 1 to 65536");
  EXPECT_EQ(complaint(write("P5\n3 -2\n255\n")), ", line 2; expected: the height, 1 to 65536");
  EXPECT_EQ(complaint(write("P5\n3 99999999999999999999\n255\n")),
            ", line 2; expected: the height, 1 to 65536");
  EXPECT_EQ(complaint(write("P5\n# x\n3 2\n65535\nABCDEF")),
            ", line 4; expected: the value of white, 1 to 255");
  EXPECT_EQ(complaint(write("P5\n3 2\n255")), ", line 3; expected: a blank before the pixels");
  EXPECT_EQ(complaint(write("P5\n3 2\n255\nABCDE")), ", line 4; expected: 6 bytes of pixels, found 5");
  EXPECT_EQ(complaint(write("P5\n3 2\n60\nABCDEF")), ", line 4; expected: no pixel above 60");
  EXPECT_EQ(complaint(write("P2\n3 2\n99\n1 2 3\n4 100 6 7")), ", line 5; expected: a pixel, 0 to 99");
  EXPECT_EQ(complaint(write("P2\n60000 60000\n99\n1 2 3\n")), ", line 3; expected: 3600000000 pixels");
  EXPECT_EQ(complaint(folder / "none"), " cannot be read; expected: a PGM file");
  EXPECT_EQ(complaint(folder), " cannot be read; expected: a PGM file");
}

TEST_F(canny_files, an_output_that_cannot_be_written_is_refused_at_once) {
  EXPECT_THROW(find("canny")->make({.options = {{"output", folder / "none" / "out.pgm"}}}), skua::bad_input);
}

TEST(canny, refuses_bad_options) {
  for (const auto& [option, value] :
       {std::pair{"n", "0"}, {"low", "2041"}, {"high", "99"}, {"task", "column"}, {"rows", "0"}})
    EXPECT_THROW(find("canny")->make({.options = {{option, value}}}), skua::bad_input) << option;
}

}  // namespace
}  // namespace workloads::canny_test
