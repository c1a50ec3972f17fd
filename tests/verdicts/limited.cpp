// limited                 lists the programs and what limits them
// limited NAME [SIZE]     runs one program; SIZE is 1 by default
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "program.hpp"

namespace limited {

namespace {

std::atomic<std::uint64_t> sink{0};

std::uint64_t turn(std::uint64_t times) {
  std::uint64_t x = times | 1;
  for (std::uint64_t i = 0; i < times; ++i) x = x * 6364136223846793005u + 1442695040888963407u;
  return x;
}

/// Takes the best of 20 measurements, so other programs on the machine do not matter.
double turns_a_us() {
  using clock = std::chrono::steady_clock;
  constexpr std::uint64_t turns = 200'000;
  double best_us = 1e9;
  for (int i = 0; i < 20; ++i) {
    const auto begin = clock::now();
    sink.fetch_add(turn(turns), std::memory_order_relaxed);
    best_us = std::min(best_us, std::chrono::duration<double, std::micro>(clock::now() - begin).count());
  }
  return static_cast<double>(turns) / best_us;
}

bool simulated() {
  static const bool is = skua::default_scheduler().is_simulated();
  return is;
}

}  // namespace

void compute(double us) {
  constexpr double cycles_a_us = 2500;
  if (simulated()) {
    skua::costs(us * cycles_a_us);
    return;
  }
  static const double speed = turns_a_us();
  sink.fetch_add(turn(static_cast<std::uint64_t>(us * speed)), std::memory_order_relaxed);
}

void read_all(const unsigned char* data, std::size_t bytes) {
  skua::reads(data, bytes);
  if (simulated()) return;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i + 8 <= bytes; i += 8) {
    std::uint64_t word;
    __builtin_memcpy(&word, data + i, 8);
    sum += word;
  }
  sink.fetch_add(sum, std::memory_order_relaxed);
}

}  // namespace limited

int main(int argc, char** argv) {
  using namespace limited;
  if (argc < 2) {
    for (const program& one : programs) std::printf("%s\t%s\n", one.name.data(), one.limited_by.data());
    return 0;
  }
  const auto size = static_cast<std::size_t>(argc > 2 ? std::atoi(argv[2]) : 1);
  for (const program& one : programs)
    if (one.name == argv[1]) {
      workers();
      if (!skua::default_scheduler().is_simulated()) compute(1);  // measures the speed of this machine
      skua::default_scheduler().reset_report();
      one.run(size);
      return 0;
    }
  std::fprintf(stderr, "limited: there is no '%s'\n", argv[1]);
  return 2;
}
