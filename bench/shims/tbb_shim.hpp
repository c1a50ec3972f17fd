// The oneTBB shim.
#pragma once

#include <oneapi/tbb.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "bench/tbb_runtime.hpp"

namespace shim {

namespace tbb = oneapi::tbb;

template <class F, class G>
void both(F&& f, G&& g) {
  tbb::parallel_invoke(f, g);
}

template <class Body>
void indices(std::size_t n, const Body& body) {
  tbb::parallel_for(std::size_t{0}, n, body);
}

template <class I, class Body>
void ranges(I first, I last, std::size_t grain, const Body& body) {
  tbb::parallel_for(tbb::blocked_range<I>(first, last, std::max<std::size_t>(grain, 1)),
                    [&](const auto& range) { body(range.begin(), range.end()); });
}

template <class T, class Map, class Combine>
T reduce(std::size_t n, const T& identity, const Map& map, Combine&& combine) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::size_t>(0, n), identity,
      [&](const auto& range, T sum) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) sum = combine(std::move(sum), map(i));
        return sum;
      },
      [&](T a, T b) { return combine(std::move(a), std::move(b)); });
}

using group = bench::runtime::group;
template <class T>
using local = bench::runtime::local<T>;

/// Calls f with this many workers.
template <class F>
void on(int workers, F&& f) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(workers));
  f();
}

}  // namespace shim
