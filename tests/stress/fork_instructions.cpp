// Runs forks, iterations of a short loop, group tasks and calls of per_worker::local(), in a task; and joins, loops and group
// tasks that `main` calls. fork_instructions.py counts their instructions.
//   fork_instructions WHAT [lifo|fifo|priority]     prints their number in the counted part
// WHAT is fork, loop, group, long_group or local, or call_join, call_loop or call_group.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

// Valgrind does not know membarrier(2), and without it no thread keeps its worker between calls. Valgrind runs one thread at a
// time, so there is nothing to wait for. All other calls go to the C library.
extern "C" long syscall(long number, ...) noexcept {
  if (number == SYS_membarrier) return 0;
  // Not a static variable with an initialiser: a second thread that comes meanwhile would wait for the first one by syscall().
  using function = long (*)(long, ...);
  static constinit std::atomic<function> found{nullptr};
  function real = found.load(std::memory_order_relaxed);
  if (!real)
    found.store(real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "syscall")), std::memory_order_relaxed);
  std::va_list list;
  va_start(list, number);
  long a[6];
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

namespace {

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

long measured_once(const char* what) {
  volatile int sink = 0;
  if (std::strcmp(what, "fork") == 0) return fib(20) == 6765 ? 10945 : 0;
  if (std::strcmp(what, "loop") == 0) {
    for (int i = 0; i < 1000; ++i) skua::parallel_for(0, 16, [&](int k) { sink = k; });
    return 16'000;
  }
  if (std::strcmp(what, "local") == 0) {
    static skua::per_worker<int> values;
    for (int i = 0; i < 10'000; ++i) ++values.local();
    return 10'000;
  }
  if (std::strcmp(what, "call_join") == 0) {
    for (int i = 0; i < 10'000; ++i) skua::join([&] { sink = 1; }, [&] { sink = 2; });
    return 10'000;
  }
  if (std::strcmp(what, "call_loop") == 0) {
    for (int i = 0; i < 10'000; ++i) skua::parallel_for(0, 2, [&](int k) { sink = k; });
    return 10'000;
  }
  const int count = std::strcmp(what, "long_group") == 0 ? 300'000 : 10'000;  // a queue has 16384 slots
  skua::task_group tasks;
  for (int i = 0; i < count; ++i) tasks.run([&] { sink = 1; });
  tasks.wait();
  return count;
}

}  // namespace

/// fork_instructions.py counts all instructions inside this function.
extern "C" [[gnu::noinline]] long counted_part(const char* what) { return measured_once(what); }

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "fork";
  const char* own = argc > 2 ? argv[2] : "lifo";
  const skua::order order = std::strcmp(own, "fifo") == 0       ? skua::order::fifo
                            : std::strcmp(own, "priority") == 0 ? skua::order::priority
                                                                : skua::order::lifo;
  if (std::string_view(what).starts_with("call_")) {
    skua::configure_default_scheduler({.workers = 1, .park_after_us = 0, .own_order = order});
    measured_once(what);
    std::printf("%ld\n", counted_part(what));
    return 0;
  }
  skua::scheduler pool({.workers = 1, .park_after_us = 0, .own_order = order});
  pool.run([&] { measured_once(what); });  // creates the records and stacks
  std::printf("%ld\n", pool.run([&] { return counted_part(what); }));
}
