// The cost of a group task by the number of queued tasks, beside oneTBB's: one task queues n empty tasks in a group and
// waits for them. Nanoseconds a task, the median of the rounds, with the smallest and the largest.
//
//   build/release/bench/long_queues [MAX_TASKS [WORKERS]]     10^3 to MAX_TASKS (10^7) tasks on WORKERS (1, 2, 4 and 16)
//
// A queued task takes 136 bytes here, so above about 10^4 tasks the caches of most machines are too small. The row "plain" is
// what the memory alone costs: a loop without a runtime writes a record of the same size for each task, and another one calls
// them, newest first.
#include <skua/scheduler.hpp>
#include <skua/task_group.hpp>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct spread {
  double median, min, max;
};

template <class F>
double ns_of(F&& f, long tasks) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
         static_cast<double>(tasks);
}

spread of(std::vector<double> times) {
  std::ranges::sort(times);
  return {times[times.size() / 2], times.front(), times.back()};
}

void fill_skua_group(skua::scheduler& pool, long n, long repeats) {
  pool.run([&] {
    for (long r = 0; r < repeats; ++r) {
      skua::task_group tasks;
      for (long i = 0; i < n; ++i) tasks.run([] {});
      tasks.wait();
    }
  });
}

void fill_tbb_group(tbb::task_arena& arena, long n, long repeats) {
  arena.execute([&] {
    for (long r = 0; r < repeats; ++r) {
      tbb::task_group tasks;
      for (long i = 0; i < n; ++i) tasks.run([] {});
      tasks.wait();
    }
  });
}

struct alignas(64) plain_record {
  void (*run)(plain_record&);
  void* group;
  plain_record* next;
  unsigned order;
  unsigned char closure[96];
};
static_assert(sizeof(plain_record) == 128);

std::atomic<unsigned> ran{0};  // so that the compiler leaves no call out

void fill_plainly(std::vector<plain_record>& records, long repeats) {
  for (long r = 0; r < repeats; ++r) {
    unsigned order = 0;
    for (plain_record& one : records) {
      one.run = [](plain_record& self) { self.next = nullptr; };
      one.group = &records;
      one.order = order++;
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    plain_record* free = nullptr;
    for (std::size_t i = records.size(); i-- > 0;) {
      records[i].run(records[i]);
      records[i].next = free;
      free = &records[i];
    }
    ran.store(free->order, std::memory_order_relaxed);
  }
}

void print_row(const char* runtime, int workers, skua::order order, long n, const spread& s) {
  static constexpr const char* names[] = {"lifo", "fifo", "priority"};
  std::printf("%-7s %2d %-8s %10ld %10.1f %10.1f %10.1f\n", runtime, workers, names[static_cast<int>(order)],
              n, s.median, s.min, s.max);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const long max_tasks = argc > 1 ? std::atol(argv[1]) : 10'000'000;
  const std::vector<int> numbers = argc > 2 ? std::vector{std::atoi(argv[2])} : std::vector{1, 2, 4, 16};
  constexpr int rounds = 5;
  std::printf("%-7s %2s %-8s %10s %10s %10s %10s\n", "runtime", "W", "order", "tasks", "median", "min",
              "max");
  for (const int workers : numbers) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                      static_cast<std::size_t>(workers));
    tbb::task_arena arena(workers);
    for (long n = 1'000; n <= max_tasks; n *= 10) {
      const long repeats = std::max(1L, 100'000 / n);
      std::vector<double> skua_times[3], tbb_times, plain_times;
      for (int round = 0; round <= rounds; ++round) {  // the first one is not counted
        for (const skua::order order : {skua::order::lifo, skua::order::fifo, skua::order::priority}) {
          skua::scheduler pool({.workers = workers, .own_order = order});
          fill_skua_group(pool, n, 1);  // makes the records
          const double ns = ns_of([&] { fill_skua_group(pool, n, repeats); }, n * repeats);
          if (round != 0) skua_times[static_cast<int>(order)].push_back(ns);
        }
        fill_tbb_group(arena, n, 1);
        const double ns = ns_of([&] { fill_tbb_group(arena, n, repeats); }, n * repeats);
        if (round != 0) tbb_times.push_back(ns);
        if (workers != 1) continue;
        std::vector<plain_record> records(static_cast<std::size_t>(n));
        const double plain_ns = ns_of([&] { fill_plainly(records, repeats); }, n * repeats);
        if (round != 0) plain_times.push_back(plain_ns);
      }
      for (const skua::order order : {skua::order::lifo, skua::order::fifo, skua::order::priority})
        print_row("skua", workers, order, n, of(skua_times[static_cast<int>(order)]));
      print_row("oneTBB", workers, skua::order::lifo, n, of(tbb_times));
      if (workers == 1) print_row("plain", workers, skua::order::lifo, n, of(plain_times));
    }
  }
}
