// Populated memory is there without page faults, and keeps its contents.
#include "base/populate.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace populate_test {
namespace {

constexpr std::size_t page = 4096, pages = 8;

class mapping {
 public:
  mapping() : at_(mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~mapping() { munmap(at_, pages * page); }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;
  bool made() const { return at_ != MAP_FAILED; }
  char* data() const { return static_cast<char*>(at_); }
  std::size_t resident() const {
    std::vector<unsigned char> in_memory(pages);
    mincore(at_, pages * page, in_memory.data());
    return static_cast<std::size_t>(std::ranges::count_if(in_memory, [](unsigned char c) { return c & 1; }));
  }

 private:
  void* at_;
};

TEST(populate, takes_the_pages_of_a_part_and_no_others) {
  const mapping memory;
  ASSERT_TRUE(memory.made());
  memory.data()[2 * page] = 7;
  ASSERT_EQ(memory.resident(), 1u);
  errno = 0;
  skua::base::populate(memory.data() + 2 * page + 100, 3 * page);
  if (errno == EINVAL) GTEST_SKIP() << "the kernel cannot populate";
  EXPECT_EQ(memory.resident(), 4u) << "three pages, and a part of a fourth one";
  EXPECT_EQ(memory.data()[2 * page], 7);
}

}  // namespace
}  // namespace populate_test
