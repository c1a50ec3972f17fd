// The oneTBB runtime.
#pragma once

#include <oneapi/tbb.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

namespace bench {

namespace tbb = oneapi::tbb;

struct runtime {
  explicit runtime(int workers)
      : limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers)) {}

  template <class F>
  void enter(F f) {
    f();
  }
  template <class F, class G>
  static auto join(F f, G g) {
    struct {
      decltype(f()) first;
      decltype(g()) second;
    } both;
    tbb::parallel_invoke([&] { both.first = f(); }, [&] { both.second = g(); });
    return both;
  }
  template <class F, class G>
  static void both(F f, G g) {
    tbb::parallel_invoke(f, g);
  }
  template <class Body>
  static void children(std::int64_t n, Body body) {
    tbb::parallel_for(std::int64_t{0}, n, body);
  }
  template <class Body>
  static void tasks(std::int64_t n, Body body) {
    tbb::task_group group;
    for (std::int64_t i = 0; i < n; ++i) group.run([i, &body] { body(i); });
    group.wait();
  }
  template <class Body>
  void loop(std::int64_t n, Body body) {
    tbb::parallel_for(std::int64_t{0}, n, body);
  }
  template <class Map>
  std::int64_t reduce(std::int64_t n, Map map) {
    return tbb::parallel_reduce(
        tbb::blocked_range<std::int64_t>(0, n), std::int64_t{0},
        [&](const auto& range, std::int64_t sum) {
          for (std::int64_t i = range.begin(); i != range.end(); ++i) sum += map(i);
          return sum;
        },
        std::plus<>{});
  }
  template <class Body>
  void rendezvous(Body body) {
    tbb::parallel_for(0, 2, [&](int) { body(); }, tbb::simple_partitioner());
  }
  struct sweep {
    explicit sweep(runtime&) {}
    tbb::affinity_partitioner memory = {};
    template <class Body>
    void rows(std::int64_t first, std::int64_t last, std::int64_t grain, Body body) {
      tbb::parallel_for(
          tbb::blocked_range<std::int64_t>(first, last, static_cast<std::size_t>(grain)),
          [&](const auto& range) { body(range.begin(), range.end()); }, memory);
    }
  };

  struct group {
    template <class F>
    void run(F f) {
      tasks.run(std::move(f));
    }
    void wait() { tasks.wait(); }
    tbb::task_group tasks = {};
  };
  template <class T>
  class local {
   public:
    T& here() { return values_.local(); }
    template <class F>
    void for_each(F f) {
      for (T& value : values_) f(value);
    }

   private:
    tbb::enumerable_thread_specific<T> values_;
  };

  tbb::global_control limit;
};

}  // namespace bench
