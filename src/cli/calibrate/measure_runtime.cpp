#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <ctime>
#include <thread>

#include <skua/skua.hpp>

#include "base/bind_thread.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "core/platform/platform.hpp"

namespace skua::cli {
namespace {

using platform = core::host_platform;

struct cpus {
  std::uint32_t one, other;
};

cpus two_of(const simulator::machine_model& machine) {
  cpus found{machine.hardware.front().cpu, machine.hardware.front().cpu};
  for (const simulator::hardware_thread& thread : machine.hardware)
    if (thread.core != machine.hardware.front().core) return {found.one, thread.cpu};
  return found;
}

// ---- the kernel, called as in src/core/platform/platform.cpp

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}
std::int64_t now_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}
void park(std::atomic<std::uint32_t>& word, std::uint32_t expected, const timespec* limit) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAIT_PRIVATE, expected, limit, nullptr,
          0);
}
void unpark(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
          0);
}

struct wake_times {
  double caller, sleeper;
};

/// The sleeper records when it is awake, the caller when its call began and ended.
wake_times waking(const cpus& on) {
  constexpr std::uint32_t rounds = 300;
  std::atomic<std::uint32_t> word{0}, asleep{0};
  std::atomic<std::int64_t> awake{0};
  std::thread sleeper([&] {
    base::bind_this_thread(on.other);
    for (std::uint32_t round = 0; round < rounds; ++round) {
      asleep = round + 1;
      while (word == round) park(word, round, nullptr);
      awake = now_ns();
    }
  });
  std::vector<double> caller, other;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    while (asleep != round + 1) pause();
    std::this_thread::sleep_for(std::chrono::microseconds(50));  // until it sleeps
    awake = 0;
    const std::int64_t called = now_ns();
    word = round + 1;
    unpark(word);
    caller.push_back(static_cast<double>(now_ns() - called));
    while (awake == 0) pause();
    other.push_back(static_cast<double>(awake - called));
  }
  sleeper.join();
  std::ranges::sort(caller);
  std::ranges::sort(other);
  return {caller[rounds / 20], other[rounds / 20]};
}

/// The time of a fence that another running thread must pass.
double fence_ns(const cpus& on) {
  if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0) return 0;
  std::atomic<bool> stop{false};
  std::thread other([&] {
    base::bind_this_thread(on.other);
    while (!stop) pause();
  });
  const double min = low_ns(300, [] { syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0); });
  stop = true;
  other.join();
  return min;
}

double sleep_beyond_ns() {
  constexpr timespec asked{0, 50'000};
  std::atomic<std::uint32_t> word{0};
  return std::max(0.0, low_ns(100, [&] { park(word, 0, &asked); }) - static_cast<double>(asked.tv_nsec));
}

double new_thread_ns() {
  return min_ns(50, [] {
    std::atomic<bool> runs{false};
    std::thread one([&] { runs = true; });
    while (!runs) pause();
    one.detach();
  });
}

// ---- skua

/// The time per element of work(count) on one worker.
template <class Work>
double each_ns(scheduler& pool, std::size_t count, Work&& work) {
  return pool.run([&] { return min_ns(100, [&] { work(count); }); }) / static_cast<double>(count);
}

void forks(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) join([] { asm volatile(""); }, [] { asm volatile(""); });
}
void group_tasks(std::size_t count) {
  task_group group;
  for (std::size_t i = 0; i < count; ++i) group.run([] { asm volatile(""); });
  group.wait();
}
void chunks(std::size_t count) {
  parallel_for(std::size_t{0}, count, [](std::size_t) { asm volatile(""); }, {.grain = 1});
}

}  // namespace

simulator::runtime_costs measure_runtime(const simulator::machine_model& machine, double cycle_ns) {
  const auto cycles = [&](double ns) { return static_cast<std::uint64_t>(std::llround(ns / cycle_ns)); };
  const auto whole = [](double ns) { return static_cast<std::uint64_t>(std::llround(ns)); };
  const cpus on = two_of(machine);
  base::bind_this_thread(on.one);
  const wake_times wake = waking(on);
  simulator::runtime_costs found{.relax_cycles = cycles(min_ns(100,
                                                               [] {
                                                                 for (int i = 0; i < 100; ++i) pause();
                                                               }) /
                                                        100),
                                 .sleep_ns = whole(sleep_beyond_ns()),
                                 .wake_ns = whole(wake.caller),
                                 .awake_after_ns = whole(wake.sleeper),
                                 .yield_ns = whole(min_ns(300, [] { sched_yield(); })),
                                 .membarrier_ns = whole(fence_ns(on)),
                                 .new_thread_ns = whole(new_thread_ns())};
  scheduler pool({.workers = 1, .cpus = std::vector<std::uint32_t>{on.one}});
  found.fork_cycles = cycles(each_ns(pool, 2000, forks));
  found.group_task_cycles = cycles(each_ns(pool, 200, group_tasks));
  found.loop_chunk_cycles = cycles(each_ns(pool, 2000, chunks));
  return found;
}

}  // namespace skua::cli
