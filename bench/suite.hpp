// Times and checks the programs of programs.hpp for one runtime: a table of kernels for peer_main.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "programs.hpp"
#include "protocol.hpp"

namespace bench {

/// Tells the processor that this is a spin loop.
inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

template <class R>
class suite {
 public:
  explicit suite(int workers) : runtime_(workers) {}

  std::map<std::string, kernel> kernels() {
    return {
        {"fib", {32, [this](const request& r) { return run_fib(r); }}},
        {"fib_memory", {32, [this](const request& r) { return run_fib(r); }}},
        {"tree_sum", {24, [this](const request& r) { return run_tree(r); }}},
        {"skynet_loop", {10'000'000, [this](const request& r) { return run_skynet(r, skynet_loop<R>); }}},
        {"skynet_tasks", {10'000'000, [this](const request& r) { return run_skynet(r, skynet_tasks<R>); }}},
        {"queens", {13, [this](const request& r) { return run_queens(r); }}},
        {"two_tasks", {100'000, [this](const request& r) { return run_two_tasks(r); }}},
        {"two_iterations", {100'000, [this](const request& r) { return run_two_iterations(r); }}},
        {"many_tasks", {10'000, [this](const request& r) { return run_many_tasks(r); }}},
        {"many_iterations", {10'000, [this](const request& r) { return run_many_iterations(r); }}},
        {"triad", {1'000'000, [this](const request& r) { return run_triad(r); }}},
        {"rendezvous", {20'000, [this](const request& r) { return run_rendezvous(r); }}},
        {"call_join", {2, [this](const request& r) { return run_call_join(r); }}},
        {"call_group", {1000, [this](const request& r) { return run_call_group(r); }}},
        {"call_groups", {32, [this](const request& r) { return run_call_groups(r); }}},
        {"call_loop", {100, [this](const request& r) { return run_call_loop(r); }}},
        {"call_reduce", {100, [this](const request& r) { return run_call_reduce(r); }}},
        {"call_work", {1000, [this](const request& r) { return run_call_work(r); }}},
        {"heat", {2048, [this](const request& r) { return run_heat(r); }}},
        {"mergesort", {std::int64_t{1} << 24, [this](const request& r) { return run_mergesort(r); }}},
        {"matmul", {2048, [this](const request& r) { return run_matmul(r); }}},
        {"word_count", {1, [this](const request& r) { return run_word_count(r); }}}};
  }

  R& runtime() { return runtime_; }

  /// For another version of fib (with the worker passed along).
  template <class Fib>
  outcome run_fib(const request& asked, Fib fib_of) {
    std::int64_t value = 0;
    outcome result;
    result.seconds = measure(asked, [&] { runtime_.enter([&] { value = fib_of(asked.size); }); });
    result.units = static_cast<double>(fib_value(asked.size + 1) - 1);  // forks: calls with n >= 2
    return checked(result, value, fib_value(asked.size));
  }

 private:
  static outcome checked(outcome result, std::int64_t value, std::int64_t expected) {
    result.check = std::to_string(value);
    result.verified = value == expected;
    return result;
  }

  outcome run_fib(const request& asked) { return run_fib(asked, fib<R>); }

  outcome run_tree(const request& asked) {
    const bench_node* root = bench_tree_build(static_cast<int>(asked.size));
    std::int64_t sum = 0;
    outcome result;
    result.seconds = measure(asked, [&] { runtime_.enter([&] { sum = tree_sum<R>(root); }); });
    bench_tree_free(root);
    const std::int64_t nodes = (std::int64_t{1} << asked.size) - 1;
    result.units = static_cast<double>(nodes);
    return checked(result, sum, nodes * (nodes + 1) / 2);
  }

  outcome run_skynet(const request& asked, std::int64_t (*skynet)(std::int64_t, std::int64_t)) {
    std::int64_t sum = 0;
    outcome result;
    result.seconds = measure(asked, [&] { runtime_.enter([&] { sum = skynet(0, asked.size); }); });
    result.units = static_cast<double>(asked.size);
    return checked(result, sum, asked.size * (asked.size - 1) / 2);
  }

  outcome run_queens(const request& asked) {
    std::int64_t solutions = 0;
    outcome result;
    result.seconds = measure(asked, [&] {
      runtime_.enter([&] { solutions = queens<R>(placed{}, static_cast<int>(asked.size), 0, 0); });
    });
    return checked(result, solutions, bench_queens_solutions(static_cast<int>(asked.size)));
  }

  outcome run_two_tasks(const request& asked) {
    std::atomic<std::int64_t> ran = 0;
    const auto tiny = [&] { ran += 1; };
    const auto task = [&] {
      bench_spin_us(asked.size);
      ran += 1000;
    };
    outcome result;
    result.seconds = measure(asked, [&] {
      runtime_.enter([&] {
        R::both(tiny, tiny);
        R::both(task, task);
      });
    });
    return checked(result, ran, 2002 * (asked.repeat + 1));
  }

  outcome run_two_iterations(const request& asked) {
    std::atomic<std::int64_t> ran = 0;
    outcome result;
    result.seconds = measure(asked, [&] {
      runtime_.loop(2, [&](std::int64_t i) {
        bench_spin_us(asked.size);
        ran += i + 1;
      });
    });
    return checked(result, ran, 3 * (asked.repeat + 1));
  }

  outcome run_many_tasks(const request& asked) {
    std::atomic<std::int64_t> ran = 0;
    outcome result;
    result.seconds = measure(asked, [&] {
      runtime_.enter([&] {
        R::tasks(64, [&](std::int64_t i) {
          bench_spin_us(asked.size);
          ran += i;
        });
      });
    });
    return checked(result, ran, 2016 * (asked.repeat + 1));
  }

  outcome run_many_iterations(const request& asked) {
    std::atomic<std::int64_t> ran = 0;
    outcome result;
    result.seconds = measure(asked, [&] {
      runtime_.loop(64, [&](std::int64_t i) {
        bench_spin_us(asked.size);
        ran += i;
      });
    });
    return checked(result, ran, 2016 * (asked.repeat + 1));
  }

  outcome run_triad(const request& asked) {
    const std::int64_t n = asked.size;
    std::vector<int> to(static_cast<std::size_t>(n)), from(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) from[static_cast<std::size_t>(i)] = static_cast<int>(i % 1000);
    outcome result;
    result.seconds = measure(asked, 200, [] {}, [&] { triad(to.data(), from.data(), n); });
    result.units = static_cast<double>(n);
    std::int64_t sum = 0, expected = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      sum += to[static_cast<std::size_t>(i)] * (i + 1);
      expected += ((i % 1000) * 2 + 1) * (i + 1);
    }
    return checked(result, sum, expected);
  }

  /// Must be a call, otherwise the compiler of the serial program exchanges it with the loop that repeats it.
  [[gnu::noinline]] void triad(int* a, const int* b, std::int64_t n) {
    runtime_.loop(n, [=](std::int64_t i) { a[i] = b[i] * 2 + 1; });
  }

  outcome run_rendezvous(const request& asked) {
    if (asked.workers < 2) throw std::invalid_argument("rendezvous needs --workers of at least 2");
    alignas(128) std::atomic<std::int64_t> arrived = 0;
    const auto meet = [&] {
      const std::int64_t here = arrived.fetch_add(1) + 1;
      const std::int64_t both_here = here + here % 2;
      while (arrived.load(std::memory_order_acquire) < both_here) pause();
    };
    outcome result;
    const int loops = static_cast<int>(asked.size);
    result.seconds = measure(asked, loops, [] {}, [&] { runtime_.rendezvous(meet); });
    return checked(result, arrived, 2 * asked.size * (asked.repeat + 1));
  }

  // Threads that are not workers make calls one after the other. The runtime has nothing to gain from such a call.

  /// `asked.threads` threads, including main, call at once: call(ran), where each thread has its own `ran`; with 0 a task
  /// calls. Each call adds `each` to the sum of these numbers. A sample is the time of all calls divided by their number, and
  /// long enough for the threads to meet.
  template <class Call>
  outcome run_calls(const request& asked, std::int64_t numbers, std::int64_t each, Call call) {
    constexpr double long_enough = 0.02;
    std::int64_t calls = 1, made = 0;  // of each thread
    bool ended = false;
    std::atomic<std::int64_t> sum = 0;
    const int threads = std::max(1, asked.threads);
    std::barrier<> meet(threads);
    using counts = std::vector<int>;
    const auto take_part = [&](counts& ran) {
      meet.arrive_and_wait();
      if (ended) return sum += std::accumulate(ran.begin(), ran.end(), std::int64_t{0}), false;
      for (std::int64_t i = 0; i < calls; ++i) {
        call(ran);
        asm volatile("" ::: "memory");  // the compiler must not exchange this loop with one in the call
      }
      meet.arrive_and_wait();
      return true;
    };
    const auto empty = [&] { return counts(static_cast<std::size_t>(numbers)); };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads; ++t)
      others.emplace_back([&] {
        counts ran = empty();
        while (take_part(ran)) {
        }
      });
    counts ran = empty();
    const auto sample = [&] {
      const std::int64_t start = bench_now_ns();
      if (asked.threads == 0)
        in_task([&] { take_part(ran); });
      else
        take_part(ran);
      made += calls;
      return static_cast<double>(bench_now_ns() - start) * 1e-9;
    };
    while (std::min(sample(), sample()) < long_enough)
      calls *= 2;  // two, since one may have waited for a CPU
    outcome result;
    for (int round = 0; round < asked.repeat; ++round)
      result.seconds.push_back(sample() / static_cast<double>(calls * threads));
    ended = true;
    take_part(ran);
    others.clear();
    return checked(result, sum, each * made * threads);
  }

  template <class F>
  void in_task(F f) {
    if constexpr (requires { runtime_.in_task(f); })
      runtime_.in_task(f);
    else
      throw std::invalid_argument("--threads 0, a task that calls, is for skua only");
  }

  outcome run_call_join(const request& asked) {
    return run_calls(asked, 2, 2, [this](std::vector<int>& ran) {
      runtime_.enter([&] { R::both([&] { ++ran[0]; }, [&] { ++ran[1]; }); });
    });
  }

  outcome run_call_group(const request& asked) {
    outcome result = run_calls(asked, 1, 1, [&](std::vector<int>& ran) {
      runtime_.enter([&] {
        R::tasks(asked.size, [&](std::int64_t i) {
          if (i == 0) ++ran[0];
        });
      });
    });
    result.units = static_cast<double>(asked.size);
    return result;
  }

  outcome run_call_groups(const request& asked) {
    outcome result = run_calls(asked, asked.size, asked.size, [&](std::vector<int>& ran) {
      runtime_.enter([&] {
        R::tasks(asked.size, [&](std::int64_t i) {
          R::tasks(asked.size, [&ran, i](std::int64_t j) {
            if (j == 0) ++ran[static_cast<std::size_t>(i)];
          });
        });
      });
    });
    result.units = static_cast<double>(asked.size * (asked.size + 1));
    return result;
  }

  outcome run_call_loop(const request& asked) {
    return run_calls(asked, asked.size, asked.size, [&](std::vector<int>& ran) {
      runtime_.loop(asked.size, [&](std::int64_t i) { ++ran[static_cast<std::size_t>(i)]; });
    });
  }

  outcome run_call_reduce(const request& asked) {
    const std::int64_t positions = asked.size * (asked.size - 1) / 2;
    return run_calls(asked, asked.size, 1, [=, this](std::vector<int>& ran) {
      const std::int64_t before = ran[0];
      const std::int64_t sum =
          runtime_.reduce(asked.size, [&](std::int64_t i) { return i + ran[static_cast<std::size_t>(i)]; });
      if (sum == before + positions) ++ran[0];
    });
  }

  outcome run_call_work(const request& asked) {
    std::int64_t each = 0;
    for (int i = 0; i < asked.size; ++i) each += bench_compute(i);
    return run_calls(asked, asked.size, each, [&](std::vector<int>& ran) {
      runtime_.loop(asked.size, [&](std::int64_t i) {
        ran[static_cast<std::size_t>(i)] += bench_compute(static_cast<int>(i));
      });
    });
  }

  outcome run_heat(const request& asked) {
    const std::int64_t n = asked.size, steps = n >= 2048 ? 200 : 100;
    std::vector<double> even(static_cast<std::size_t>(n * n), 0.0), odd(even);
    outcome result;
    result.seconds = measure(
        asked, 1, [&] { bench_heat_init(even.data(), n); },
        [&] {
          double *from = even.data(), *to = odd.data();
          typename R::sweep sweep(runtime_);
          for (std::int64_t step = 0; step < steps; ++step) {
            sweep.rows(1, n - 1, heat_rows, [=](std::int64_t first, std::int64_t last) {
              bench_heat_rows(from, to, n, first, last);
            });
            std::swap(from, to);
          }
        });
    result.units = static_cast<double>((n - 2) * (n - 2) * steps);
    result.check = std::to_string(bench_hash_doubles(even.data(), n * n));
    result.verified = bench_heat_check(even.data(), n, steps);
    return result;
  }

  outcome run_mergesort(const request& asked) {
    const std::int64_t n = asked.size;
    std::vector<std::uint32_t> keys(static_cast<std::size_t>(n)), other(keys);
    outcome result;
    result.seconds = measure(
        asked, 1, [&] { bench_keys_init(keys.data(), n); },
        [&] { runtime_.enter([&] { mergesort<R>(keys.data(), other.data(), n); }); });
    result.units = static_cast<double>(n);
    result.check = std::to_string(bench_hash_keys(keys.data(), n));
    result.verified = bench_keys_check(keys.data(), n);
    return result;
  }

  outcome run_matmul(const request& asked) {
    const std::int64_t n = asked.size;
    if (n < bench_matmul_leaf_size || (n & (n - 1)) != 0)
      throw std::invalid_argument("matmul needs a --size that is a power of two of at least 64");
    const auto cells = static_cast<std::size_t>(n * n);
    std::vector<double> a(cells), b(cells), c(cells);
    bench_matrix_init(a.data(), n, 0);
    bench_matrix_init(b.data(), n, 1);
    outcome result;
    result.seconds = measure(
        asked, 1, [&] { std::fill(c.begin(), c.end(), 0.0); },
        [&] { runtime_.enter([&] { matmul<R>(a.data(), b.data(), c.data(), n, n); }); });
    result.units = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
    result.check = std::to_string(bench_hash_doubles(c.data(), n * n));
    result.verified = bench_matmul_check(a.data(), b.data(), c.data(), n);
    return result;
  }

  outcome run_word_count(const request& asked) {
    std::vector<std::string> roots = asked.roots;
    if (roots.empty()) roots = {"/usr/include", "/usr/share/common-licenses"};
    word_counts counts;
    outcome result;
    const std::string expected = asked.expected.empty() ? sequential_answer(roots) : asked.expected;
    runtime_.enter([] {
      R::both([] {}, [] {});
    });  // warms up the runtime; the sequential pass has put the files into the cache
    result.seconds = measure_warm(asked, 1, [] {}, [&] { counts = word_count<R>()(runtime_, roots); });
    result.units = static_cast<double>(counts.total());
    result.check = counts.summary();
    result.verified = result.check == expected;
    return result;
  }

  static std::string sequential_answer(const std::vector<std::string>& roots) {
    word_counts counts;
    for (const std::string& root : roots) count_sequentially(root, counts);
    return counts.summary();
  }

  R runtime_;
};

}  // namespace bench
