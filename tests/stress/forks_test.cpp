// Runs millions of tasks of all kinds, with exceptions, cancellations, sleeps, blocking calls, mutexes, isolated regions,
// several schedulers and external threads. Each task owns one byte and sets it exactly once. After each round, the bytes
// show which task was lost and which ran twice.
//
//   forks_test quick|full|no-membarrier|membarrier-refused-later [--forks N] [--seed S] [--policy NAME]
//
// The last two do as much work as quick. They forbid membarrier(2) in their own process, as some containers do, either at
// the beginning or in the middle of the work.
// Without --policy, each scheduler has a random policy. The test prints its seed. The same seed gives the same programs,
// but not the same interleavings.
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "../../bench/forbid_membarrier.hpp"

#include "tests/support/sanitizers.hpp"

namespace {

constexpr int patience_seconds = 120;

std::atomic<std::uint64_t> progress{0};
char now_running[512] = "nothing yet";
const char* only_policy = nullptr;

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "forks_test: %s; in: %s\n", what, now_running);
  std::abort();
}

/// Aborts if no task has ended for a while.
class watchdog {
 public:
  watchdog()
      : thread_([this] {
          std::uint64_t seen = progress;
          for (auto since = clock::now(); !stop_;
               std::this_thread::sleep_for(std::chrono::milliseconds(100))) {
            const std::uint64_t now = progress;
            if (now != seen) since = clock::now();
            seen = now;
            if (clock::now() - since > std::chrono::seconds(patience_seconds))
              fail("no progress for two minutes");
          }
        }) {}
  ~watchdog() {
    stop_ = true;
    thread_.join();
  }
  watchdog(const watchdog&) = delete;
  watchdog& operator=(const watchdog&) = delete;

 private:
  using clock = std::chrono::steady_clock;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// A hash of a task's position in its program. A program uses it instead of random numbers, so it does not depend on the
/// schedule.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

struct thrown_by_task {
  std::uint64_t task;
};

struct shape {
  std::uint64_t seed;
  bool throws = false;      // tasks throw and groups are cancelled, so some tasks never start
  bool sleeps = false;      // tasks also block, lock and isolate
  std::uint64_t tasks = 0;  // number of tasks, with one byte for each
};

/// One program: a random tree over the range [first, last) of bytes.
class program {
 public:
  program(const shape& s, skua::scheduler* other)
      : shape_(s), other_(other), bytes_(std::make_unique<std::atomic<std::uint8_t>[]>(s.tasks)) {}

  void run_all() {
    try {
      run(0, shape_.tasks, true);
    } catch (const thrown_by_task& t) {
      if (!shape_.throws) fail("an exception that no task threw");
      if (t.task >= shape_.tasks || bytes_[t.task] == 0) fail("an exception of a task that never ran");
    }
  }

  /// Checks that each task ran once, or at most once if tasks throw.
  std::uint64_t check() const {
    std::uint64_t ran = 0;
    for (std::uint64_t i = 0; i < shape_.tasks; ++i) {
      const int n = bytes_[i].load(std::memory_order_relaxed);
      if (n > 1) fail("a task ran twice");
      if (n == 0 && !shape_.throws) fail("a task never ran");
      ran += static_cast<std::uint64_t>(n);
    }
    if (alive_ != 0) fail("an object outlived its task");
    if (in_mutex_ != 0) fail("the mutex was left locked");
    if (in_isolation_ != 0) fail("an isolated region was left");
    return ran;
  }

 private:
  /// Is alive as long as the frames and closures that hold it.
  struct token {
    std::atomic<std::int64_t>& alive;
    explicit token(std::atomic<std::int64_t>& a) : alive(a) { alive.fetch_add(1, std::memory_order_relaxed); }
    token(const token& t) noexcept : token(t.alive) {}
    ~token() { alive.fetch_sub(1, std::memory_order_relaxed); }
    token& operator=(const token&) = delete;
  };

  void task(std::uint64_t i) {
    if (bytes_[i].fetch_add(1, std::memory_order_relaxed) != 0) fail("a task ran twice");
    const std::uint64_t r = mix(shape_.seed + i);
    if (i % 1024 == 0) progress.fetch_add(1, std::memory_order_relaxed);
    if (shape_.sleeps && r % 997 == 0) special(i, mix(r));
    if (shape_.throws && r % 5003 == 1) throw thrown_by_task{i};
  }

  void special(std::uint64_t i, std::uint64_t r) {
    switch (r % 8) {
      case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(r / 8 % 100));
        break;
      case 1:
        skua::blocking([&] { std::this_thread::sleep_for(std::chrono::microseconds(r / 8 % 200)); });
        break;
      case 2: {
        if (isolates_) break;
        std::lock_guard lock(mutex_);
        if (in_mutex_++ != 0) fail("two tasks hold the mutex");
        const auto briefly = [] { std::this_thread::sleep_for(std::chrono::microseconds(10)); };
        skua::join([] {}, briefly);
        if (in_mutex_-- != 1) fail("two tasks held the mutex");
        break;
      }
      case 3: {
        static thread_local int inside = 0;
        skua::isolate([&] {
          int& mine = inside;
          if (mine != 0) fail("an isolated region met itself on one thread");
          ++mine, ++in_isolation_;
          skua::join([&] { nap(r); }, [&] { nap(r / 2); });
          skua::parallel_for(0, 4, [&](int) { nap(r / 3); });
          --mine, --in_isolation_;
        });
        break;
      }
      case 4:
        if (other_ && other_->run([] {
              auto [a, b] = skua::join([] { return 1; }, [] { return 2; });
              return a + b;
            }) != 3)
          fail("the other scheduler");
        break;
      case 5: {
        skua::task_group doomed;
        std::atomic<int> ran{0};
        for (int k = 0; k < 10; ++k) doomed.run([&ran] { ++ran; });
        doomed.cancel();
        doomed.wait();
        if (ran > 10) fail("a cancelled task ran twice");
        break;
      }
      case 6:
        std::this_thread::yield();
        break;
      default:
        try {
          skua::join([i] { throw thrown_by_task{i}; }, [&] { nap(r); });
          fail("an exception was lost");
        } catch (const thrown_by_task& t) {
          nap(r);
          if (t.task != i) fail("the exception of another task");
        }
    }
  }
  static void nap(std::uint64_t r) {
    if (r % 4 == 0) std::this_thread::sleep_for(std::chrono::microseconds(r % 50));
  }

  // The first byte of the range is this task's own.
  void run(std::uint64_t first, std::uint64_t last, bool top = false) {
    if (first == last) return;
    const token here(alive_);
    const std::uint64_t r = mix(shape_.seed ^ (first * 0x9E3779B97F4A7C15ULL + last));
    task(first++);
    const std::uint64_t size = last - first;
    if (size == 0) return;
    const auto cut = [&](std::uint64_t k, std::uint64_t parts) { return first + size * k / parts; };
    switch (size < 64 && !top ? 0 : r % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
        skua::join([&] { run(first, cut(1, 2)); }, [&] { run(cut(1, 2), last); });
        break;
      case 6: {  // two parts of different size
        const std::uint64_t at = first + mix(r) % (size + 1);
        skua::join([&] { run(first, at); }, [&] { run(at, last); });
        break;
      }
      case 7: {
        auto [a, b, c] =
            skua::join([&] { return run(first, cut(1, 4)), 1; }, [&] { return run(cut(1, 4), cut(2, 4)), 2; },
                       [&] { run(cut(2, 4), cut(3, 4)); },
                       [&] { return run(cut(3, 4), last), std::make_unique<int>(3); });
        if (a + b + *c != 6) fail("results got mixed up");
        break;
      }
      case 8:
      case 9: {
        skua::task_group tasks;
        const std::uint64_t parts = 2 + mix(r) % 20;
        for (std::uint64_t k = 0; k < parts; ++k)
          tasks.run([this, here, from = cut(k, parts), to = cut(k + 1, parts)] { run(from, to); });
        if (r / 16 % 4 != 0) tasks.wait();
        break;
      }
      case 10: {  // two groups, the older one is waited for first; nested run()
        skua::task_group older, newer;
        older.run([&] { run(first, cut(1, 3)); });
        newer.run([&] {
          newer.run([&] { run(cut(1, 3), cut(2, 3)); });
          older.run([&] { run(cut(2, 3), last); });
        });
        newer.wait();
        older.wait();
        break;
      }
      case 11: {
        const std::uint64_t parts = 1 + mix(r) % 40;
        skua::parallel_for(std::uint64_t{0}, parts,
                           [&](std::uint64_t k) { run(cut(k, parts), cut(k + 1, parts)); });
        break;
      }
      case 12: {  // a fine loop over single tasks
        const std::uint64_t fine = std::min<std::uint64_t>(size, 4000);
        skua::join([&] { skua::parallel_for(first, first + fine, [&](std::uint64_t i) { task(i); }); },
                   [&] { run(first + fine, last); });
        break;
      }
      case 13: {
        skua::task_group tasks;
        auto value = tasks.run_returning([&] { return run(first, cut(1, 2)), 5; });
        run(cut(1, 2), last);
        tasks.wait();
        if (!skua::cancelled() && value.get() != 5) fail("a task's result");
        break;
      }
      case 14:
        if (isolates_ && size < 5000)
          skua::isolate([&] { skua::join([&] { run(first, cut(1, 2)); }, [&] { run(cut(1, 2), last); }); });
        else
          skua::join([&] { run(first, cut(1, 2)); }, [&] { run(cut(1, 2), last); });
        break;
      default: {  // a cancelled group drops tasks that have not started, so only where bytes may stay 0
        skua::task_group tasks;
        for (std::uint64_t k = 0; k < 4; ++k) tasks.run([&, k] { run(cut(k, 4), cut(k + 1, 4)); });
        if (shape_.throws && r / 16 % 8 == 0 && size < 2000) tasks.cancel();
        tasks.wait();
      }
    }
  }

  const shape shape_;
  // A program does not use both isolated regions and the mutex. A worker whose task waits for the mutex in an isolated
  // region cannot continue a suspended task on this worker, although that task may hold the mutex or be the next owner (see
  // skua::isolate).
  const bool isolates_ = shape_.sleeps && shape_.seed % 2 == 0;
  skua::scheduler* const other_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> bytes_;
  std::atomic<std::int64_t> alive_{0};
  std::atomic<int> in_mutex_{0}, in_isolation_{0};
  skua::mutex mutex_;
};

/// One scheduler with random options runs a few programs, called from one or several threads.
std::uint64_t round_of(std::uint64_t seed, std::uint64_t tasks) {
  std::mt19937_64 random(seed);
  const auto draw = [&](std::uint64_t n) { return random() % n; };
  constexpr int worker_counts[] = {1, 2, 2, 2, 3, 4, 8, 16, 64};
  constexpr const char* policies[] = {"nearest",  "nearest(deal=always)",        "random", "chase_lev",
                                      "managers", "managers(radix=2, rescue=no)"};
  skua::scheduler_options options{
      .workers = worker_counts[draw(std::size(worker_counts))],
      .policy = policies[draw(std::size(policies))],
      .bind = false,
      .park_after_us = draw(3) == 0 ? 0 : static_cast<std::int64_t>(draw(300)),
      .continuation = draw(3) == 0 ? skua::continuation::free : skua::continuation::home,
      .suspended_stacks = draw(4) == 0 ? 1 + static_cast<std::int64_t>(draw(3)) : 64,
      .seed = seed,
  };
  if (only_policy) options.policy = only_policy;
  if (draw(2)) options.topology = skua::topology::synthetic("package:2 l3:2 core:4 pu:1");
  shape s{.seed = random(), .throws = draw(3) == 0, .sleeps = draw(2) == 0, .tasks = 0};
  const std::uint64_t threads = draw(2) ? 1 : 1 + draw(6);
  s.tasks = 1 + draw(2 * tasks) / threads;
  if (s.sleeps) s.tasks = 1 + s.tasks / 8;
  std::snprintf(
      now_running, sizeof now_running,
      "--seed %llu: %lld workers, %s, park after %lld us, %s, %lld suspended stacks, %llu threads with %llu "
      "tasks each%s%s",
      static_cast<unsigned long long>(seed), static_cast<long long>(*options.workers), options.policy.c_str(),
      static_cast<long long>(options.park_after_us),
      options.continuation == skua::continuation::home ? "home" : "free",
      static_cast<long long>(options.suspended_stacks), static_cast<unsigned long long>(threads),
      static_cast<unsigned long long>(s.tasks), s.throws ? ", throwing" : "", s.sleeps ? ", sleeping" : "");
  skua::scheduler pool(options), second({.workers = 2, .bind = false});
  std::vector<std::unique_ptr<program>> programs;
  std::vector<std::thread> external_threads;
  for (std::uint64_t t = 0; t < threads; ++t) {
    shape mine = s;
    mine.seed += t;
    programs.push_back(std::make_unique<program>(mine, &second));
  }
  for (std::uint64_t t = 1; t < threads; ++t)
    external_threads.emplace_back([&, t] { pool.run([&] { programs[t]->run_all(); }); });
  pool.run([&] { programs[0]->run_all(); });
  for (auto& g : external_threads) g.join();
  std::uint64_t ran = 0;
  for (const auto& p : programs) ran += p->check();
  progress.fetch_add(1, std::memory_order_relaxed);
  return ran;
}

constexpr int skipped = 77;

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "no-membarrier") == 0 && !forbid_membarrier(false)) {
    std::puts("this kernel takes no filters for system calls");
    return skipped;
  }
  const bool full = argc > 1 && std::strcmp(argv[1], "full") == 0;
  std::uint64_t forks = full ? 100'000'000 : 10'000'000;
  if constexpr (under_sanitizer) forks /= 20;
  std::uint64_t seed = std::random_device{}();
  bool replay = false;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::strcmp(argv[i], "--forks") == 0) forks = std::strtoull(argv[i + 1], nullptr, 10);
    if (std::strcmp(argv[i], "--policy") == 0) only_policy = argv[i + 1];
    if (std::strcmp(argv[i], "--seed") == 0) seed = std::strtoull(argv[i + 1], nullptr, 10), replay = true;
  }
  std::printf("seed %llu, %llu forks\n", static_cast<unsigned long long>(seed),
              static_cast<unsigned long long>(forks));
  std::fflush(stdout);
  watchdog dog;
  if (argc > 1 && std::strcmp(argv[1], "membarrier-refused-later") == 0)
    std::thread([] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (!forbid_membarrier(true)) std::puts("this kernel takes no filters for system calls");
    }).detach();
  const std::uint64_t tasks_a_round = 200'000;
  std::uint64_t ran = 0, rounds = 0;
  if (replay) {  // the seed of a round, as printed by a failing run
    for (; rounds < 20; ++rounds) ran += round_of(seed, tasks_a_round);
  } else {
    for (; ran < forks; ++rounds) ran += round_of(seed + rounds, tasks_a_round);
  }
  std::printf("%llu tasks in %llu rounds, each exactly once\n", static_cast<unsigned long long>(ran),
              static_cast<unsigned long long>(rounds));
}
