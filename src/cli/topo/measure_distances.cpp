#include "cli/topo/measure_distances.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "base/bind_thread.hpp"
#include "core/platform/platform.hpp"

namespace skua::cli {
namespace {

using platform = core::host_platform;

constexpr std::size_t passes = 11;
constexpr std::uint32_t warm_up_rounds = 200, rounds = 1000;
constexpr std::uint32_t unready = UINT32_MAX - 1, failed = UINT32_MAX;

// Nothing else is in this line or in its neighbour, which processors often prefetch.
struct alignas(128) line {
  std::atomic<std::uint32_t> ball{unready};
};

/// Returns false where the other thread failed. Yields after a while: the other thread may need this CPU.
bool wait_for(const line& shared, std::uint32_t value) {
  for (std::uint32_t looks = 1;; ++looks) {
    // Pairs with the release store of the other thread.
    const std::uint32_t seen = shared.ball.load(std::memory_order_acquire);
    if (seen == value) return true;
    if (seen == failed) return false;
    if (looks % (1 << 16) == 0) std::this_thread::yield();
  }
}

// The ball counts up: the caller makes it odd, the other thread even.
void answer(line& shared, std::uint32_t cpu) {
  std::uint32_t expected = unready;  // unless the caller has failed
  if (!base::bind_this_thread(cpu) || !shared.ball.compare_exchange_strong(expected, 0))
    return shared.ball.store(failed, std::memory_order_release);
  for (std::uint32_t round = 0; round < warm_up_rounds + rounds; ++round) {
    if (!wait_for(shared, 2 * round + 1)) return;
    shared.ball.store(2 * round + 2, std::memory_order_release);
  }
}

bool call(line& shared, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t round = first; round < end; ++round) {
    shared.ball.store(2 * round + 1, std::memory_order_release);
    if (!wait_for(shared, 2 * round + 2)) return false;
  }
  return true;
}

/// Nanoseconds one way; negative where a thread could not be bound.
double one_pass(std::uint32_t cpu, std::uint32_t other_cpu) {
  const auto shared = std::make_unique<line>();  // at another address each time, since it matters
  double nanoseconds = -1;
  std::thread other([&] { answer(*shared, other_cpu); });
  std::thread caller([&] {
    if (!base::bind_this_thread(cpu)) return shared->ball.store(failed, std::memory_order_release);
    if (!wait_for(*shared, 0) || !call(*shared, 0, warm_up_rounds)) return;
    const auto start = std::chrono::steady_clock::now();
    if (!call(*shared, warm_up_rounds, warm_up_rounds + rounds)) return;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    nanoseconds = took.count() / (2.0 * rounds);
  });
  caller.join();
  other.join();
  return nanoseconds;
}

}  // namespace

distances_found measure_distances(const topology& host, const std::function<void(double)>& progress) {
  distances_found found{.median = detail::unmeasured(host), .min = {}};
  const auto& cores = found.median.cores;
  const std::size_t count = cores.size(), pairs = count * (count - 1) / 2;
  if (pairs == 0)
    throw bad_input("nothing can be measured: this process may use only one core; allowed: at least two");
  std::vector<std::vector<double>> times(count * count);
  std::size_t done = 0;
  for (std::size_t pass = 0; pass < passes; ++pass) {
    for (std::size_t a = 0; a < count; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const double time = one_pass(cores[a].cpus.front(), cores[b].cpus.front());
        if (time <= 0)
          throw bad_input(fmt::format(
              "nothing can be measured: the kernel does not bind threads to CPUs {} and {}; allowed: a "
              "machine where sched_setaffinity(2) works",
              cores[b].cpus.front(), cores[a].cpus.front()));
        times[a * count + b].push_back(time);
        progress(static_cast<double>(++done) / static_cast<double>(passes * pairs));
      }
    }
  }
  found.min.assign(count * count, 0.0);
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      std::vector<double>& all = times[a * count + b];
      std::ranges::sort(all);
      found.median.set(a, b, all[passes / 2]);
      found.min[a * count + b] = found.min[b * count + a] = all.front();
    }
  }
  return found;
}

}  // namespace skua::cli
