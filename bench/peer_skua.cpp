// The skua contender.
#include <memory>

// clang-format off: the runtime must come first
#include "skua_runtime.hpp"
#include "forks.hpp"
// clang-format on
#include "simulated_loops.hpp"
#include "suite.hpp"

namespace {

std::int64_t fib(skua::task_context& w, std::int64_t n) {
  if (n < 2) return n;
  auto [a, b] = skua::join(
      w, [=](skua::task_context& on) { return fib(on, n - 1); },
      [=](skua::task_context& on) { return fib(on, n - 2); });
  return a + b;
}

std::int64_t fib_with_worker(std::int64_t n) {
  std::int64_t value = 0;
  skua::join([&](skua::task_context& w) { value = fib(w, n); }, [] {});  // gives the first context
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<bench::suite<bench::runtime>> suite;
  return bench::peer_main(
      argc, argv, BENCH_PEER,
      [&](const bench::request& asked) {
        suite = std::make_unique<bench::suite<bench::runtime>>(asked.workers);
        auto kernels = suite->kernels();
        kernels["fib_worker"] = {32,
                                 [&](const bench::request& r) { return suite->run_fib(r, fib_with_worker); }};
        kernels["simulated_loops"] = {64, bench::run_simulated_loops};
        return kernels;
      },
      [] {
        const skua::counters total = skua::default_scheduler().report().total;
        return bench::steal_counts{static_cast<std::int64_t>(total.steals),
                                   static_cast<std::int64_t>(total.remote_steals)};
      });
}
