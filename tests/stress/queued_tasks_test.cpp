// Measures the memory of a queued group task: 128 bytes for its record and 8 bytes in the backlog, for any number of tasks.
// Each task must run once.
//   queued_tasks_test quick|full     a million tasks, or 10^8 if the machine has 16 GB of free memory
#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/support/sanitizers.hpp"

namespace {

constexpr double max_bytes = 140;

/// Reads a line of a file in /proc, which gives kilobytes. Returns bytes, or 0 if there is no such line.
double bytes_of(const char* file, const std::string& name) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);)
    if (line.rfind(name, 0) == 0) return std::strtod(line.c_str() + name.size(), nullptr) * 1024;
  return 0;
}

double resident() { return bytes_of("/proc/self/status", "VmRSS:"); }

int test(long count) {
  skua::scheduler pool({.workers = 1});  // one worker, so no task runs before all are queued
  long ran = 0;
  double bytes = 0, seconds = 0;
  pool.run([&] {
    skua::task_group tasks;
    const double before = resident();
    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) tasks.run([&ran] { ++ran; });
    bytes = (resident() - before) / static_cast<double>(count);
    tasks.wait();
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  });
  std::printf("%ld queued tasks: %.1f bytes and %.0f ns each, with the first use of the memory\n", count,
              bytes, seconds / static_cast<double>(count) * 1e9);
  if (ran == count && bytes < max_bytes) return EXIT_SUCCESS;
  std::printf("%ld ran; allowed are %.0f bytes each\n", ran, max_bytes);
  return EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  const bool full = argc > 1 && std::strcmp(argv[1], "full") == 0;
  if constexpr (under_sanitizer) {
    std::puts("[  SKIPPED ] a sanitizer's own memory is not skua's");
    return EXIT_SUCCESS;
  }
  const double room = bytes_of("/proc/meminfo", "MemAvailable:") / max_bytes / 1.15;
  for (const long count : {100'000'000, 1'000'000})
    if ((full || count == 1'000'000) && static_cast<double>(count) <= room) return test(count);
  std::puts("[  SKIPPED ] there is too little free memory");
  return EXIT_SUCCESS;
}
