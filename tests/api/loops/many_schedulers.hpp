// Runs a test on schedulers of 1, 2, 3 and 8 workers. A failure names the scheduler and the seed.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <skua/skua.hpp>
#include <string>

#include <gtest/gtest.h>

namespace tests {

/// The seed of the test: SKUA_TEST_SEED, or a new one.
inline std::uint64_t test_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("SKUA_TEST_SEED");
    return given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  }();
  return seed;
}

/// Runs test(random) as a task of each scheduler. The largest one has more workers than most machines have cores.
template <class Test>
void on_many_schedulers(Test test) {
  const skua::topology machine = skua::topology::synthetic("package:2 core:4 pu:1");
  for (const int workers : {1, 2, 3, 8}) {
    SCOPED_TRACE(std::to_string(workers) + " workers, SKUA_TEST_SEED=" + std::to_string(test_seed()));
    std::mt19937_64 random(test_seed() + static_cast<std::uint64_t>(workers));
    skua::scheduler pool({.workers = workers, .topology = machine});
    pool.run([&] { test(random); });
    if (testing::Test::HasFatalFailure()) return;
  }
}

inline std::size_t number(std::mt19937_64& random, std::size_t first, std::size_t last) {
  return std::uniform_int_distribution<std::size_t>(first, last)(random);
}

}  // namespace tests
