// The requests to the kernel, the messages if it refuses, and how its counters are read. Most tests use a made-up kernel,
// because few machines have all counters.
#include "core/platform/hardware_counters.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace skua::core::hardware_counters_test {
namespace {

std::vector<perf_event_attr> asked;
std::vector<int> groups;

/// A file that can be read but not mapped.
int readable(const void* bytes, std::size_t size) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  EXPECT_EQ(write(ends[1], bytes, size), static_cast<ssize_t>(size));
  close(ends[1]);
  return ends[0];
}
int mappable(const void* bytes, std::size_t size) {
  const int file = memfd_create("event", 0);
  EXPECT_EQ(write(file, bytes, size), static_cast<ssize_t>(size));
  return file;
}

int remember(const perf_event_attr& what, int group) {
  asked.push_back(what);
  groups.push_back(group);
  return 0;
}

constexpr std::uint64_t group_of_four[] = {4, 2000, 1000, 11, 22, 33, 44};

int offers_all(perf_event_attr& what, int group) {
  remember(what, group);
  return readable(group_of_four, sizeof group_of_four);
}
int offers_no_hardware(perf_event_attr& what, int group) {
  if (what.type != PERF_TYPE_SOFTWARE) return -ENOENT;
  return offers_all(what, group);
}
int offers_no_nodes(perf_event_attr& what, int group) {
  if (what.type == PERF_TYPE_HW_CACHE) return -ENOENT;
  return offers_all(what, group);
}
template <int error>
int refuses(perf_event_attr&, int) {
  return -error;
}
int offers_pages(perf_event_attr& what, int group) {
  remember(what, group);
  std::vector<std::byte> bytes(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = 0;  // not on the processor, so the test needs no rdpmc instruction
  page.offset = static_cast<std::int64_t>(100 * asked.size());
  page.time_enabled = 8;
  page.time_running = 4;
  std::memcpy(bytes.data(), &page, sizeof page);
  return mappable(bytes.data(), bytes.size());
}

class hardware_counters : public testing::Test {
 protected:
  hardware_counters() {
    asked.clear();
    groups.clear();
  }
};

TEST_F(hardware_counters, request_events_that_users_may_count) {
  const hardware_events found = find_hardware_events(offers_all);
  ASSERT_EQ(found.events.size(), 4u);
  EXPECT_STREQ(found.events[0].name, "cycles");
  EXPECT_STREQ(found.events[1].name, "instructions");
  EXPECT_STREQ(found.events[2].name, "last-level misses");
  EXPECT_STREQ(found.events[3].name, "remote node accesses");
  EXPECT_EQ(found.missing, "");
  EXPECT_FALSE(found.by_page);
  for (const perf_event_attr& what : asked) {
    EXPECT_TRUE(what.exclude_kernel);
    EXPECT_TRUE(what.exclude_hv);
    EXPECT_FALSE(what.inherit);
  }
}

TEST_F(hardware_counters, say_what_is_missing_and_why) {
  const hardware_events some = find_hardware_events(offers_no_nodes);
  EXPECT_EQ(some.events.size(), 3u);
  EXPECT_EQ(some.missing,
            "hardware counters: no remote node accesses here (this machine does not offer them, like most "
            "virtual machines)");
  const std::string all =
      "hardware counters: no cycles, instructions, last-level misses, remote node accesses here (";
  const auto missing = [](event_opener open) { return find_hardware_events(open).missing; };
  EXPECT_EQ(missing(refuses<EPERM>), all + "perf_event_open is forbidden here, as in many containers)");
  EXPECT_EQ(missing(refuses<ENOSYS>), all + "this kernel has no perf_event_open)");
  EXPECT_EQ(missing(refuses<EACCES>).find(all + "the kernel refuses them: "), 0u);
  EXPECT_TRUE(find_hardware_events(refuses<EMFILE>).events.empty());
}

TEST_F(hardware_counters, are_page_faults_without_hardware_counters) {
  const hardware_events found = find_hardware_events(offers_no_hardware);
  ASSERT_EQ(found.events.size(), 1u);
  EXPECT_STREQ(found.events[0].name, "page faults");
  EXPECT_NE(found.missing.find("; page faults are counted instead"), std::string::npos);
}

TEST_F(hardware_counters, leave_enough_files_to_the_program) {
  const hardware_events found = find_hardware_events(offers_all);
  EXPECT_EQ(found.of_threads(64, 256).events.size(), 4u);
  const hardware_events many = found.of_threads(65, 256);
  EXPECT_TRUE(many.events.empty());
  EXPECT_EQ(many.missing,
            "hardware counters: not counted, since 65 threads would take 260 files and may take 256, a "
            "quarter of what "
            "this process may open (ulimit -n)");
  EXPECT_EQ(find_hardware_events(offers_pages).of_threads(1000, 256).events.size(), 4u)
      << "pages need no open files";
}

TEST_F(hardware_counters, of_a_thread_are_one_group) {
  const hardware_events found = find_hardware_events(offers_all);
  groups.clear();
  const thread_counters counters(found, offers_all);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0], -1);
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_GE(groups[i], 0);
    EXPECT_EQ(groups[i], groups[1]);
  }
  const observe::hardware_reading r = counters.read();
  EXPECT_EQ(r.values, (std::array<std::uint64_t, 4>{11, 22, 33, 44}));
  EXPECT_EQ(r.wanted_ns, 2000u);
  EXPECT_EQ(r.had_ns, 1000u);
}

TEST_F(hardware_counters, are_read_from_pages_without_open_files) {
  const hardware_events found = find_hardware_events(offers_pages);
  EXPECT_TRUE(found.by_page);
  asked.clear();
  groups.clear();
  const int before = dup(0);
  close(before);
  const thread_counters counters(found, offers_pages);
  const int after = dup(0);
  close(after);
  EXPECT_EQ(before, after);
  EXPECT_EQ(groups, (std::vector<int>{-1, -1, -1, -1}));
  const observe::hardware_reading r = counters.read();
  EXPECT_EQ(r.values, (std::array<std::uint64_t, 4>{100, 200, 300, 400}));
  EXPECT_EQ(r.wanted_ns, 32u);
  EXPECT_EQ(r.had_ns, 16u);
}

std::size_t mapped_events() {
  std::ifstream maps("/proc/self/maps");
  std::size_t all = 0;
  for (std::string line; std::getline(maps, line);) all += line.find("/memfd:event") != std::string::npos;
  return all;
}

TEST_F(hardware_counters, do_not_touch_a_childs_memory_at_the_addresses_of_their_pages) {
  const hardware_events found = find_hardware_events(offers_pages);
  ASSERT_EQ(mapped_events(), 0u);
  {
    thread_counters counters(found, offers_pages);
    EXPECT_EQ(mapped_events(), 4u);
    counters.forget_pages();
    EXPECT_EQ(counters.read().values, (std::array<std::uint64_t, 4>{}));
  }
  EXPECT_EQ(mapped_events(), 4u);
}

TEST_F(hardware_counters, are_zero_for_a_thread_that_the_kernel_refuses) {
  const hardware_events found = find_hardware_events(offers_all);
  const thread_counters counters(found, refuses<EMFILE>);
  EXPECT_EQ(counters.read().values, (std::array<std::uint64_t, 4>{}));
  EXPECT_FALSE(counters.any());
}

TEST_F(hardware_counters, of_threads_have_numbers_of_their_own) {
  const hardware_events none;
  const thread_counters one(none, offers_all);
  EXPECT_NE(one.number(), 0u);
  EXPECT_NE(thread_counters(none, offers_all).number(), one.number());
}

TEST_F(hardware_counters, in_a_page_are_added_to_the_value_of_the_processor) {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = 3;
  page.pmc_width = 48;
  page.offset = 1000;
  std::uint32_t asked_for = 0;
  const auto shows = [&](std::uint64_t value) {
    return read_page(page, [&asked_for, value](std::uint32_t n) { return asked_for = n, value; }).value;
  };
  EXPECT_EQ(shows(7), 1007u);
  EXPECT_EQ(asked_for, 2u);
  EXPECT_EQ(shows((std::uint64_t{1} << 48) - 5), 995u) << "a counter has 48 bits with a sign";
  page.index = 0;
  EXPECT_EQ(shows(7), 1000u);
}

TEST_F(hardware_counters, in_a_page_are_read_again_when_the_kernel_changes_it_meanwhile) {
  perf_event_mmap_page page{};
  page.cap_user_rdpmc = 1;
  page.index = 1;
  page.pmc_width = 48;
  page.offset = 1;
  int reads = 0;
  const page_reading r = read_page(page, [&](std::uint32_t) {
    if (++reads == 1) {
      page.lock = page.lock + 1;
      page.offset = 500;
    }
    return std::uint64_t{20};
  });
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(r.value, 520u);
}

// Uses this kernel on any machine: page faults need no hardware counters.
int this_kernel_without_hardware(perf_event_attr& what, int group) {
  return what.type == PERF_TYPE_SOFTWARE ? open_event(what, group) : -ENOENT;
}

TEST_F(hardware_counters, of_this_thread_count_what_it_does) {
  const hardware_events found = find_hardware_events(this_kernel_without_hardware);
  if (found.events.empty()) GTEST_SKIP() << found.missing;
  const thread_counters counters(found, this_kernel_without_hardware);
  constexpr std::size_t pages = 64, bytes = pages * 4096;
  const observe::hardware_reading before = counters.read();
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  const observe::hardware_reading after = counters.read();
  munmap(memory, bytes);
  EXPECT_GE(after.values[0] - before.values[0],
            pages * 4096 / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  EXPECT_LT(after.values[0] - before.values[0], 10 * pages);
}

}  // namespace
}  // namespace skua::core::hardware_counters_test
