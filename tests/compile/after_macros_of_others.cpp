// flags: -std=gnu++20
// Includes all headers after the macros of Qt, X11, <complex.h> and Windows. `make check` compiles each header alone after
// the macros of macros_of_others.hpp (tools/check_compiler).
#include <complex.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#undef I
#include "../support/macros_of_others.hpp"
// These macros are not in macros_of_others.hpp: the standard headers use these names, so none compiles after the macros.
#define min(a, b) (((a) < (b)) ? (a) : (b))
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define index(s, c) (strchr((s), (c)))  // X11/Xos.h
#define rindex(s, c) (strrchr((s), (c)))

#include <skua/region.hpp>
#include <skua/skua.hpp>

// The bodies of templates are compiled when they are used, so the macros must not break them either.
long use_all(std::vector<long>& v) {
  auto [a, b] = skua::join([] { return 1L; }, [] { return 2L; });
  skua::parallel_for(std::size_t{0}, v.size(), [&](std::size_t at) { v[at] = a + b; });
  skua::parallel_for(skua::blocked2d(0, 10, 0, 10), [](auto, auto) {});
  skua::parallel_sort(v);
  skua::parallel_sort(v, std::greater<>{});
  skua::parallel_inclusive_scan(v.begin(), v.end(), v.begin(), 0L, std::plus<>{});
  skua::task_group tasks;
  tasks.run(skua::hinted(skua::affinity{1, 2}, [] {}));
  tasks.wait();
  skua::phase<int> phase(skua::order::priority);
  phase.enqueue_range(0, 10);
  phase.run([](int) {});
  skua::per_worker<long> counts;
  counts.local() += 1;
  return skua::parallel_reduce(
             v, 0L, [](long x) { return x; }, std::plus<>{}) +
         skua::shaped({.input_bytes = 8}, [&] { return counts.combine(0L, std::plus<>{}); });
}
