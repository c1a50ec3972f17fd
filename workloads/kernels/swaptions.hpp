// Pricing swaptions by simulation: the leaf, PARSEC's inputs and the known answers. No scheduling.
//
// The model is that of Heath, Jarrow and Morton, with 11 points in time and 3 random factors. Each swaption has one
// generator. A trial draws 30 random numbers from it, in the order trial, step, factor; a task jumps to the numbers of
// its trials. `swaption_lanes` trials lie side by side in arrays, so the innermost loops are over trials.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace workloads {

inline constexpr std::size_t swaption_lanes = 8, swaption_block = 16;  // trials of a task, and of a block
inline constexpr std::size_t rate_points = 11, rate_factors = 3;

/// Park and Miller's generator.
class park_miller {
 public:
  static constexpr std::uint64_t modulus = 2147483647, factor = 16807;
  explicit park_miller(std::uint64_t state) : state_(state) {}
  double next() {
    state_ = state_ * factor % modulus;
    return static_cast<double>(state_) * 4.656612875e-10;
  }
  void skip(std::uint64_t draws) {
    for (std::uint64_t power = factor; draws != 0; draws /= 2, power = power * power % modulus)
      if (draws % 2) state_ = state_ * power % modulus;
  }

 private:
  std::uint64_t state_;
};

struct swaption {
  double years, strike;
  std::uint64_t seed;  // for its trials
};
inline std::vector<swaption> make_swaptions(std::size_t n) {
  park_miller draw(1979);
  const auto first_seed = static_cast<std::uint64_t>(2147483647.0 * draw.next());
  std::vector<swaption> all;
  for (std::size_t i = 0; i < n; ++i) {
    const double years = 5 + 0.25 * std::floor(60 * draw.next());
    const double strike = 0.1 + 0.1 * std::floor(49 * draw.next());
    all.push_back({years, strike, (first_seed + i) % park_miller::modulus});
  }
  return all;
}

/// The volatility of the rates, for each factor and point in time.
inline constexpr std::array<std::array<double, rate_points - 1>, rate_factors> rate_volatility = {
    {{.01, .01, .01, .01, .01, .01, .01, .01, .01, .01},
     {.009048, .008187, .007408, .006703, .006065, .005488, .004966, .004493, .004066, .003679},
     {.001000, .000750, .000500, .000250, .000000, -.000250, -.000500, -.000750, -.001000, -.001250}}};

/// The values that all trials of a swaption share.
struct swaption_model {
  double step, strike;                               // years
  std::array<double, rate_points> forward;           // rates at the start
  std::array<double, rate_points - 1> drift;         // in a step
  std::array<double, rate_points + 1> coupons = {};  // at each point of the swap
  std::size_t start, swap_points;                    // the point where the swap begins, and its length
  std::uint64_t seed;

  explicit swaption_model(const swaption& s) : step(s.years / rate_points), strike(s.strike), seed(s.seed) {
    const auto yield = [](std::size_t j) { return 0.1 + 0.005 * static_cast<double>(j); };
    forward[0] = yield(0);
    for (std::size_t j = 1; j < rate_points; ++j)
      forward[j] = static_cast<double>(j + 1) * yield(j) - static_cast<double>(j) * yield(j - 1);
    drift = {};
    for (const auto& volatility : rate_volatility) {
      double sum = 0, drifts = 0;
      for (std::size_t j = 0; j < drift.size(); ++j) {
        sum += volatility[j];
        const double here = 0.5 * step * sum * sum - drifts;
        drifts += here;
        drift[j] += here * step;
      }
    }
    // The maturity and the payment interval are one year, the swap lasts two years.
    start = static_cast<std::size_t>(1 / step + 0.5);
    swap_points = static_cast<std::size_t>(2 / step + 0.5);
    const std::size_t every = start;
    for (std::size_t i = every; i <= swap_points; i += every)
      coupons[i] = i == swap_points ? std::exp(strike) : std::exp(strike) - 1;
  }
};

/// The inverse of the normal distribution (Moro, 1995), with PARSEC's constants.
inline double normal_inverse(double u) {
  const double x = u - 0.5;
  if (std::abs(x) < 0.42) {
    const double r = x * x;
    return x * (((-25.44106049637 * r + 41.39119773534) * r - 18.61500062529) * r + 2.50662823884) /
           ((((3.13082909833 * r - 21.06224101826) * r + 23.08336743743) * r - 8.47351093090) * r + 1);
  }
  constexpr std::array<double, 9> c = {0.3374754822726147, 0.9761690190917186, 0.1607979714918209,
                                       0.0276438810333863, 0.0038405729373609, 0.0003951896511919,
                                       0.0000321767881768, 0.0000002888167364, 0.0000003960315187};
  const double r = std::log(-std::log(std::min(u, 1 - u)));
  double sum = c.back();
  for (std::size_t i = c.size() - 1; i-- > 0;) sum = sum * r + c[i];
  return x < 0 ? -sum : sum;
}

using trial_lanes = std::array<double, swaption_lanes>;

/// Multiplies discount factors over `points` steps. After each step it calls `use(i, factors)`, i from 0 on.
template <class Rates, class Use>
void discount(const Rates& rates, std::size_t points, double step, Use use) {
  trial_lanes factor;
  factor.fill(1);
  use(std::size_t{0}, factor);
  for (std::size_t i = 0; i < points; ++i) {
    for (std::size_t b = 0; b < swaption_lanes; ++b) factor[b] *= std::exp(-rates[i][b] * step);
    use(i + 1, factor);
  }
}

/// The discounted payoffs of `swaption_lanes` trials from trial `first` on.
inline trial_lanes simulate_trials(const swaption_model& m, std::uint64_t first) {
  constexpr std::size_t steps = rate_points - 1;
  std::array<std::array<trial_lanes, rate_factors>, steps> random;
  park_miller draw(m.seed);
  draw.skip(first * steps * rate_factors);
  for (std::size_t b = 0; b < swaption_lanes; ++b)
    for (std::size_t j = 0; j < steps; ++j)
      for (std::size_t k = 0; k < rate_factors; ++k) random[j][k][b] = draw.next();
  for (auto& of_step : random)
    for (trial_lanes& of_factor : of_step)
      for (double& z : of_factor) z = normal_inverse(z);

  // The row of forward rates moves down one place in each step. Its first entries are the path of short rates.
  const double root = std::sqrt(m.step);
  std::array<trial_lanes, rate_points> row, path, swap;
  for (std::size_t l = 0; l < rate_points; ++l) row[l].fill(m.forward[l]);
  for (std::size_t j = 0;; ++j) {
    path[j] = row[0];
    if (j == m.start) swap = row;
    if (j == steps) break;
    for (std::size_t l = 0; l + j + 1 < rate_points; ++l)
      for (std::size_t b = 0; b < swaption_lanes; ++b) {
        double shock = 0;
        for (std::size_t k = 0; k < rate_factors; ++k) shock += rate_volatility[k][l] * random[j][k][b];
        row[l][b] = row[l + 1][b] + m.drift[l] + root * shock;
      }
  }

  trial_lanes value{}, payoff;
  discount(swap, m.swap_points, m.step, [&](std::size_t i, const trial_lanes& factor) {
    for (std::size_t b = 0; b < swaption_lanes; ++b) value[b] += m.coupons[i] * factor[b];
  });
  discount(path, m.start, m.step, [&](std::size_t i, const trial_lanes& factor) {
    if (i == m.start)
      for (std::size_t b = 0; b < swaption_lanes; ++b) payoff[b] = std::max(value[b] - 1, 0.0) * factor[b];
  });
  return payoff;
}

struct swaption_price {
  double mean = 0, error = 0;
  auto operator<=>(const swaption_price&) const = default;
};
/// Sums over trials, in the order of trials.
class payoff_sums {
 public:
  void add(std::span<const double> payoffs) {
    for (const double x : payoffs) {
      sum_ += x;
      squares_ += x * x;
    }
    count_ += static_cast<double>(payoffs.size());
  }
  swaption_price price() const {
    const double variance = (squares_ - sum_ * sum_ / count_) / (count_ - 1);
    return {sum_ / count_, std::sqrt(std::max(variance, 0.0) / count_)};
  }

 private:
  double sum_ = 0, squares_ = 0, count_ = 0;
};

inline swaption_price price_swaption(const swaption& s, std::uint64_t trials) {
  const swaption_model model(s);
  payoff_sums sums;
  for (std::uint64_t first = 0; first < trials; first += swaption_lanes)
    sums.add(simulate_trials(model, first));
  return sums.price();
}

/// The published price of a swaption after a number of trials; an error of 0: not published.
struct published_price {
  std::size_t swaption;
  swaption_price price;
};
inline std::vector<published_price> published_prices(std::uint64_t trials) {
  switch (trials) {
    case 160:
      return {{0, {6.9247536309, 0.0104658627}},
              {1, {3.2382890652, 0.0062924807}},
              {2, {0.8578263564, 0.0026254039}},
              {3, {6.4949815555, 0.0113826096}}};
    case 1600: {
      std::vector<published_price> all;
      for (const double mean :
           {6.9331378527, 3.2413081655, 0.8556492636, 6.4791106325, 79.6979964380, 6.8639341563,
            81.2553768389, 3.0586266253, 112.3859133181, 3.0647833130, 12.0758172187, 24.0553231229,
            96.6461084177, 1.1515516570, 9.2922309400, 9.6517134262})
        all.push_back({all.size(), {mean, 0}});
      return all;
    }
    case 20000:
      return {{0, {6.9319565131, 0}},  {1, {3.2383626469, 0}},    {2, {0.8540378899, 0}},
              {3, {6.4811546688, 0}},  {17, {191.7092913789, 0}}, {22, {0.0000185320, 0}},
              {63, {96.6830163390, 0}}};
  }
  return {};
}

}  // namespace workloads
