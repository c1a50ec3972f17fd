// The local search of streamcluster, with its parallel loops: finds between kmin and kmax centres for some points.
//
// The price z of a centre is found by bisection: a price that leads to too many centres is too low. For each price,
// candidates are tested in random order: does the cost fall if the candidate becomes a centre? Existing centres are
// then closed if the cost falls without them. Loops run over `cluster_divisions` parts of the points. Sums are kept for
// each division and added in order, so the answer is the same for any number of workers.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <skua/skua.hpp>

#include "workloads/kernels/streamcluster.hpp"

namespace workloads {

// Cycles for a point and a candidate, calibrated on one worker.
constexpr double cycles_of_distance = 12, cycles_of_coordinate = 0.15;
constexpr std::size_t cluster_divisions = 64;

struct cluster_in_parallel {
  template <class F>
  static void each_division(F f) {
    skua::parallel_for(std::size_t{0}, cluster_divisions, f, skua::loop{.grain = 1});
  }
};
struct cluster_in_turn {
  template <class F>
  static void each_division(F f) {
    for (std::size_t d = 0; d < cluster_divisions; ++d) f(d);
  }
};

struct cluster_bounds {
  std::size_t min, max;
};

template <class How>
class cluster_search {
 public:
  cluster_search(cluster_points& points, cluster_bounds wanted, posix_random& draw)
      : p_(points),
        wanted_(wanted),
        draw_(draw),
        is_centre_(p_.size()),
        moves_(p_.size()),
        table_(p_.size()) {}

  void run();
  double sum_of_costs() const;
  /// Whether the number of centres is in the range. It is not if no price leads there.
  bool found() const { return found_; }

 private:
  /// Starts again. Every point in turn becomes a centre with a probability of its cost divided by z.
  void start();
  /// Tests candidates repeatedly while that saves more than this share of the cost.
  void improve(double min_saving);
  /// Opens a centre at x if that saves cost, and closes centres that are no longer worth their price. Returns the
  /// saving, or 0.
  double gain(std::size_t x);
  void number_centres();
  void weigh(std::size_t x);
  void decide_closing();
  void open(std::size_t x);

  template <class F>
  void each_division(F f) const {
    How::each_division([&](std::size_t d) {
      f(d, d * p_.size() / cluster_divisions, (d + 1) * p_.size() / cluster_divisions);
    });
  }
  static double total(const std::array<double, cluster_divisions>& parts) {
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }
  void attract(std::size_t x, bool first_centre) {
    each_division([&](std::size_t, std::size_t first, std::size_t last) {
      declare_distances(first, last, x);
      skua::writes(p_.cost.data() + first, last - first);
      skua::writes(p_.centre.data() + first, last - first);
      cluster_attract(p_, first, last, x, first_centre);
    });
  }
  void declare_distances(std::size_t first, std::size_t last, std::size_t x) const {
    const std::size_t d = p_.dimensions, count = last - first;
    skua::reads(p_.row(first), count * d);
    skua::reads(p_.row(x), d);
    skua::reads(p_.weight.data() + first, count);
    skua::reads(p_.cost.data() + first, count);
    skua::reads(p_.centre.data() + first, count);
    skua::costs((cycles_of_distance + cycles_of_coordinate * static_cast<double>(d)) *
                static_cast<double>(count));
  }

  cluster_points& p_;
  const cluster_bounds wanted_;
  posix_random& draw_;
  double z_ = 0, cost_ = 0;  // price of a centre; total cost of centres and points
  std::size_t k_ = 0;
  std::vector<std::size_t> candidates_;
  std::vector<std::uint8_t> is_centre_, moves_;
  bool found_ = true;

  // The state of the current test.
  std::size_t stride_ = 0;             // between the divisions' parts of lower_
  std::vector<std::uint32_t> table_;   // for each centre: its index among the centres
  std::vector<double> lower_, saved_;  // saved by closing a centre: per division, and in total
  std::array<std::uint32_t, cluster_divisions + 1> before_;  // number of centres in the divisions before
  std::array<double, cluster_divisions> opening_;            // cost of the new centre without its price
  std::array<std::uint32_t, cluster_divisions> closing_;     // number of centres to close
};

template <class How>
void cluster_search<How>::run() {
  if (p_.size() <= wanted_.max) return;  // every point is its own centre
  attract(0, true);
  double cheap = 0, expensive = sum_of_costs();
  z_ = expensive / 2;
  cluster_shuffle(p_, draw_);
  start();
  if (k_ < wanted_.min) start();
  while (k_ < wanted_.min) {
    expensive = z_;
    z_ = (expensive + cheap) / 2;
    cluster_shuffle(p_, draw_);
    start();
  }
  candidates_ = cluster_feasible(p_, wanted_.min, draw_);
  for (const std::uint32_t c : p_.centre) is_centre_[c] = 1;
  for (;;) {
    improve(0.1);
    const double k = static_cast<double>(k_), min = static_cast<double>(wanted_.min),
                 max = static_cast<double>(wanted_.max);
    if ((k <= 1.1 * max && k >= 0.9 * min) || (k <= max + 2 && k >= min - 2)) improve(0.001);
    if (k_ > wanted_.max) {
      cheap = z_;
      z_ = (expensive + cheap) / 2;
      cost_ += (z_ - cheap) * static_cast<double>(k_);
    } else if (k_ < wanted_.min) {
      expensive = z_;
      z_ = (expensive + cheap) / 2;
      cost_ += (z_ - expensive) * static_cast<double>(k_);
    } else {
      return;
    }
    if (cheap >= 0.999 * expensive) {
      found_ = false;
      return;
    }
  }
}

template <class How>
void cluster_search<How>::start() {
  attract(0, true);
  k_ = 1;
  for (std::size_t i = 1; i < p_.size(); ++i) {
    if (!(double{draw_.uniform()} < double{p_.cost[i]} / z_)) continue;
    ++k_;
    attract(i, false);
  }
  cost_ = z_ * static_cast<double>(k_) + sum_of_costs();
}

template <class How>
void cluster_search<How>::improve(double min_saving) {
  const double max = static_cast<double>(wanted_.max);
  const auto tries = static_cast<std::size_t>(3 * max * std::log(max));
  for (double saving = cost_; saving / cost_ > min_saving; cost_ -= saving) {
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      std::swap(candidates_[i], candidates_[i + draw_.below(candidates_.size() - i)]);
    saving = 0;
    for (std::size_t i = 0; i < tries; ++i) saving += gain(candidates_[i % candidates_.size()]);
  }
}

template <class How>
double cluster_search<How>::gain(std::size_t x) {
  number_centres();
  weigh(x);
  decide_closing();
  const double costs = z_ + total(opening_);
  if (!(costs < 0)) return 0;
  open(x);
  return -costs;
}

template <class How>
void cluster_search<How>::number_centres() {
  before_[0] = 0;
  each_division([&](std::size_t d, std::size_t first, std::size_t last) {
    skua::reads(is_centre_.data() + first, last - first);
    before_[d + 1] = std::accumulate(is_centre_.data() + first, is_centre_.data() + last, std::uint32_t{0});
  });
  std::partial_sum(before_.begin(), before_.end(), before_.begin());
  each_division([&](std::size_t d, std::size_t first, std::size_t last) {
    skua::reads(is_centre_.data() + first, last - first);
    std::uint32_t number = before_[d];
    for (std::size_t i = first; i < last; ++i)
      if (is_centre_[i]) table_[i] = number++;
  });
}

template <class How>
void cluster_search<How>::weigh(std::size_t x) {
  stride_ = (k_ + 7) / 8 * 8;  // so that divisions do not share cache lines
  lower_.resize(cluster_divisions * stride_);
  each_division([&](std::size_t d, std::size_t first, std::size_t last) {
    double* const lower = lower_.data() + d * stride_;
    declare_distances(first, last, x);
    skua::writes(moves_.data() + first, last - first);
    skua::writes(lower, stride_);
    std::fill_n(lower, stride_, 0.0);
    opening_[d] = cluster_weigh(p_, first, last, x, table_.data(), moves_.data(), lower);
  });
}

template <class How>
void cluster_search<How>::decide_closing() {
  saved_.resize(k_);
  each_division([&](std::size_t d, std::size_t, std::size_t) {
    const std::size_t first = before_[d], last = before_[d + 1];
    skua::reads(lower_.data() + first, last - first, cluster_divisions, stride_);
    closing_[d] = 0;
    for (std::size_t c = first; c < last; ++c) {
      saved_[c] = z_;
      for (std::size_t part = 0; part < cluster_divisions; ++part) saved_[c] += lower_[part * stride_ + c];
      if (!(saved_[c] > 0)) continue;
      ++closing_[d];
      opening_[d] -= saved_[c];
    }
  });
}

template <class How>
void cluster_search<How>::open(std::size_t x) {
  each_division([&](std::size_t, std::size_t first, std::size_t last) {
    declare_distances(first, last, x);
    skua::writes(p_.cost.data() + first, last - first);
    skua::writes(p_.centre.data() + first, last - first);
    cluster_open(p_, first, last, x, table_.data(), moves_.data(), saved_.data());
    for (std::size_t i = first; i < last; ++i)
      if (is_centre_[i] && saved_[table_[i]] > 0) is_centre_[i] = 0;
  });
  is_centre_[x] = 1;
  k_ = k_ + 1 - std::accumulate(closing_.begin(), closing_.end(), std::size_t{0});
}

template <class How>
double cluster_search<How>::sum_of_costs() const {
  std::array<double, cluster_divisions> parts{};
  each_division([&](std::size_t d, std::size_t first, std::size_t last) {
    skua::reads(p_.cost.data() + first, last - first);
    parts[d] = std::accumulate(p_.cost.data() + first, p_.cost.data() + last, 0.0);
  });
  return total(parts);
}

}  // namespace workloads
