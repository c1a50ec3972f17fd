// This program is compiled with other flags than the library: for C++23 and with -D_GLIBCXX_DEBUG, which gives the
// containers of the standard library another layout. It uses each function that passes containers between a program and the
// library.
#include <skua/skua.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#ifndef _GLIBCXX_DEBUG
#error "compile this test with -D_GLIBCXX_DEBUG"
#endif

extern const std::size_t sizes_here[], sizes_of_library[];

namespace {

int failures = 0;
void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::printf("not so: %s\n", what);
}

void sizes_are_equal() {
  for (std::size_t i = 0; sizes_here[i] != 0; ++i) {
    if (sizes_here[i] == sizes_of_library[i]) continue;
    ++failures;
    std::printf("entry %zu of sizes.cpp has %zu bytes here and %zu bytes in the library\n", i, sizes_here[i],
                sizes_of_library[i]);
  }
}

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

struct wide {
  int value;
  int rest[40];
};
std::atomic<int> right{0}, wrong{0};

void judge(const skua::hint& h) {
  if (const auto w = h.as<wide>())
    ++(std::ranges::all_of(w->rest, [&](int one) { return one == w->value; }) ? right : wrong);
}

struct looks_at_hints : skua::steal_policy {
  std::vector<skua::worker_id> seen;
  skua::stolen acquire(skua::thief& t) override {
    for (const skua::worker_id victim : t.random_workers(t.workers())) {
      seen.push_back(victim);
      if (const auto h = t.peek(victim)) judge(*h);
      const auto accept = [](const skua::hint& h) {
        judge(h);
        return true;
      };
      if (skua::stolen task = t.try_steal(victim, accept)) return task;
    }
    return {};
  }
};
SKUA_POLICY(looks_at_hints, "looks_at_hints", "takes what a peek has shown");

void options_and_report() {
  std::vector<std::uint32_t> cpus = {0, 1, 2, 3};
  skua::scheduler pool({.workers = 4,
                        .policy = skua::with::most_loaded{.refresh = 3},
                        .topology = skua::topology::synthetic("package:2 core:2 pu:1"),
                        .cpus = cpus,
                        .suspended_stacks = 7,
                        .keep_times = true,
                        .keep_report = true});
  expect(pool.workers() == 4, "the scheduler has 4 workers");
  expect(pool.run([] { return fib(20); }) == 6765, "fib(20) is 6765");
  const skua::report now = pool.report();
  expect(now.workers.size() == 4 && now.times.size() == 4, "the report has 4 workers");
  expect(now.total.forks == 10945, "fib(20) has 10945 forks");
  expect(now.total.steals_by_distance.size() == pool.seats().levels(),
         "steals have one count for each level");
  skua::counters sum;
  for (const skua::counters& one : now.workers) sum += one;
  expect(sum.forks == now.total.forks, "the workers' forks add up");
  const std::vector<skua::worker_times> times = now.times;
  expect(times.size() == 4, "the times are a vector");
  expect(pool.report_json().find("\"workers\"") != std::string::npos, "the record has workers");
}

void machine() {
  const auto machine = skua::topology::synthetic("package:2 core:3 pu:2");
  std::vector<std::uint32_t> all;
  for (const skua::core_info& core : machine.core_list())
    all.insert(all.end(), core.pus.begin(), core.pus.end());
  std::vector<std::uint32_t> expected(12);
  std::iota(expected.begin(), expected.end(), 0u);
  std::ranges::sort(all);
  expect(all == expected, "12 CPUs are in the list of cores");
  for (const std::string& warning : skua::topology::host().warnings())
    expect(!warning.empty(), "a warning is a sentence");
  const skua::placement seats = machine.place(2, std::vector<std::uint32_t>{7, 3});
  expect(seats[0].cpu == 7 && seats[1].cpu == 3, "workers are on CPUs 7 and 3");
}

void policies_and_hints() {
  const std::vector<const skua::policy_info*> all = skua::policies();
  expect(std::ranges::any_of(all, [](auto* info) { return info->name == "looks_at_hints"; }),
         "the policy is registered");
  expect(skua::make_policy("mix(0.3, first=nearest(heads), second=random)") != nullptr, "a mix is made");
  skua::scheduler pool({.workers = 3, .policy = "looks_at_hints"});
  pool.run([] {
    skua::task_group tasks;
    for (int i = 0; i < 200; ++i) {
      wide hint{i, {}};
      std::ranges::fill(hint.rest, i);
      tasks.run(skua::hinted(hint, [] {
        const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(100);
        while (std::chrono::steady_clock::now() < until) {
        }
      }));
    }
    tasks.wait();
    skua::parallel_for(0, 100, [](int) {},
                       {.hint = [](auto first, auto last) { return skua::depth{last - first}; }});
  });
  expect(right > 0, "a hint of 164 bytes arrives");
  expect(wrong == 0, "every hint arrives whole");
}

void regions() {
  skua::scheduler pool({.workers = 2});
  static double data[512];
  pool.run([] {
    skua::shaped(skua::learn("border"),
                 [] { skua::join([] { skua::reads(data, 256); }, [] { skua::writes(data + 256, 256); }); });
  });
  const auto seen = skua::learnt("border");
  expect(seen && seen->input_bytes == 4096 && seen->bytes_by_level.size() >= 2, "the region has been learnt");
}

void simulation() {
  skua::scheduler pool({.workers = 4, .simulate = {{.machine = "opteron-8380-4s"}}});
  const long n = pool.run([] {
    skua::costs(1000);
    return fib(10);
  });
  expect(n == 55, "fib(10) is 55");
  const skua::simulation_report now = pool.simulated();
  expect(now.seconds > 0 && !now.caches.empty() && now.nodes.size() == 4, "the machine has 4 memory nodes");
  for (const skua::simulated_transfers& one : now.transfers)
    expect(!one.distance.empty(), "a distance has a name");
}

void trials() {
  std::vector<std::size_t> asked;
  const auto found = skua::try_workers(
      [] { fib(5); },
      {.scheduler = {.workers = 2}, .rounds = 1, .before_each = [&](std::size_t n) { asked.push_back(n); }});
  expect(found.size() == 2 && found[1].workers == 2 && !asked.empty(), "1 and 2 workers are tried");
  expect(skua::fewest_workers(std::vector<skua::workers_trial>{{1, 2.0}, {2, 1.0}}) == 2,
         "2 workers are needed");
}

void algorithms() {
  std::vector<long> v(100'000);
  skua::parallel_for(std::size_t{0}, v.size(),
                     [&](std::size_t at) { v[at] = static_cast<long>(v.size() - at); });
  skua::parallel_sort(v);
  expect(std::ranges::is_sorted(v), "the values are sorted");
  skua::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), 0L, std::plus<>{});
  expect(v.back() == 5'000'050'000, "the sums are right");
  skua::phase<int> phase(skua::order::priority);
  phase.enqueue_range(0, 1000);
  expect(phase.run([](int one, long& sum) { sum += one; }, 0L, std::plus<>{}) == 499'500, "a phase adds up");
  skua::loop_memo memo;
  const auto how = skua::loop{.placement = skua::same_as_last(memo)};
  expect(skua::parallel_reduce(
             0, 1000, 0L, [](int one) { return long{one}; }, std::plus<>{}, how) == 499'500,
         "a reduction adds up");
  skua::per_worker<std::vector<int>> lists;
  skua::parallel_for(0, 1000, [&](int i) { lists.local().push_back(i); });
  expect(lists.combine(std::vector<int>(),
                       [](auto a, auto& b) {
                         a.insert(a.end(), b.begin(), b.end());
                         return a;
                       })
                 .size() == 1000,
         "each value is in one list");
}

}  // namespace

int main() {
  sizes_are_equal();
  options_and_report();
  machine();
  policies_and_hints();
  regions();
  simulation();
  trials();
  algorithms();
  if (failures == 0) std::puts("all as expected");
  return failures != 0;
}
