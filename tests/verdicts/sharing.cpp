// Tasks that write shared data: under a skua::mutex, under a lock that skua does not know, or without a lock.
#include <array>
#include <atomic>
#include <mutex>

#include "program.hpp"

namespace limited {

namespace {

/// The amount of work does not depend on the number of workers.
void many_times(std::size_t size, const auto& body) {
  skua::parallel_for(std::size_t{0}, 100'000 * size, [&](std::size_t i) { body(i); });
}

std::atomic<std::size_t> last_sum{0};

class spin_lock {
 public:
  void lock() {
    while (locked_.exchange(true, std::memory_order_acquire))
      while (locked_.load(std::memory_order_relaxed)) {
      }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

template <class Lock>
void count_behind(std::size_t size) {
  Lock one_at_a_time;
  std::size_t sum = 0;
  many_times(size, [&](std::size_t i) {
    const std::lock_guard lock(one_at_a_time);
    sum += i;
  });
  last_sum = sum;
}

}  // namespace

/// In a simulation, a quarter of the tasks shows the same limit.
void tasks_behind_a_mutex(std::size_t size) {
  skua::mutex one_at_a_time;
  const std::size_t tasks_a_worker = skua::default_scheduler().is_simulated() ? 5 : 20;
  skua::parallel_for(
      std::size_t{0}, tasks_a_worker * size * workers(),
      [&](std::size_t) {
        const std::lock_guard lock(one_at_a_time);
        compute(200);
      },
      skua::loop{.grain = 1});
}

void short_mutex(std::size_t size) { count_behind<skua::mutex>(size); }
void short_std_mutex(std::size_t size) { count_behind<std::mutex>(size); }
void spinlock(std::size_t size) { count_behind<spin_lock>(size); }

void one_counter_for_all(std::size_t size) {
  std::atomic<std::size_t> sum{0};
  many_times(size, [&](std::size_t i) { sum.fetch_add(i, std::memory_order_relaxed); });
}

/// The tasks write different counters, but the counters share a cache line.
void falsely_shared_lines(std::size_t size) {
  alignas(64) std::array<std::atomic<std::size_t>, 8> sums{};
  skua::parallel_for(
      std::size_t{0}, 100 * size,
      [&](std::size_t i) {
        std::atomic<std::size_t>& own = sums[i % sums.size()];
        for (int k = 0; k < 5000; ++k)
          own.store(own.load(std::memory_order_relaxed) + i, std::memory_order_relaxed);
      },
      skua::loop{.grain = 1});
}

}  // namespace limited
