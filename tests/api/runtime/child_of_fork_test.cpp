// fork(): the child has only the thread that called it, and starts skua anew. Each case runs in a process of its own, and
// each process ends by SIGALRM if it hangs.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "tests/support/until.hpp"

namespace child_of_fork_test {
namespace {

// What the sanitizer's own runtime cannot do in a child of a process with several threads. Null if there is no such limit.
constexpr const char* no_memory_in_child = under_address_sanitizer
                                               ? "in a child of fork() AddressSanitizer waits for locks of "
                                                 "its allocator that threads of the parent held"
                                               : nullptr;
constexpr const char* no_threads_in_child =
    under_thread_sanitizer ? "ThreadSanitizer ends a child of fork() that starts a thread (die_after_fork)"
                           : no_memory_in_child;

struct child_of_fork : testing::Test {
  void SetUp() override {
    if (no_memory_in_child) GTEST_SKIP() << no_memory_in_child;
  }
};

constexpr unsigned seconds_to_hang = 60;

/// How the child ends.
enum ending { exits, exits_at_once, executes };

[[noreturn]] void end(int code, ending how = exits_at_once) {
  if (how == executes) execl("/bin/sh", "sh", "-c", ("exit " + std::to_string(code)).c_str(), nullptr);
  if (how == exits) std::exit(code);
  std::_Exit(code);
}

void check(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "failed: %s\n", what);
  std::_Exit(1);
}

/// Calls fork(). The child runs code() and ends with exit code 0. Returns the child's status.
template <class F>
int status_of_child(F code) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(seconds_to_hang);
    code();
    end(0, exits);
  }
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool exited_with(int code, int status) { return WIFEXITED(status) && WEXITSTATUS(status) == code; }

template <class F>
void check_child(F code) {
  const int status = status_of_child(code);
  if (exited_with(0, status)) return;
  std::fprintf(stderr, "failed: the child ended with %s %d\n", WIFSIGNALED(status) ? "signal" : "exit code",
               WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  std::_Exit(1);
}

/// Runs code() in a process that no other case has used.
template <class F>
void in_own_process(F code, const char* says = "") {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        alarm(2 * seconds_to_hang);
        code();
        std::exit(0);
      },
      testing::ExitedWithCode(0), says);
}

constexpr std::int64_t worker_counts[] = {1, 2, 64};

skua::scheduler_options options(std::int64_t workers, const char* policy = "") {
  return {.workers = workers, .policy = policy, .bind = false};
}

void check_sum() {
  const auto square = [](int i) { return std::int64_t{i} * i; };
  check(skua::parallel_reduce(0, 10'000, std::int64_t{0}, square, std::plus<>{}) == 333'283'335'000, "a sum");
}

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

/// Returns the number of threads that run the positions of a loop. Each position sleeps.
std::size_t threads_of_a_loop(int positions) {
  std::mutex guard;
  std::set<std::thread::id> threads;
  skua::parallel_for(0, positions, [&](int) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const std::lock_guard lock(guard);
    threads.insert(std::this_thread::get_id());
  });
  return threads.size();
}

/// Repeats a loop until at least `wanted` threads have run its positions.
void check_threads(std::size_t wanted) {
  for (patience left; left;)
    if (threads_of_a_loop(200) >= wanted) return;
  check(false, "a loop in the child runs on several threads");
}

/// Uses skua as a program does, and checks the results.
void check_all() {
  check_sum();
  check(fib(15) == 610, "joins");
  std::atomic<int> ran{0};
  skua::task_group tasks;
  for (int i = 0; i < 1000; ++i) tasks.run([&] { ++ran; });
  tasks.wait();
  check(ran == 1000, "a group");
  skua::mutex m;
  int locked = 0;
  skua::parallel_for(0, 1000, [&](int) {
    const std::lock_guard lock(m);
    ++locked;
  });
  check(locked == 1000, "a mutex");
  const auto two = skua::join([] { return skua::blocking([] { return 20; }); }, [] { return 22; });
  check(two.first + two.second == 42, "a blocking call");
  skua::per_worker<int> counts;
  skua::parallel_for(0, 1000, [&](int) { ++counts.local(); });
  check(counts.combine(0, std::plus<>{}) == 1000, "a value for each worker");
  std::vector<int> numbers(5000);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>((i * 7919) % 5000);
  skua::parallel_sort(numbers.begin(), numbers.end());
  check(std::is_sorted(numbers.begin(), numbers.end()), "a sort");
}

/// Runs `inside` as a task on a worker's own thread.
template <class F>
void on_own_thread_of_a_worker(F inside) {
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> taken{false};
  skua::task_group tasks;
  tasks.run([&] {
    check(std::this_thread::get_id() != caller, "a thread of the scheduler takes the task");
    taken = true;
    inside();
  });
  until([&] { return taken.load(); });
  tasks.wait();
}

// ---- after a call

skua::scheduler& static_scheduler(std::int64_t workers) {
  static skua::scheduler pool(options(workers));
  return pool;
}

skua::scheduler_options simulated(bool own_threads) {
  return {.workers = 4,
          .simulate = skua::simulation{
              .machine = "xeon-x5550-2s-nehalem", .measured = false, .own_threads = own_threads}};
}

skua::scheduler& simulated_scheduler() {
  static skua::scheduler pool(simulated(false));
  return pool;
}

TEST_F(child_of_fork, exits_beside_a_static_scheduler) {
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      static_scheduler(n).run(check_sum);
      check_child([] {});
      static_scheduler(n).run(check_sum);
    });
}

TEST_F(child_of_fork, exits_beside_the_default_scheduler) {
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      skua::configure_default_scheduler(options(n));
      check_sum();
      check_child([] {});
      check_sum();
    });
}

TEST_F(child_of_fork, destroys_a_scheduler_of_its_parent) {
  in_own_process([] {
    auto pool = std::make_unique<skua::scheduler>(options(2));
    pool->run(check_sum);
    check_child([&] { pool.reset(); });
    pool->run(check_sum);
  });
}

TEST_F(child_of_fork, starts_the_default_scheduler_anew) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      skua::configure_default_scheduler(options(n));
      check_all();
      check_child([n] {
        check(skua::default_scheduler().workers() == static_cast<std::size_t>(n), "as many workers");
        check_all();
        check_threads(static_cast<std::size_t>(std::min<std::int64_t>(n, 8)));
      });
      check_all();
    });
}

TEST_F(child_of_fork, starts_a_scheduler_object_anew) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      skua::scheduler pool(options(n));
      pool.run(check_all);
      check_child([&] {
        check(pool.workers() == static_cast<std::size_t>(n), "as many workers");
        check(pool.report().total.forks == 0, "nothing has run in the child");
        pool.run(check_all);
        pool.run([n] { check_threads(static_cast<std::size_t>(std::min<std::int64_t>(n, 8))); });
        check(pool.report().total.forks != 0, "the child counts what it does");
      });
      pool.run(check_all);
    });
}

TEST_F(child_of_fork, chooses_the_options_of_the_default_scheduler_before_its_first_use_there) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::configure_default_scheduler(options(2));
    check_sum();
    check_child([] {
      skua::configure_default_scheduler(options(3));
      check_sum();
      check(skua::default_scheduler().workers() == 3, "the child's options");
      bool refused = false;
      try {
        skua::configure_default_scheduler(options(4));
      } catch (const std::logic_error&) {
        refused = true;
      }
      check(refused, "options after the first use");
    });
    check(skua::default_scheduler().workers() == 2, "the parent's options");
  });
}

// The parent has a thread for blocking calls that waits for the next one. The child does not have this thread.
TEST_F(child_of_fork, makes_blocking_calls_on_threads_of_its_own) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::scheduler pool(options(2));
    const auto block = [&] {
      pool.run([] {
        on_own_thread_of_a_worker([] {
          const std::thread::id task = std::this_thread::get_id();
          const std::thread::id call = skua::blocking([] { return std::this_thread::get_id(); });
          check(call != task, "a blocking call has a thread of its own");
        });
      });
    };
    block();
    check_child(block);
    block();
  });
}

TEST_F(child_of_fork, has_children_itself) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::scheduler pool(options(2));
    pool.run(check_sum);
    check_child([&] {
      check_child([&] {
        pool.run(check_all);
        check_child([&] { pool.run(check_all); });
        check_all();
      });
      pool.run(check_all);
    });
  });
}

TEST_F(child_of_fork, of_a_process_that_has_not_used_skua) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    check_child(check_all);
    check_all();
  });
}

TEST_F(child_of_fork, makes_schedulers_of_its_own) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const char* policy : {"nearest", "chase_lev", "managers", "bitier", "announced"})
    in_own_process([policy] {
      skua::scheduler pool(options(4, policy));
      pool.run(check_all);
      check_child([&] {
        skua::scheduler another(options(4, policy));
        another.run(check_all);
        pool.run(check_all);
      });
    });
}

TEST_F(child_of_fork, may_first_use_a_scheduler_from_several_threads) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::scheduler pool(options(2));
    pool.run(check_sum);
    check_child([&] {
      std::vector<std::thread> threads;
      for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
          pool.run(check_sum);
          check_sum();
        });
      for (std::thread& t : threads) t.join();
    });
  });
}

// ---- while other threads work

/// Forks again and again while another thread loops over work().
template <class Work, class Child>
void fork_beside(Work work, Child child) {
  constexpr int forks = under_thread_sanitizer ? 4 : under_sanitizer ? 10 : 40;
  std::atomic<bool> over{false};
  std::atomic<int> rounds{0};
  std::thread busy([&] {
    while (!over) {
      work();
      ++rounds;
    }
  });
  for (int i = 0; i < forks; ++i) {
    const int before = rounds;
    check_child(child);
    until([&] { return rounds != before; });
  }
  over = true;
  busy.join();
}

TEST_F(child_of_fork, exits_while_a_thread_of_the_parent_is_in_the_pool) {
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      skua::configure_default_scheduler(options(n));
      static_scheduler(n).run(check_sum);
      fork_beside(
          [n] {
            check_sum();
            static_scheduler(n).run([] { fib(12); });
          },
          [] {});
    });
}

TEST_F(child_of_fork, works_while_a_thread_of_the_parent_is_in_the_pool) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const std::int64_t n : worker_counts)
    in_own_process([n] {
      skua::configure_default_scheduler(options(n));
      fork_beside(check_all, check_all);
    });
}

// A scheduler registers itself in the process under locks, which another thread may hold at the time of the fork.
TEST_F(child_of_fork, works_while_a_thread_of_the_parent_makes_and_destroys_schedulers) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    const auto use_new_ones = [] {
      skua::scheduler one({.workers = 2, .bind = false, .keep_report = true, .keep_trace = true});
      one.run(check_sum);
      static_cast<void>(skua::policies());
    };
    fork_beside(use_new_ones, [&] {
      use_new_ones();
      check_all();
    });
  });
}

// At the time of the fork, another thread is in the middle of initialisations that happen only once.
TEST_F(child_of_fork, works_while_a_thread_of_the_parent_uses_skua_for_the_first_time) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (int i = 0; i < 20; ++i)
    in_own_process([i] {
      std::atomic<bool> begins{false};
      std::thread first([&] {
        begins = true;
        if (i % 2 == 0)
          check_sum();
        else
          const skua::task_group unused;
      });
      until([&] { return begins.load(); });
      std::this_thread::sleep_for(std::chrono::microseconds(300 * i));
      check_child(check_all);
      first.join();
    });
}

// ---- inside a call

// The scheduler still has to run its last tasks.
TEST_F(child_of_fork, of_a_task_whose_scheduler_is_being_destroyed) {
  in_own_process([] {
    std::atomic<bool> called_fork{false};
    std::atomic<int> status{-1};
    skua::task_group tasks;
    {
      skua::scheduler pool(options(1));
      pool.run([&] {
        tasks.run([&] {
          sleep_ms(50);  // the destructor waits
          const pid_t child = fork();
          called_fork = true;
          if (child == 0) return;  // returns to a worker's own stack
          int how = -1;
          waitpid(child, &how, 0);
          status = how;
        });
      });
    }
    check(called_fork, "the scheduler's last task");
    check(exited_with(2, status), "the exit code of the child");
  });
}

TEST_F(child_of_fork, made_in_a_call_ends_in_any_way) {
  for (const ending how : {exits, exits_at_once, executes})
    for (const std::int64_t n : worker_counts)
      in_own_process([n, how] {
        static_scheduler(n).run([how] {
          check(exited_with(3, status_of_child([how] { end(3, how); })), "the child ends");
          check_sum();
        });
        check_sum();
      });
}

TEST_F(child_of_fork, made_in_a_task_of_a_worker_ends_in_any_way) {
  for (const ending how : {exits, exits_at_once, executes})
    for (const std::int64_t n : {2, 64})
      in_own_process([n, how] {
        static_scheduler(n).run([how] {
          on_own_thread_of_a_worker([how] {
            check(exited_with(3, status_of_child([how] { end(3, how); })), "the child ends");
            check_sum();
          });
        });
      });
}

// The child goes on alone in that task: one thread runs the task and its nested calls.
TEST_F(child_of_fork, made_in_a_task_computes_on_one_thread) {
  for (const char* policy : {"nearest", "chase_lev", "managers", "bitier", "announced"})
    for (const std::int64_t n : {2, 8})
      in_own_process([n, policy] {
        skua::scheduler pool(options(n, policy));
        pool.run([] {
          check_child([] {
            check_sum();
            check(fib(15) == 610, "joins");
            check(threads_of_a_loop(20) == 1, "on this thread only");
            check_all();
          });
          on_own_thread_of_a_worker([] { check_child(check_all); });
        });
      });
}

TEST_F(child_of_fork, made_in_a_task_uses_threads_of_a_scheduler_that_it_names) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const std::int64_t n : {2, 64})
    in_own_process([n] {
      skua::scheduler pool(options(n));
      const auto use_pool = [&] {
        pool.run(check_all);
        pool.run([] { check_threads(2); });
        check_sum();
      };
      pool.run([&] {
        check_child(use_pool);
        on_own_thread_of_a_worker([&] { check_child(use_pool); });
      });
    });
}

// The scheduler has one worker, so no other thread has taken a part of the call.
TEST_F(child_of_fork, finishes_the_call_in_which_it_was_made) {
  in_own_process([] {
    int child = -1, runs = 0;
    skua::scheduler pool(options(1));
    const std::int64_t sum = pool.run([&] {
      return skua::parallel_reduce(
          0, 1000, std::int64_t{0},
          [&](int i) {
            if (i == 500) child = status_of_child([] {}) == 0;
            ++runs;
            return std::int64_t{i};
          },
          std::plus<>{});
    });
    check(child == 1 && runs == 1000 && sum == 499'500, "the parent's result");
  });
  in_own_process([] {
    skua::scheduler pool(options(1));
    pid_t child = -1;
    int runs = 0;
    const std::int64_t sum = pool.run([&] {
      skua::task_group tasks;
      for (int i = 0; i < 100; ++i) tasks.run([&] { ++runs; });
      const std::int64_t of_loop = skua::parallel_reduce(
          0, 1000, std::int64_t{0},
          [&](int i) {
            if (i == 500) {
              child = fork();
              if (child == 0) alarm(seconds_to_hang);
            }
            return std::int64_t{i};
          },
          std::plus<>{});
      tasks.wait();
      return of_loop;
    });
    check(sum == 499'500 && runs == 100, "the result, in both");
    if (child == 0) {
      if (!no_threads_in_child) pool.run(check_all);
      std::exit(0);  // exit() destroys neither pool nor the other objects of this frame
    }
    int status = -1;
    waitpid(child, &status, 0);
    check(status == 0, "the child goes on");
  });
}

constexpr const char* lost =
    "skua: another thread had the task when this process was forked, so the task does not run";

/// Calls f(). Returns true if it throws the exception of a wait for a lost task.
template <class F>
bool loses_a_task(F f) {
  try {
    f();
  } catch (const std::runtime_error& thrown) {
    return std::string(thrown.what()).starts_with(lost);
  }
  return false;
}

/// Calls wait(forks, runs_elsewhere), which forks and waits for a task. Another thread runs that task until the child has
/// ended.
template <class F>
void fork_beside_a_taken_task(F wait) {
  skua::scheduler pool(options(2));
  std::atomic<bool> taken{false}, over{false};
  pid_t child = -1;
  const auto runs_elsewhere = [&] {
    taken = true;
    until([&] { return over.load(); });
  };
  const auto forks = [&] {
    until([&] { return taken.load(); });
    child = fork();
    if (child == 0) return alarm(seconds_to_hang), void();
    int status = -1;
    waitpid(child, &status, 0);
    over = true;
    check(status == 0, "the child ends");
  };
  const bool thrown = loses_a_task([&] {
    pool.run([&] {
      if constexpr (std::is_invocable_v<F&, decltype(forks), decltype(runs_elsewhere), std::atomic<bool>&>)
        wait(forks, runs_elsewhere, taken);
      else
        wait(forks, runs_elsewhere);
    });
  });
  check(thrown == (child == 0), "what the call throws");
  if (child != 0) return;
  if (!no_threads_in_child) {
    pool.run(check_all);
    check_all();
  }
  std::exit(0);
}

TEST_F(child_of_fork, throws_for_a_join_that_another_thread_had_taken) {
  in_own_process(
      [] { fork_beside_a_taken_task([](auto& forks, auto& elsewhere) { skua::join(forks, elsewhere); }); });
}

TEST_F(child_of_fork, throws_for_a_part_of_a_loop_that_another_thread_had_taken) {
  in_own_process([] {
    fork_beside_a_taken_task([](auto& forks, auto& elsewhere) {
      skua::parallel_for(0, 2, [&](int i) { i == 0 ? forks() : elsewhere(); });
    });
  });
}

TEST_F(child_of_fork, throws_for_a_group_task_that_another_thread_had_taken) {
  in_own_process([] {
    fork_beside_a_taken_task([](auto& forks, auto& elsewhere) {
      skua::task_group tasks;
      tasks.run(elsewhere);
      forks();
      tasks.wait();
    });
  });
}

// The other tasks still run, on this thread.
TEST_F(child_of_fork, runs_what_no_other_thread_had_taken) {
  in_own_process([] {
    fork_beside_a_taken_task([](auto& forks, auto& elsewhere, std::atomic<bool>& taken) {
      std::atomic<int> ran{0};
      skua::task_group lost_tasks, own;
      lost_tasks.run(elsewhere);
      until([&] { return taken.load(); });
      std::atomic<bool> forked{false};
      skua::join(
          [&] {
            forks();
            forked = true;
            for (int i = 0; i < 100; ++i) own.run([&] { ++ran; });
          },
          [&] {
            until([&] { return forked.load(); });
            ++ran;
          });
      own.wait();
      check(ran == 101, "all that was not taken");
      lost_tasks.wait();
    });
  });
}

TEST_F(child_of_fork, ends_with_a_message_at_the_end_of_a_task_of_a_worker) {
  const char* const says = "skua: a child of fork\\(\\) has come to the end of the task in which it was made";
  for (const bool joins : {false, true})
    in_own_process(
        [joins] {
          skua::scheduler pool(options(2));
          pid_t child = -1;
          const auto forks = [&] {
            child = fork();
            if (child == 0) return alarm(seconds_to_hang), void();
            int status = -1;
            waitpid(child, &status, 0);
            check(exited_with(2, status), "the child ends with 2");
          };
          pool.run([&] {
            if (!joins) return on_own_thread_of_a_worker(forks);
            std::atomic<bool> taken{false};
            skua::join([&] { until([&] { return taken.load(); }); },
                       [&] {
                         taken = true;
                         forks();
                       });
          });
        },
        says);
}

TEST_F(child_of_fork, made_in_a_blocking_call) {
  // An external thread makes the blocking call. The child returns to the call around it.
  in_own_process([] {
    skua::scheduler pool(options(2));
    pid_t child = -1;
    pool.run([&] {
      skua::blocking([&] {
        child = fork();
        if (child == 0) alarm(seconds_to_hang);
      });
      check_sum();
      check(fib(15) == 610, "joins");
    });
    if (child == 0) {
      if (!no_threads_in_child) pool.run(check_all);
      std::exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check(status == 0, "the child goes on");
  });
  // A worker makes the blocking call, so another thread runs it.
  in_own_process(
      [] {
        skua::scheduler pool(options(2));
        pool.run([&] {
          on_own_thread_of_a_worker([&] {
            skua::blocking([&] {
              check(exited_with(3, status_of_child([] { end(3, exits); })), "exit()");
              const pid_t child = fork();
              if (child == 0) return alarm(seconds_to_hang), void();
              int status = -1;
              waitpid(child, &status, 0);
              check(exited_with(2, status), "the child ends with 2");
            });
          });
        });
      },
      "skua: a child of fork\\(\\) has come to the end of the skua::blocking\\(\\) call in which it was "
      "made");
}

TEST_F(child_of_fork, made_in_a_nested_call_finishes_the_calls_around_it) {
  in_own_process([] {
    skua::scheduler outer(options(2)), inner(options(2));
    pid_t child = -1;
    int done = 0;
    outer.run([&] {
      inner.run([&] {
        child = fork();
        if (child == 0) alarm(seconds_to_hang);
        check_sum();
        ++done;
      });
      check_sum();
      ++done;
    });
    check(done == 2, "both calls");
    if (child == 0) std::exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    check(status == 0, "the child goes on");
  });
}

// The destructor of the static scheduler must not wait for the task that calls exit(). This holds without fork() too.
TEST_F(child_of_fork, a_task_exits_beside_a_static_scheduler_without_fork) {
  for (const bool simulated : {false, true})
    in_own_process([simulated] {
      skua::scheduler& pool = simulated ? simulated_scheduler() : static_scheduler(2);
      pool.run([] { std::exit(0); });
    });
  in_own_process([] { static_scheduler(2).run([] { on_own_thread_of_a_worker([] { std::exit(0); }); }); });
}

TEST_F(child_of_fork, made_in_a_phase) {
  in_own_process([] {
    skua::scheduler pool(options(2));
    pool.run([] {
      check(exited_with(3, status_of_child([] { end(3, exits); })), "before a phase");
      check_child([] {
        skua::phase<int> alone;
        std::atomic<int> ran{0};
        for (int i = 0; i < 100; ++i) alone.enqueue(i);
        alone.run([&](int) { ++ran; });
        check(ran == 100, "a phase in the child");
      });
    });
  });
}

// ---- groups and mutexes of the parent

// Tasks and threads of the parent wait in the line of the mutex. None of them will take the mutex in the child.
TEST_F(child_of_fork, uses_a_mutex_for_which_threads_of_its_parent_wait) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::scheduler pool(options(2));
    skua::mutex m;
    int locked = 0;
    const auto lock_once = [&] {
      const std::lock_guard lock(m);
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      ++locked;
    };
    m.lock();
    std::thread outside(lock_once);
    std::thread inside([&] {
      pool.run([&] {
        skua::task_group tasks;
        for (int i = 0; i < 4; ++i) tasks.run(lock_once);
        tasks.wait();
      });
    });
    sleep_ms(100);  // until they are in the line; if the time is too short, the test checks less
    check_child([&] {
      m.unlock();
      std::vector<std::thread> threads;
      for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
          for (int i = 0; i < 100; ++i) lock_once();
          pool.run([&] { skua::parallel_for(0, 100, [&](int) { lock_once(); }); });
        });
      for (std::thread& t : threads) t.join();
      check(locked == 600, "all have had the mutex");
    });
    m.unlock();
    outside.join();
    inside.join();
    check(locked == 5, "those of the parent too");
  });
}

TEST_F(child_of_fork, goes_on_with_a_group_of_its_parent) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  in_own_process([] {
    skua::configure_default_scheduler(options(2));
    skua::task_group tasks;
    std::atomic<int> ran{0};
    tasks.run([&] { ++ran; });
    tasks.wait();
    check_child([&] {
      for (int i = 0; i < 100; ++i) tasks.run([&] { ++ran; });
      tasks.wait();
      check(ran == 101, "tasks of the child");
    });
    tasks.run([&] { ++ran; });
    tasks.wait();
    check(ran == 2, "tasks of the parent");
  });
}

TEST_F(child_of_fork, throws_for_tasks_of_a_group_of_its_parent) {
  if (no_threads_in_child) GTEST_SKIP() << no_threads_in_child;
  for (const bool runs_more : {false, true})
    in_own_process([runs_more] {
      skua::configure_default_scheduler(options(2));
      skua::task_group tasks;
      std::atomic<bool> taken{false}, over{false};
      tasks.run([&] {
        taken = true;
        until([&] { return over.load(); });
      });
      until([&] { return taken.load(); });
      check_child([&] {
        std::atomic<int> ran{0};
        if (runs_more) tasks.run([&] { ++ran; });
        check(loses_a_task([&] { tasks.wait(); }), "a task is lost");
        for (int i = 0; i < 100; ++i) tasks.run([&] { ++ran; });
        tasks.wait();
        check(ran >= 100, "the group is whole again");
      });
      over = true;
      tasks.wait();
    });
}

// ---- simulated machines

TEST_F(child_of_fork, of_a_process_with_a_simulated_scheduler) {
  for (const bool own_threads : {false, true}) {
    if (no_threads_in_child && own_threads) continue;
    in_own_process([own_threads] {
      static skua::scheduler pool(simulated(own_threads));
      pool.run(check_sum);
      check_child([] {});
      if (!no_threads_in_child)
        check_child([] {
          pool.run(check_sum);
          pool.run(check_sum);
        });
      pool.run(check_sum);
    });
  }
}

TEST_F(child_of_fork, made_in_a_simulated_task) {
  for (const bool own_threads : {false, true}) {
    if (no_threads_in_child && own_threads) continue;
    in_own_process([own_threads] {
      static skua::scheduler pool(simulated(own_threads));
      pool.run([] {
        for (const ending how : {exits, exits_at_once, executes})
          check(exited_with(3, status_of_child([how] { end(3, how); })), "the child ends");
        check_sum();
      });
    });
  }
  if (no_threads_in_child) return;  // the watchdog of the simulated machine is a thread
  // If all workers are on one thread, the whole machine goes on in the child.
  in_own_process([] {
    static skua::scheduler pool(simulated(false));
    pid_t child = -1;
    skua::mutex line;
    int passed = 0;
    pool.run([&] {
      skua::parallel_for(0, 100, [&](int i) {
        skua::costs(1000);
        if (i == 50) {
          child = fork();
          if (child == 0) alarm(seconds_to_hang);
        }
        // Other tasks wait in the line of the mutex, and further ones enter it.
        const std::lock_guard lock(line);
        ++passed;
      });
      check(passed == 100, "all have passed the mutex");
      check_sum();
    });
    pool.run(check_sum);
    if (child == 0) std::exit(0);
    int status = -1;
    waitpid(child, &status, 0);
    check(status == 0, "the child goes on");
  });
}

}  // namespace
}  // namespace child_of_fork_test
