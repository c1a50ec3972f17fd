// An idle worker must find long leaves that follow cheap forks, whether it searches or sleeps. The leaves sleep, so the
// number of cores does not matter.
//
//   starvation_test quick|full
#include <skua/declare.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/scheduler.hpp>
#include <skua/simulation.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using clock_type = std::chrono::steady_clock;

constexpr auto give_up_after = 120s;  // long, because other programs may use the machine too

/// A leaf that ends when all leaves run at once. So the speed of the machine does not matter, and the test fails if a leaf
/// waits behind another one.
class meeting {
 public:
  explicit meeting(int expected) : expected_(expected) {}
  void attend() {
    ++present_;
    const auto start = clock_type::now();
    while (present_ < expected_) {
      if (clock_type::now() - start > give_up_after) {
        failed = true;
        return;
      }
      std::this_thread::sleep_for(100us);
    }
  }
  static inline std::atomic<bool> failed{false};

 private:
  const int expected_;
  std::atomic<int> present_{0};
};

/// Forks too short for a thief to steal.
void tiny_fork() {
  int a = 0, b = 0;
  skua::join([&] { a = 1; }, [&] { b = 1; });
  if (a + b != 2) std::abort();
}

struct pattern {
  const char* name;
  int leaves;
  std::function<void(meeting&)> run;
};

const std::vector<pattern> patterns{
    {"a fork behind a tiny fork", 2,
     [](meeting& m) {
       tiny_fork();
       skua::join([&] { m.attend(); }, [&] { m.attend(); });
     }},
    {"a fork under many tiny ones", 2,
     [](meeting& m) {
       skua::join(
           [&] {
             for (int i = 0; i < 1000; ++i) tiny_fork();
             m.attend();
           },
           [&] { m.attend(); });
     }},
    {"a loop over two", 2,
     [](meeting& m) {
       tiny_fork();
       skua::parallel_for(0, 2, [&](int) { m.attend(); });
     }},
    {"the first and the last of a long loop", 2,
     [](meeting& m) {
       skua::parallel_for(0, 100'000, [&](int i) {
         if (i == 0 || i == 99'999) m.attend();
       });
     }},
    {"two tasks of a group", 2,
     [](meeting& m) {
       skua::task_group tasks;
       for (int i = 0; i < 100; ++i) tasks.run([] {});
       tasks.wait();
       tasks.run([&] { m.attend(); });
       tasks.run([&] { m.attend(); });
       tasks.wait();
     }},
    {"three tasks behind a fork", 4,
     [](meeting& m) {
       skua::join([] { tiny_fork(); }, [] {});
       skua::task_group tasks;
       for (int i = 0; i < 3; ++i) tasks.run([&] { m.attend(); });
       m.attend();
       tasks.wait();
     }},
    {"a join of four", 4,
     [](meeting& m) {
       tiny_fork();
       const auto leaf = [&] { m.attend(); };
       skua::join(leaf, leaf, leaf, leaf);
     }},
    {"a nested spine", 4,
     [](meeting& m) {
       struct spine {
         meeting& m;
         void run(int depth) {
           if (depth == 1) return m.attend();
           skua::join([&] { run(depth - 1); }, [&] { m.attend(); });
         }
       };
       spine{m}.run(4);
     }},
    {"leaves of a stolen task", 4,
     [](meeting& m) {
       std::atomic<bool> stolen{false};
       skua::join(
           [&] {
             while (!stolen) std::this_thread::sleep_for(50us);
             m.attend();
           },
           [&] {
             stolen = true;
             for (int i = 0; i < 100; ++i) tiny_fork();
             skua::parallel_for(0, 3, [&](int) { m.attend(); });
           });
     }},
    {"tasks that go on after a blocking call", 2,
     [](meeting& m) {
       skua::join(
           [&] {
             skua::blocking([] { std::this_thread::sleep_for(300us); });
             tiny_fork();
             skua::join([&] { m.attend(); }, [&] { m.attend(); });
           },
           [] {});
     }},
    {"under another join that waits", 2,
     [](meeting& m) {
       skua::join(
           [&] {
             skua::join([&] { std::this_thread::sleep_for(200us); },
                        [&] { std::this_thread::sleep_for(500us); });
             skua::join([&] { m.attend(); }, [&] { m.attend(); });
           },
           [] { std::this_thread::sleep_for(200us); });
     }},
};

/// Two long tasks must overlap. The tasks take 100 ms of virtual time, because other programs may use the real machine.
void two_long_tasks_overlap(const char* policy, std::int64_t park_after_us, skua::continuation continuation) {
  constexpr double leaf_s = 0.1, ghz = 2.5;
  skua::scheduler pool({.workers = 2,
                        .policy = policy,
                        .park_after_us = park_after_us,
                        .continuation = continuation,
                        .simulate = skua::simulation{.machine = "opteron-8380-4s"}});
  const auto seconds = [&](auto run) {
    const double before = pool.simulated().seconds;
    pool.run(run);
    return pool.simulated().seconds - before;
  };
  const auto leaf = [] { skua::costs(leaf_s * ghz * 1e9); };
  const double fork = seconds([&] {
    tiny_fork();
    skua::join(leaf, leaf);
  });
  const double loop = seconds([&] {
    tiny_fork();
    skua::parallel_for(0, 2, [&](int) { leaf(); });
  });
  std::printf("two tasks of 100 ms: fork %.1f ms, loop %.1f ms\n", fork * 1e3, loop * 1e3);
  if (fork > 1.3 * leaf_s || loop > 1.3 * leaf_s || fork < leaf_s || loop < leaf_s) {
    std::fprintf(stderr, "two tasks of 100 ms did not overlap\n");
    std::exit(1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int repeats = argc > 1 && std::strcmp(argv[1], "full") == 0 ? 2000 : 200;
  std::minstd_rand random(1);
  for (const auto continuation : {skua::continuation::home, skua::continuation::free})
    for (const char* policy : {"nearest", "random"})
      for (const std::int64_t park_after_us : {0, 50, 200}) {
        skua::scheduler two({.workers = 2,
                             .policy = policy,
                             .topology = skua::topology::synthetic("core:2 pu:1"),
                             .park_after_us = park_after_us,
                             .continuation = continuation});
        skua::scheduler four({.workers = 4,
                              .policy = policy,
                              .topology = skua::topology::synthetic("package:2 core:2 pu:1"),
                              .park_after_us = park_after_us,
                              .continuation = continuation});
        for (int i = 0; i < repeats / 10; ++i)
          for (const pattern& p : patterns) {
            // The delay varies, so the other workers are searching, about to sleep, or asleep.
            if (random() % 3) std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
            meeting m(p.leaves);
            (p.leaves == 2 && random() % 2 ? two : four).run([&] { p.run(m); });
            if (meeting::failed) {
              std::fprintf(stderr,
                           "%s, policy %s, park after %lld us, %s: a leaf waited for two minutes though "
                           "workers were idle\n",
                           p.name, policy, static_cast<long long>(park_after_us),
                           continuation == skua::continuation::home ? "home" : "free");
              return 1;
            }
          }
        two_long_tasks_overlap(policy, park_after_us, continuation);
      }
  std::puts("no worker starved");
}
