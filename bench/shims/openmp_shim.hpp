// The OpenMP shim: tasks for forks, worksharing for loops outside of tasks, taskloop inside. Loops use OpenMP's
// schedule(runtime), so static and dynamic schedules are two contenders.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace shim {

inline bool inside() { return omp_get_level() > 0; }

template <class F>
void enter(F&& f) {
  if (inside()) return f();
#pragma omp parallel
#pragma omp single
  f();
}

template <class F, class G>
void both(F&& f, G&& g) {
  enter([&] {
#pragma omp task shared(f)
    f();
    g();
#pragma omp taskwait
  });
}

template <class Body>
void indices(std::size_t n, const Body& body) {
  const std::uint64_t count = n;
  if (inside()) {
#pragma omp taskloop grainsize(1) shared(body)
    for (std::uint64_t i = 0; i < count; ++i) body(static_cast<std::size_t>(i));
  } else {
#pragma omp parallel for schedule(runtime)
    for (std::uint64_t i = 0; i < count; ++i) body(static_cast<std::size_t>(i));
  }
}

template <class I, class Body>
void ranges(I first, I last, std::size_t grain, const Body& body) {
  const auto n = static_cast<std::size_t>(last - first);
  // If the program gives no grain: four parts for each thread.
  if (grain == 0) grain = std::max<std::size_t>(n / (4 * static_cast<std::size_t>(omp_get_max_threads())), 1);
  indices((n + grain - 1) / grain, [&](std::size_t block) {
    body(static_cast<I>(first + static_cast<I>(block * grain)),
         static_cast<I>(first + static_cast<I>(std::min(n, (block + 1) * grain))));
  });
}

template <class T, class Map, class Combine>
T reduce(std::size_t n, const T& identity, const Map& map, Combine&& combine) {
  const std::size_t parts = std::min(n, 4 * static_cast<std::size_t>(omp_get_max_threads()));
  std::vector<T> sums(parts, identity);
  indices(parts, [&](std::size_t part) {
    T sum = identity;
    for (std::size_t i = n * part / parts; i < n * (part + 1) / parts; ++i)
      sum = combine(std::move(sum), map(i));
    sums[part] = std::move(sum);
  });
  T all = std::move(sums[0]);
  for (std::size_t part = 1; part < parts; ++part) all = combine(std::move(all), std::move(sums[part]));
  return all;
}

/// Outside of tasks a group runs its tasks one by one. No compared workload has a group there.
class group {
 public:
  template <class F>
  void run(F f) {
#pragma omp task firstprivate(f)
    {
      f();
#pragma omp taskwait
    }
  }
  void wait() {
#pragma omp taskwait
  }
};

template <class T>
class local {
 public:
  T& here() { return values_[static_cast<std::size_t>(omp_get_thread_num())].value; }
  template <class F>
  void for_each(F f) {
    for (slot& s : values_) f(s.value);
  }

 private:
  struct alignas(64) slot {
    T value{};
  };
  std::vector<slot> values_ = std::vector<slot>(static_cast<std::size_t>(omp_get_max_threads()));
};

/// Calls f with this many workers.
template <class F>
void on(int workers, F&& f) {
  omp_set_dynamic(0);
  omp_set_num_threads(workers);
#ifdef SHIM_DYNAMIC
  omp_set_schedule(omp_sched_dynamic, 1);
#else
  omp_set_schedule(omp_sched_static, 0);
#endif
  f();
}

}  // namespace shim
