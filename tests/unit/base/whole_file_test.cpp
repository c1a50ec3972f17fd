// Files that are complete or absent, and paths that are not regular files.
#include "base/whole_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

namespace whole_file_test {
namespace {

namespace fs = std::filesystem;
using skua::base::can_be_written;
using skua::base::write_whole;

std::string text_of(const fs::path& path) {
  std::ifstream from(path);
  return {std::istreambuf_iterator<char>(from), {}};
}

class whole_file : public testing::Test {
 protected:
  void SetUp() override {
    std::string made = testing::TempDir() + "skua_whole_XXXXXX";
    ASSERT_NE(mkdtemp(made.data()), nullptr);
    folder_ = made;
    file_ = folder_ / "run.json";
  }
  void TearDown() override { fs::remove_all(folder_); }
  long files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_, file_;
};

TEST_F(whole_file, the_check_that_it_can_be_written_leaves_no_file) {
  EXPECT_TRUE(can_be_written(file_));
  EXPECT_EQ(files(), 0);
  std::ofstream(file_) << "old";
  EXPECT_TRUE(can_be_written(file_));
  EXPECT_EQ(text_of(file_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(whole_file, reports_a_file_that_cannot_be_written) {
  EXPECT_FALSE(can_be_written(""));
  EXPECT_FALSE(can_be_written(folder_ / "none" / "run.json"));
  EXPECT_FALSE(write_whole(folder_ / "none" / "run.json", "new"));
  EXPECT_FALSE(can_be_written(folder_));
  EXPECT_FALSE(write_whole(folder_, "new"));
  EXPECT_EQ(files(), 0);
}

// A reader that has opened the old file still reads the old text. So no reader sees a part of a file.
TEST_F(whole_file, replaces_the_old_file) {
  std::ofstream(file_) << "old and longer";
  fs::permissions(file_, fs::perms::owner_read | fs::perms::owner_write);
  std::ifstream reader(file_);
  EXPECT_TRUE(write_whole(file_, "new"));
  EXPECT_EQ(text_of(file_), "new");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old and longer");
  EXPECT_EQ(fs::status(file_).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(whole_file, a_link_stays_a_link) {
  const fs::path link = folder_ / "link";
  fs::create_symlink("run.json", link);
  EXPECT_TRUE(can_be_written(link));
  EXPECT_FALSE(fs::exists(file_));
  EXPECT_TRUE(write_whole(link, "new"));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(file_), "new");
  EXPECT_EQ(files(), 2);
}

// can_be_written() must not open the pipe: that would wait for a reader, and the reader would then read an empty file.
TEST_F(whole_file, a_pipe_stays_a_pipe) {
  ASSERT_EQ(mkfifo(file_.c_str(), 0600), 0);
  EXPECT_TRUE(can_be_written(file_));
  std::string read;
  std::thread reader([&] { read = text_of(file_); });
  EXPECT_TRUE(write_whole(file_, "new"));
  reader.join();
  EXPECT_EQ(read, "new");
  EXPECT_TRUE(fs::is_fifo(file_));
}

}  // namespace
}  // namespace whole_file_test
