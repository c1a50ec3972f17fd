// OpenMP: tasks for forks, worksharing loops for loops. Built with gcc for libgomp and with clang for libomp.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bench {

struct runtime {
  explicit runtime(int workers) {
    omp_set_dynamic(0);
    omp_set_num_threads(workers);
  }

  template <class F>
  void enter(F f) {
#pragma omp parallel
#pragma omp single
    f();
  }
  template <class F, class G>
  static auto join(F f, G g) {
    struct {
      decltype(f()) first;
      decltype(g()) second;
    } both;
#pragma omp task shared(both, f)
    both.first = f();
    both.second = g();
#pragma omp taskwait
    return both;
  }
  template <class F, class G>
  static void both(F f, G g) {
#pragma omp task shared(f)
    f();
    g();
#pragma omp taskwait
  }
  template <class Body>
  static void children(std::int64_t n, Body body) {
    const auto count =
        static_cast<std::uint64_t>(n);  // for a signed loop clang warns about code that it generates
#pragma omp taskloop grainsize(1) shared(body)
    for (std::uint64_t i = 0; i < count; ++i) body(static_cast<std::int64_t>(i));
  }
  template <class Body>
  static void tasks(std::int64_t n, Body body) {
    for (std::int64_t i = 0; i < n; ++i) {
#pragma omp task firstprivate(i) shared(body)
      body(i);
    }
#pragma omp taskwait
  }
  template <class Body>
  void loop(std::int64_t n, Body body) {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) body(i);
  }
  template <class Map>
  std::int64_t reduce(std::int64_t n, Map map) {
    std::int64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::int64_t i = 0; i < n; ++i) sum += map(i);
    return sum;
  }
  template <class Body>
  void rendezvous(Body body) {
#pragma omp parallel for schedule(static, 1) num_threads(2)
    for (int i = 0; i < 2; ++i) body();
  }
  struct sweep {
    explicit sweep(runtime&) {}
    template <class Body>
    void rows(std::int64_t first, std::int64_t last, std::int64_t grain, Body body) {
      const std::int64_t blocks = (last - first + grain - 1) / grain;
#pragma omp parallel for schedule(static)
      for (std::int64_t block = 0; block < blocks; ++block)
        body(first + block * grain, std::min(first + (block + 1) * grain, last));
    }
  };
  struct group {
    template <class F>
    void run(F f) {
#pragma omp task firstprivate(f)
      f();
    }
    void wait() {}  // the end of the parallel region waits for all tasks
  };
  template <class T>
  class local {
   public:
    local() : values_(static_cast<std::size_t>(omp_get_max_threads())) {}
    T& here() { return values_[static_cast<std::size_t>(omp_get_thread_num())]; }
    template <class F>
    void for_each(F f) {
      for (T& value : values_) f(value);
    }

   private:
    std::vector<T> values_;
  };
};

}  // namespace bench
