// flags: -fno-exceptions -fno-rtti
// All headers in a program without exceptions.
#include <skua/skua.hpp>

#include <list>

long use_all(std::vector<long>& v, const std::list<long>& list) {
  auto [a, b] = skua::join([] { return 1L; }, [] { return 2L; });
  skua::parallel_for(std::size_t{0}, v.size(), [&](std::size_t at) { v[at] = a + b; });
  skua::parallel_for(skua::blocked2d(0, 10, 0, 10), [](auto, auto) {});
  skua::parallel_for_each(list, [](long) {});
  skua::parallel_sort(v);
  skua::parallel_exclusive_scan(v.begin(), v.end(), v.begin(), 0L, std::plus<>{});
  skua::task_group tasks;
  tasks.run(skua::hinted(skua::depth{1}, [] {}));
  tasks.run([](int) {}, 5);
  auto result = tasks.run_returning([] { return 7L; });
  tasks.wait();
  skua::phase<int> phase(skua::order::priority);
  phase.enqueue_range(0, 10);
  phase.run([](int) {});
  skua::per_worker<long> counts;
  counts.local() += result.get();
  skua::mutex m;
  m.lock();
  m.unlock();
  skua::scheduler pool(
      {.workers = 2, .cpus = v.empty() ? std::vector<std::uint32_t>() : std::vector<std::uint32_t>{0}});
  return skua::parallel_reduce(
             v, 0L, [](long x) { return x; }, std::plus<>{}) +
         skua::shaped({.input_bytes = 8}, [&] { return counts.combine(0L, std::plus<>{}); }) +
         skua::isolate([] { return 1; }) + skua::blocking([] { return 1; }) + pool.run([] { return 1; });
}
