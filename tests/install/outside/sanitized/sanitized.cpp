// A user's program that is compiled with a sanitizer, while the library is not. Its tasks are suspended and continued, also
// on other workers, and throw. With an argument it makes a mistake on a suspended stack, which the sanitizer must report.
#include <skua/skua.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void nap() { std::this_thread::sleep_for(std::chrono::microseconds(200)); }

// The addresses of its variables escape, so AddressSanitizer instruments its frames.
long fib(int n) {
  long parts[2] = {};
  if (n < 2) return n;
  skua::join([&] { parts[0] = fib(n - 1); }, [&] { parts[1] = fib(n - 2); });
  return parts[0] + parts[1];
}

int suspended_and_thrown(int i) {
  std::vector<char> text(100, static_cast<char>(i));
  char frame[2000];
  std::memset(frame, i, sizeof frame);
  try {
    skua::blocking([] { nap(); });
    if (i % 3 == 0) throw std::runtime_error("thrown after a suspension");
  } catch (const std::runtime_error&) {
    skua::blocking([] { nap(); });
  }
  int equal = 0;
  for (const char c : text) equal += c == static_cast<char>(i);
  for (const char c : frame) equal += c == static_cast<char>(i);
  return equal;
}

// Here the library itself pushes the tasks through which other workers join in.
long phases_and_remembering_loops() {
  long sum = 0;
  skua::loop_memo memo;
  for (int round = 0; round < 20; ++round) {
    std::vector<long> values(500);
    for (long& v : values) v = round;
    skua::phase<int> p(skua::order::fifo);
    p.enqueue_range(0, 500);
    sum += p.run(
        [&](int i, long& part) {
          part += values[static_cast<std::size_t>(i)];
          if (i % 100 == 0) nap();
        },
        0L, [](long a, long b) { return a + b; });
    skua::parallel_for(
        0, 500,
        [&](int i) {
          ++values[static_cast<std::size_t>(i)];
          if (i % 100 == 0) nap();
        },
        skua::loop{.placement = skua::same_as_last(memo)});
    for (const long v : values) sum += v;
  }
  return sum;
}

int right_program() {
  long sum = 0;
  for (int workers : {1, 2, 4}) {
    for (const auto where : {skua::continuation::home, skua::continuation::free}) {
      skua::scheduler pool({.workers = workers, .bind = false, .continuation = where});
      skua::mutex m;
      long counted = 0;
      std::vector<int> results(40);
      pool.run([&] {
        sum += fib(15);
        skua::task_group tasks;
        for (int i = 0; i < 40; ++i)
          tasks.run([&, i] {
            results[static_cast<std::size_t>(i)] = suspended_and_thrown(i);
            const std::lock_guard lock(m);
            ++counted;
          });
        tasks.wait();
        std::vector<int> squares(10'000);
        skua::parallel_for(0, 10'000, [&](int i) { squares[static_cast<std::size_t>(i)] = i % 7; });
        for (const int s : squares) sum += s;
        sum += phases_and_remembering_loops();
      });
      for (const int r : results) sum += r;
      sum += counted;
    }
  }
  std::printf("sum %ld\n", sum);
  return 0;
}

// A task is suspended and then writes past the end of a block.
int overflow() {
  const auto block = std::make_unique<char[]>(100);
  volatile char* const bytes = block.get();
  skua::scheduler pool({.workers = 1, .bind = false});
  pool.run([&] {
    skua::task_group tasks;
    tasks.run([=] {
      skua::blocking([] { nap(); });
      bytes[100] = 1;
    });
    tasks.wait();
  });
  return 0;
}

// Two tasks on two threads write one variable without synchronization.
int race() {
  volatile int shared = 0;
  std::atomic<int> arrived{0};
  skua::scheduler pool({.workers = 2, .bind = false});
  const auto writes = [&] {
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 2) std::this_thread::yield();
    skua::blocking([] { nap(); });
    arrived.fetch_add(1, std::memory_order_relaxed);
    while (arrived.load(std::memory_order_relaxed) < 4) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) {
      shared = shared + 1;
      std::this_thread::yield();
    }
  };
  pool.run([&] {
    skua::task_group tasks;
    tasks.run(writes);
    tasks.run(writes);
    tasks.wait();
  });
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mistake = argc > 1 ? argv[1] : "";
  return mistake == "overflow" ? overflow() : mistake == "race" ? race() : right_program();
}
