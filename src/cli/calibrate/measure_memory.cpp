#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <new>
#include <numeric>
#include <string>
#include <thread>

#include "base/bind_thread.hpp"
#include "base/random.hpp"
#include "cli/calibrate/calibrate.hpp"
#include "core/platform/platform.hpp"
#include "topology/cgroup.hpp"

namespace skua::cli {
namespace {

using platform = core::host_platform;

constexpr std::size_t line = 64, page = 4096, piece = std::size_t{512} << 10;

/// Touched memory. Large pages keep page walks out of the latencies.
class memory_area {
 public:
  memory_area(std::size_t bytes, bool large_pages) : bytes_(bytes) {
    void* const got =
        mmap(nullptr, bytes_ + large, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED) throw std::bad_alloc();
    whole_ = static_cast<std::byte*>(got);
    begin_ = whole_ + (large - reinterpret_cast<std::uintptr_t>(whole_) % large);
    madvise(begin_, bytes_, large_pages ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    std::memset(begin_, 0x3f, bytes_);  // as doubles: small normal numbers
  }
  ~memory_area() { munmap(whole_, bytes_ + large); }
  memory_area(const memory_area&) = delete;
  memory_area& operator=(const memory_area&) = delete;

  std::byte* at(std::size_t offset) const { return begin_ + offset; }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t large = std::size_t{2} << 20;
  std::size_t bytes_;
  std::byte *whole_, *begin_;
};

std::vector<std::uint32_t> shuffled(std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  std::uint64_t state = base::generator_state(42, 0);
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[base::random_below(i, state)]);
  return order;
}

/// The time of a dependent addition, which is one cycle. It adds a register, since some cores add several small constants in
/// one cycle while they rename. It is not the minimum, in which the clock of a virtual machine may have jumped.
double cycle_ns() {
  constexpr std::size_t additions = 80'000;
  return low_ns(100,
                [] {
                  std::uint64_t sum = 1, step = 3;
                  asm volatile("" : "+r"(step));
                  for (std::size_t i = 0; i < additions; i += 8)
                    for (int k = 0; k < 8; ++k) {  // unrolled; the compiler must not remove any
                      sum += step;
                      asm volatile("" : "+r"(sum));
                    }
                }) /
         additions;
}

enum class first_walk { untimed, none };

/// The time of a load in a chain through the lines at these offsets, in random order: the quantile `share` of windows of
/// 4000 loads. An untimed walk before puts the lines into the caches in the order of the walk, if they fit.
double chain_ns(const memory_area& memory, const std::vector<std::size_t>& offsets, double share,
                first_walk first) {
  const std::size_t count = offsets.size();
  const std::vector<std::uint32_t> order = shuffled(count);
  const auto at = [&](std::size_t i) { return memory.at(offsets[order[i % count]]); };
  for (std::size_t i = 0; i < count; ++i) {
    void* const next = at(i + 1);
    std::memcpy(at(i), &next, sizeof next);
  }
  void* here = at(0);
  const auto go = [&](std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) std::memcpy(&here, here, sizeof here);
    asm volatile("" ::"r"(here));
  };
  if (first == first_walk::untimed) go(count);
  constexpr std::size_t steps = 4000;
  const std::size_t rounds = std::clamp<std::size_t>(count / steps, 100, 400);
  const std::vector<double> times = timed_rounds(rounds, [&] { go(steps); });
  return times[static_cast<std::size_t>(share * static_cast<double>(rounds))] / steps;
}

/// Through all lines of the first `bytes`.
double chain_ns(const memory_area& memory, std::size_t bytes, double share,
                first_walk first = first_walk::untimed) {
  std::vector<std::size_t> offsets(bytes / line);
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = line * i;
  return chain_ns(memory, offsets, share, first);
}

/// The time of a hit in a cache. For the first level, few lines, which are used again before another thread of the core can
/// evict them. For a further private level, an area between its size and that of the smaller cache. For a shared level, the
/// first line of each page of an area eight times as large as the smaller cache: these lines share few of its sets, so most
/// of them miss there, and they are few enough to stay in this level.
double hit_ns(const memory_area& memory, const simulator::machine_model& machine, std::size_t level) {
  const std::uint64_t size = machine.caches[level].bytes;
  if (level == 0) return chain_ns(memory, size / 16, 0);
  const std::uint64_t smaller = machine.caches[level - 1].bytes;
  if (machine.caches[level].cores == 1)
    return chain_ns(memory, static_cast<std::size_t>(std::sqrt(static_cast<double>(size * smaller))), 0);
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < 8 * smaller; at += page) offsets.push_back(at);
  return chain_ns(memory, offsets, 0, first_walk::untimed);
}

/// The time of a load from a random line while others are in flight.
double independent_miss_ns(const memory_area& memory) {
  constexpr std::size_t loads = 4000;
  std::uint64_t state = 1, sum = 0;
  const std::size_t lines = memory.bytes() / line;
  const double each = low_ns(200, [&] {
    for (std::size_t i = 0; i < loads; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      sum += std::to_integer<std::uint64_t>(*memory.at((state >> 33) % lines * line));
    }
    asm volatile("" ::"r"(sum));
  });
  return each / loads;
}

/// Reads one word of each line.
void stream(const std::byte* from, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes; i += line) {
    std::uint64_t word;
    std::memcpy(&word, from + i, sizeof word);
    sum += word;
  }
  asm volatile("" ::"r"(sum));
}

/// The time per line of a stream from memory.
double stream_ns(const memory_area& memory) {
  std::size_t at = 0;
  return low_ns(2 * memory.bytes() / piece,
                [&] {
                  stream(memory.at(at), piece);
                  at = (at + piece) % memory.bytes();
                }) /
         (piece / line);
}

/// The same with pages in random order: a prefetcher that stops at page boundaries starts again in each page.
double shuffled_stream_ns(const memory_area& memory) {
  const std::vector<std::uint32_t> order = shuffled(memory.bytes() / page);
  std::size_t at = 0;
  return low_ns(2 * memory.bytes() / piece,
                [&] {
                  for (std::size_t i = 0; i < piece / page; ++i)
                    stream(memory.at(page * order[(at + i) % order.size()]), page);
                  at += piece / page;
                }) /
         (piece / line);
}

/// The time per line of one core while all cores stream, each in its own part.
double together_ns(const memory_area& memory, const simulator::machine_model& machine) {
  std::vector<std::uint32_t> cpus;
  for (std::size_t i = 0; i < machine.hardware.size(); ++i)
    if (i == 0 || machine.hardware[i].core != machine.hardware[i - 1].core)
      cpus.push_back(machine.hardware[i].cpu);
  const std::size_t part = std::max(piece, memory.bytes() / cpus.size() / piece * piece), rounds = 100;
  std::atomic<std::size_t> arrived{0};
  std::vector<double> last(rounds, 0);
  const auto one = [&](std::size_t number) {
    base::bind_this_thread(cpus[number]);
    for (std::size_t round = 0; round < rounds; ++round) {
      ++arrived;
      while (arrived < cpus.size() * (round + 1)) {
      }
      const std::size_t at = (number * part + round * piece % part) % memory.bytes();
      const double took = min_ns(1, [&] { stream(memory.at(at), piece); });
      if (number == 0) last[round] = took;
    }
  };
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < cpus.size(); ++i) others.emplace_back(one, i);
  one(0);
  for (std::thread& other : others) other.join();
  std::ranges::sort(last);
  return last[rounds / 20] / (piece / line);
}

/// The computation with a line: sixteen products and eight sums take about as long as loading a line of a stream.
double compute(const std::byte* from, std::size_t bytes) {
  double sum[4] = {};
  for (std::size_t i = 0; i < bytes; i += line) {
    double x[line / sizeof(double)];
    std::memcpy(x, from + i, sizeof x);
    for (std::size_t k = 0; k < std::size(x); ++k) sum[k % 4] += x[k] * (x[k] * 0.5);
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

/// The share of the shorter of computing and streaming that is hidden when both are done with the same lines.
double overlap(const memory_area& memory, double line_ns) {
  constexpr std::size_t small = 16 << 10;
  const auto computed = [&](std::size_t at, std::size_t bytes) {
    const double sum = compute(memory.at(at), bytes);
    asm volatile("" ::"m"(sum));
  };
  const double alone = min_ns(300, [&] { computed(0, small); }) / (small / line);
  std::size_t at = 0;
  const double both = low_ns(2 * memory.bytes() / piece,
                             [&] {
                               computed(at, piece);
                               at = (at + piece) % memory.bytes();
                             }) /
                      (piece / line);
  return std::clamp((alone + line_ns - both) / std::min(alone, line_ns), 0.0, 1.0);
}

/// The available bytes of the last cache: the largest number of its eighths at which a quarter of a chain's windows are
/// nearer to hits than to misses.
std::uint64_t bytes_of_last(const memory_area& memory, std::uint64_t tried, double hit, double miss) {
  std::uint64_t ours = tried / 8;
  for (std::uint64_t eighths = 2; eighths <= 8; ++eighths) {
    const std::uint64_t bytes = tried / 8 * eighths;
    if (chain_ns(memory, bytes, 0.25) > (hit + miss) / 2) break;
    ours = bytes;
  }
  return ours;
}

/// The memory that this process may still take.
double available_bytes() {
  double bytes = detail::memory_limit();
  std::ifstream facts("/proc/meminfo");
  for (std::string name, kilobytes, unit; facts >> name >> kilobytes && std::getline(facts, unit);)
    if (name == "MemAvailable:") bytes = std::min(bytes, 1024 * std::stod(kilobytes));
  rlimit address_space{};
  if (getrlimit(RLIMIT_AS, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
    bytes = std::min(bytes, static_cast<double>(address_space.rlim_cur));
  return bytes;
}

// Eight times the last cache, so that few loads hit. A virtual machine often reports the whole last cache of a large processor
// (480 MB), of which it gets a small part. Such an area would take gigabytes, and minutes to walk through it. So the area is
// bounded, also by the memory of this process: there are two.
constexpr std::size_t usual_area = std::size_t{64} << 20, max_area = std::size_t{512} << 20;
constexpr double share_of_available = 1.0 / 8;

std::size_t area_for(const simulator::machine_model& machine) {
  const std::size_t wanted = std::max<std::size_t>(8 * machine.caches.back().bytes, usual_area);
  const auto allowed =
      static_cast<std::size_t>(std::min<double>(max_area, available_bytes() * share_of_available));
  std::size_t smaller_caches = piece;  // hit_ns needs eight times the second largest one
  for (std::size_t level = 0; level + 1 < machine.caches.size(); ++level)
    smaller_caches = std::max<std::size_t>(smaller_caches, machine.caches[level].bytes);
  return std::max(std::min(wanted, allowed) / piece * piece, 8 * smaller_caches);
}

constexpr int passes = 6;
constexpr std::chrono::seconds enough{
    12};  // afterwards no further pass begins: memory is slow, or other programs run

/// Measures everything once.
measured_memory one_pass(const simulator::machine_model& machine, const memory_area& large,
                         const memory_area& usual) {
  measured_memory found;
  found.area_bytes = large.bytes();
  // More than a quarter of the area would be in the cache for so many loads that they pass for misses.
  found.last_cache_tried_bytes = std::min<std::uint64_t>(machine.caches.back().bytes, large.bytes() / 4);
  found.cycle_ns = cycle_ns();
  for (std::size_t level = 0; level < machine.caches.size(); ++level)
    found.hit_ns.push_back(hit_ns(large, machine, level));
  found.miss_ns =
      chain_ns(large, large.bytes(), 0.05, first_walk::none);  // the first lines left the caches long ago
  found.last_cache_bytes =
      bytes_of_last(large, found.last_cache_tried_bytes, found.hit_ns.back(), found.miss_ns);
  found.independent_miss_ns = independent_miss_ns(large);
  found.line_ns = stream_ns(usual);
  found.line_ns_shuffled = shuffled_stream_ns(usual);
  found.line_ns_together = together_ns(usual, machine);
  found.overlap = overlap(usual, found.line_ns);
  return found;
}

/// Takes the less disturbed one of each value.
void take_better(measured_memory& best, const measured_memory& other) {
  for (const auto value :
       {&measured_memory::cycle_ns, &measured_memory::miss_ns, &measured_memory::independent_miss_ns,
        &measured_memory::line_ns, &measured_memory::line_ns_shuffled, &measured_memory::line_ns_together})
    best.*value = std::min(best.*value, other.*value);
  for (std::size_t level = 0; level < best.hit_ns.size(); ++level)
    best.hit_ns[level] = std::min(best.hit_ns[level], other.hit_ns[level]);
  best.last_cache_bytes = std::max(best.last_cache_bytes, other.last_cache_bytes);
  best.overlap = std::max(best.overlap, other.overlap);
}

}  // namespace

measured_memory measure_memory(const simulator::machine_model& machine,
                               const std::function<void(double)>& progress) {
  base::bind_this_thread(machine.hardware.front().cpu);
  using clock = std::chrono::steady_clock;
  const clock::time_point end = clock::now() + enough;
  const std::size_t bytes = area_for(machine);
  const memory_area large(bytes, true), usual(bytes, false);
  measured_memory found = one_pass(machine, large, usual);
  for (int pass = 1; pass < passes && clock::now() < end; ++pass) {
    progress(static_cast<double>(pass) / passes);
    take_better(found, one_pass(machine, large, usual));
  }
  return found;
}

}  // namespace skua::cli
