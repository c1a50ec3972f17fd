#include "topology/cgroup.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace skua::detail::cgroup_test {
namespace {

// A file system with control groups, in a temporary folder.
class cgroup : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "skua-cgroup-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
  }
  void TearDown() override { std::filesystem::remove_all(root); }

  void write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  void mount_v2(const std::string& top) {
    write("proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n30 22 0:26 " + top +
                                     " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  void mount_v1(const std::string& top) {
    write("proc/self/mountinfo", "33 25 0:30 " + top +
                                     " /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
                                     "34 25 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n" +
                                     "35 25 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  }

  std::filesystem::path root;
};

TEST_F(cgroup, without_any_is_unlimited) { EXPECT_TRUE(std::isinf(cpu_quota(root))); }

TEST_F(cgroup, v2_quota_of_the_own_group) {
  mount_v2("/");
  write("proc/self/cgroup", "0::/user.slice/run.scope\n");
  write("sys/fs/cgroup/user.slice/run.scope/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 1.5);
}

TEST_F(cgroup, v2_max_is_unlimited) {
  mount_v2("/");
  write("proc/self/cgroup", "0::/a\n");
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_TRUE(std::isinf(cpu_quota(root)));
}

TEST_F(cgroup, the_smallest_quota_above_counts) {
  mount_v2("/");
  write("proc/self/cgroup", "0::/a/b/c\n");
  write("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
  write("sys/fs/cgroup/a/b/cpu.max", "100000 50000\n");
  write("sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/a/b/c/d/cpu.max", "1000 100000\n");  // a group below ours does not apply
  EXPECT_DOUBLE_EQ(cpu_quota(root), 2);
}

TEST_F(cgroup, v2_container_in_its_own_namespace) {
  mount_v2("/");
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 0.5);
}

TEST_F(cgroup, container_that_reads_the_hosts_path_but_sees_only_its_own_group) {
  mount_v2("/docker/abc");
  write("proc/self/cgroup", "0::/docker/abc/inner\n");
  write("sys/fs/cgroup/cpu.max", "400000 100000\n");
  write("sys/fs/cgroup/inner/cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 2.5);
}

TEST_F(cgroup, group_that_is_not_visible_falls_back_to_the_mount) {
  mount_v2("/");
  write("proc/self/cgroup", "0::/docker/abc\n");
  write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  write("sys/fs/cpu.max", "1000 100000\n");  // above the mount: not a group
  EXPECT_DOUBLE_EQ(cpu_quota(root), 2);
  mount_v2("/../..");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 2);
  mount_v2("/elsewhere");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 2);
}

TEST_F(cgroup, v1_quota_and_period) {
  mount_v1("/");
  write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/a/b\n1:cpuset:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "75000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "50000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 1.5);
}

TEST_F(cgroup, v1_minus_one_is_unlimited) {
  mount_v1("/");
  write("proc/self/cgroup", "3:cpu,cpuacct:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(cpu_quota(root)));
}

TEST_F(cgroup, both_versions_side_by_side) {
  mount_v1("/docker/abc");
  write("proc/self/cgroup", "3:cpu,cpuacct:/docker/abc\n0::/docker/abc\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/unified/docker/abc/cpu.max", "max 100000\n");
  EXPECT_DOUBLE_EQ(cpu_quota(root), 3);
}

TEST_F(cgroup, a_v1_controller_whose_name_only_begins_with_cpu_is_ignored) {
  mount_v1("/");
  write("proc/self/cgroup", "3:cpuset,cpuacct:/\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(std::isinf(cpu_quota(root)));
}

TEST_F(cgroup, invalid_values_are_unlimited) {
  mount_v2("/");
  write("proc/self/cgroup", "what\n0::/a\n:\n");
  for (const char* nonsense : {"", "0 100000", "-5 100000", "100000 0", "100000", "many few"}) {
    write("sys/fs/cgroup/a/cpu.max", nonsense);
    EXPECT_TRUE(std::isinf(cpu_quota(root))) << nonsense;
  }
  write("proc/self/mountinfo", "- - -\n1 2\n30 22 0:26 / /sys/fs/cgroup rw - cgroup2\n");
  EXPECT_TRUE(std::isinf(cpu_quota(root)));
}

TEST_F(cgroup, the_smallest_memory_limit_above_counts) {
  EXPECT_TRUE(std::isinf(memory_limit(root)));
  mount_v2("/");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_TRUE(std::isinf(memory_limit(root)));
  write("sys/fs/cgroup/a/memory.max", "3000000000\n");
  EXPECT_DOUBLE_EQ(memory_limit(root), 3e9);
  write("sys/fs/cgroup/a/b/memory.max", "1048576\n");
  EXPECT_DOUBLE_EQ(memory_limit(root), 1048576);
}

TEST_F(cgroup, v1_memory_limit) {
  mount_v1("/");
  write("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c\n0::/\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/m/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/c/memory.limit_in_bytes", "4096\n");  // the group of another controller
  EXPECT_DOUBLE_EQ(memory_limit(root), 2147483648.0);
}

}  // namespace
}  // namespace skua::detail::cgroup_test
