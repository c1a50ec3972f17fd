// fib: computes the n-th Fibonacci number by its definition.
//
// Tasks: every call with n >= 2 forks once, without a cut-off, so the time is almost only the cost of forks. The tree
// is lopsided, but easy to balance for any scheme.
// Paper: none. It is the oldest example of the field (Cilk, 1995) and the strictest measure of overhead.
#include <utility>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"

namespace workloads {
namespace {

std::int64_t fib_sequential(std::int64_t n) {
  return n < 2 ? n : fib_sequential(n - 1) + fib_sequential(n - 2);
}

std::int64_t fib(std::int64_t n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

std::int64_t fib_by_iteration(std::int64_t n) {
  std::int64_t here = 0, next = 1;
  for (; n > 0; --n) here = std::exchange(next, here + next);
  return here;
}

class fib_program : public program {
 public:
  explicit fib_program(const parameters& asked) : n_(asked.number("n", asked.pick(27, 38, 42), 0, 60)) {}
  void prepare() override { answer_ = -1; }
  void sequential() override { answer_ = fib_sequential(n_); }
  void parallel() override { answer_ = fib(n_); }
  answer_check verify() override {
    const std::int64_t expected = fib_by_iteration(n_);
    const std::string call = "fib(" + std::to_string(n_) + ") = ";
    if (answer_ == expected) return {true, call + std::to_string(answer_)};
    return {false, call + std::to_string(expected) + ", but the answer was " + std::to_string(answer_)};
  }
  void flip_one() override { answer_ ^= 1; }

 private:
  std::int64_t n_;
  std::int64_t answer_ = -1;
};

}  // namespace

extern const workload fib_workload{
    .name = "fib",
    .summary = "Fibonacci by its definition, one fork for each call: measures the cost of forks",
    .ci = "n = 27",
    .med = "n = 38",
    .paper = "n = 42 (next to no memory)",
    .options = {{"n", "0 .. 60", "index of the Fibonacci number"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<fib_program>(asked);
    }};

}  // namespace workloads
