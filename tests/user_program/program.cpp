// Forks, loops, a reduction and locks on known lines. The program is compiled with -g, and again with -O0; lines_test.py finds the lines by
// the comments at their ends.
//
//   program             runs once
//   program SECONDS     repeats a loop for that time, for progress_test.py
// With PROGRAM_SIZE and PROGRAM_STEPS it calls a loop of that size so often and ends, for baseline_test.py: its command line does not
// show them. With PROGRAM_BEFORE it computes for so many milliseconds before its first call, for before_test.py.
#include <skua/skua.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <initializer_list>
#include <mutex>
#include <thread>

namespace {

void spin() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void compute_before(const char* milliseconds) {
  while (std::clock() < std::atol(milliseconds) * CLOCKS_PER_SEC / 1000) {  // the CPU time of the process
  }
}

void steps_of_environment(const char* size) {
  const char* const number = std::getenv("PROGRAM_STEPS");
  for (int step = number ? std::atoi(number) : 1; step > 0; --step)
    skua::parallel_for(0, std::atoi(size), [](int) { spin(); });  // step
}

long fib(int n) {
  if (n < 2) return n;
  spin();
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });  // join
  return a + b;
}

// The holder lets its worker continue with another task, which then waits.
void hold() {
  skua::blocking([] { std::this_thread::sleep_for(std::chrono::microseconds(300)); });
}

skua::mutex locks[4];

void with_guard() {
  const std::lock_guard held(locks[0]);  // guard
  hold();
}
void with_unique_lock() {
  const std::unique_lock held(locks[1]);  // unique_lock
  hold();
}
void with_scoped_lock() {
  const std::scoped_lock held(locks[2]);  // scoped_lock
  hold();
}
void by_hand() {
  locks[3].lock();  // by hand
  hold();
  locks[3].unlock();
}

void locked() {
  for (const auto way : {with_guard, with_unique_lock, with_scoped_lock, by_hand}) {
    skua::task_group tasks;
    for (int i = 0; i < 8; ++i) tasks.run([way] { way(); });
    tasks.wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (const char* const milliseconds = std::getenv("PROGRAM_BEFORE")) compute_before(milliseconds);
  if (const char* const size = std::getenv("PROGRAM_SIZE")) {
    steps_of_environment(size);
    return 0;
  }
  if (argc > 1) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::atof(argv[1]));
    while (std::chrono::steady_clock::now() < end)
      skua::parallel_for(0, 1000, [](int) { skua::costs(1000); });
    return 0;
  }
  skua::parallel_for(0, 200, [](int) { spin(); });  // loop
  const long sum = skua::parallel_reduce(
      0, 200, 0L,
      [](int i) {  // reduction: this line or the call's
        spin();
        return long{i};
      },
      std::plus<>{});
  locked();

  skua::parallel_for(0, 99, [](int) { spin(); }), skua::parallel_for(0, 99, [](int) { spin(); });  // pair

  std::printf("%ld %ld\n", sum, fib(12));
}
