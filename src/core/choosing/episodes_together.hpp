// Short episodes are measured together, as one sample.
#pragma once

#include <algorithm>
#include <cstdint>

namespace skua::core {

struct episodes_together {
  /// Of a sample, at least.
  static constexpr double least_ns = 50'000;

  double ns = 0, iterations = 0;
  std::uint32_t episodes = 0;

  void add(double its_ns, double its_iterations) noexcept {
    ns += its_ns;
    iterations += std::max(its_iterations, 1.0);
    ++episodes;
  }
  bool make_sample() const noexcept { return ns >= least_ns; }
  /// Nanoseconds for an iteration.
  double each() const noexcept { return ns / iterations; }
};

}  // namespace skua::core
