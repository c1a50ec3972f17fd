// The speed of the memory model in accesses per second. It is printed and checked with a wide margin.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/random.hpp"
#include "simulator/memory/memory_system.hpp"
#include "tests/support/sanitizers.hpp"

namespace skua::simulator::memory_speed_test {
namespace {

/// CPU time of this thread, so the load of the machine does not matter.
double seconds_computed() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double millions_a_second(std::uint64_t accesses, double begin) {
  return static_cast<double>(accesses) / 1e6 / (seconds_computed() - begin);
}

struct pattern {
  const char* name;
  std::size_t bytes_a_thread;  // each thread goes through them repeatedly, in pieces of 4 KiB
};

/// The threads take turns, each with its own data. Each fourth piece is written.
double lines(const char* machine, detail_level level, std::size_t threads, std::size_t bytes) {
  const machine_model model = find_machine(machine);
  memory_system memory(model, level);
  const std::size_t step = model.threads() / threads, pieces = bytes / 4096;
  const std::size_t rounds = std::max(pieces, 1'000'000 / 64 / threads);
  const auto round = [&](std::size_t piece) {
    for (std::size_t t = 0; t < threads; ++t) {
      const std::uintptr_t address = (std::uintptr_t{t} + 1) << 32 | piece % pieces * 4096;
      memory.stream(t * step, {address, 4096}, piece % 4 == 3 ? access::write : access::read, piece * 30'000);
    }
  };
  for (std::size_t piece = 0; piece < pieces; ++piece) round(piece);
  const auto begin = seconds_computed();
  for (std::size_t piece = 0; piece < rounds; ++piece) round(piece);
  return millions_a_second(rounds * threads * 64, begin);
}

TEST(memory_speed, of_declared_data) {
  const struct {
    const char* machine;
    std::size_t threads;
  } runs[] = {{"opteron-8380-4s", 16},
              {"xeon-e5-4620-4s-sandman", 64},
              {"xeon-8480plus-2s", 112},
              {"epyc-9654-2s", 192},
              {"adm-cmp-128c", 256}};
  for (const auto& [machine, threads] : runs) {
    if (under_sanitizer && threads > 16) continue;
    for (const pattern& p :
         {pattern{"first cache", 16 << 10}, {"second cache", 192 << 10}, {"beyond", 4 << 20}}) {
      if (threads * p.bytes_a_thread > 256u << 20) continue;
      const double caches = lines(machine, detail_level::caches, threads, p.bytes_a_thread);
      const double bandwidth = lines(machine, detail_level::bandwidth, threads, p.bytes_a_thread);
      std::printf("%-24s %3zu threads, %-12s  %6.1f M lines/s, with bandwidth %6.1f\n", machine, threads,
                  p.name, caches, bandwidth);
      EXPECT_GT(caches, 0.1);
      EXPECT_GT(bandwidth, 0.1);
    }
  }
}

TEST(memory_speed, of_words) {
  for (const std::size_t threads : {16u, 256u}) {
    const machine_model model = find_machine(threads == 16 ? "opteron-8380-4s" : "epyc-9654-2s");
    memory_system memory(model, detail_level::lines);
    std::uint64_t state = base::generator_state(1, 0);
    const auto begin = seconds_computed();
    constexpr std::uint64_t accesses = 2'000'000;
    for (std::uint64_t i = 0; i < accesses; ++i) {
      const std::size_t thread = base::random_below(threads, state);
      const auto line = static_cast<line_number>(base::random_below(4 * threads, state));
      memory.touch(thread, line, i % 4 == 0 ? access::atomic : access::read, 10 * i);
    }
    const double speed = millions_a_second(accesses, begin);
    std::printf("%zu threads, words at random  %6.1f M touches/s\n", threads, speed);
    EXPECT_GT(speed, 0.1);
  }
}

}  // namespace
}  // namespace skua::simulator::memory_speed_test
