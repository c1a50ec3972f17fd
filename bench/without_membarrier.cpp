// The cost of a fork where the kernel refuses membarrier(2): fib with the call, under a seccomp filter that refuses it, and
// under that filter with the policy chase_lev, whose forks need no membarrier. In turns, each run in a process of its own.
// Prints the minimum nanoseconds per fork of all rounds, and the ratios to the first.
//
//   build/release/bench/without_membarrier [ROUNDS]     (default: 7)
#include <sys/wait.h>
#include <unistd.h>

#include <skua/skua.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "forbid_membarrier.hpp"

namespace {

constexpr int size = 30;
constexpr double forks = 1'346'268;  // of fib(30)

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

double ns_a_fork(int workers, const char* policy) {
  skua::scheduler pool({.workers = workers, .policy = policy});
  pool.run([] { return fib(size - 6); });  // warms up
  const auto begin = std::chrono::steady_clock::now();
  if (pool.run([] { return fib(size); }) != 832'040) std::abort();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / forks;
}

/// Measures in a copy of this process, because a filter stays for ever. Negative: there are no filters here.
double measured(int workers, bool refused, const char* policy) {
  int channel[2];
  if (pipe(channel) != 0) return -1;
  const pid_t copy = fork();
  if (copy == 0) {
    double ns = -1;
    if (!refused || forbid_membarrier(true)) ns = ns_a_fork(workers, policy);
    std::_Exit(write(channel[1], &ns, sizeof ns) == sizeof ns ? 0 : 1);
  }
  double ns = -1;
  close(channel[1]);
  if (read(channel[0], &ns, sizeof ns) != sizeof ns) ns = -1;
  close(channel[0]);
  waitpid(copy, nullptr, 0);
  return ns;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
  for (const int workers : {1, 2}) {
    double with = 1e9, without = 1e9, chase_lev = 1e9;
    for (int i = 0; i < rounds; ++i) {
      const double one = measured(workers, false, "nearest"), other = measured(workers, true, "nearest"),
                   third = measured(workers, true, "chase_lev");
      if (one < 0 || other < 0 || third < 0) {
        std::puts("this kernel takes no filters for system calls");
        return 1;
      }
      with = std::min(with, one);
      without = std::min(without, other);
      chase_lev = std::min(chase_lev, third);
    }
    std::printf(
        "%d worker%s: %.2f ns a fork; without membarrier %.1f ns, %.1f times; then with chase_lev %.1f ns, "
        "%.1f times\n",
        workers, workers == 1 ? "" : "s", with, without, without / with, chase_lev, chase_lev / with);
  }
}
