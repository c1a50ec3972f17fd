// Names of functions, read from the executable file of the program.
#include "core/platform/symbols.hpp"

#include <cstdint>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

/// A function with external linkage.
[[gnu::noinline]] int found_by_its_address(int x) {
  asm volatile("" : "+r"(x));
  return x;
}

namespace {

[[gnu::noinline]] int found_in_this_file_only(int x) {
  asm volatile("" : "+r"(x));
  return x + 1;
}

std::uint64_t address(auto* f) { return reinterpret_cast<std::uint64_t>(f); }

TEST(symbols, functions_by_address) {
  EXPECT_EQ(found_by_its_address(1) + found_in_this_file_only(1), 3);
  skua::core::symbols known;
  EXPECT_EQ(known.function_at(address(&found_by_its_address) + 1), "found_by_its_address(int)");
  EXPECT_EQ(known.function_at(address(&found_in_this_file_only) + 1),
            "(anonymous namespace)::found_in_this_file_only(int)");
  static const int no_function = 3;
  EXPECT_NE(known.function_at(reinterpret_cast<std::uint64_t>(&no_function)).find("unit_core+0x"),
            std::string::npos);
}

/// The maximum resident memory of the process so far.
long resident_kilobytes() {
  rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

std::uint64_t offset_in_file(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0, offset = 0;
    char dash;
    std::string rights;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights >> offset;
    if (begin <= address && address < end) return address - begin + offset;
  }
  return 0;
}

// The file is a copy of this program, followed by a large hole.
TEST(symbols, of_a_large_file_only_the_symbols_are_read) {
  const std::string copy = testing::TempDir() + "skua_large_" + std::to_string(getpid());
  std::filesystem::copy_file("/proc/self/exe", copy);
  const std::uintmax_t size = std::filesystem::file_size(copy);
  std::filesystem::resize_file(copy, size + 600'000'000);
  const int file = open(copy.c_str(), O_RDONLY);
  ASSERT_GE(file, 0);
  void* const there = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  ASSERT_NE(there, MAP_FAILED);
  const long before = resident_kilobytes();
  EXPECT_EQ(skua::core::symbols().function_at(address(static_cast<char*>(there)) +
                                              offset_in_file(address(&found_by_its_address))),
            "found_by_its_address(int)");
  EXPECT_LT(resident_kilobytes() - before, 300'000);
  munmap(there, size);
  std::filesystem::remove(copy);
}

}  // namespace
