// Prices of European options by the formula of Black and Scholes: the leaf, the input and the check. No scheduling.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/common/lines.hpp"
#include "workloads/common/random.hpp"

namespace workloads {

/// Arrays of spot prices, strikes, rates, volatilities and times in years.
struct option_set {
  std::vector<float> spot, strike, rate, volatility, years;
  std::vector<std::int32_t> put;  // 1 for a put, 0 for a call
  std::vector<double> published;  // one price for each option, or empty

  std::size_t size() const { return spot.size(); }
  void add(float s, float k, float r, float v, float t, bool is_put) {
    spot.push_back(s), strike.push_back(k), rate.push_back(r), volatility.push_back(v), years.push_back(t);
    put.push_back(is_put);
  }
};

inline option_set random_options(std::uint64_t seed, std::size_t n) {
  option_set options;
  for (std::size_t i = 0; i < n; ++i) {
    const auto below = [&](std::uint64_t field, std::uint64_t bound) {
      return static_cast<double>(below_at(seed, 6 * i + field, bound));
    };
    options.add(static_cast<float>(50 + below(0, 51)), static_cast<float>(50 + below(1, 51)),
                static_cast<float>(0.01 * (1 + below(2, 10))), static_cast<float>(0.05 * (1 + below(3, 13))),
                static_cast<float>(0.05 * (1 + below(4, 20))), below(5, 2) == 1);
  }
  return options;
}

/// Reads PARSEC's format: a line with the number of options, then one line for each: spot, strike, rate, dividend rate,
/// volatility, years, P or C, dividends, price. Dividends must be 0.
inline option_set read_options(const std::string& file) {
  constexpr float min = 1e-6F, max = 1e9F;
  line_reader lines(file);
  if (!lines.next()) lines.refuse_end("a number of options");
  const auto n = lines.number<std::size_t>("a number of options from 1 to 100000000", 1, 100'000'000);
  lines.end();
  option_set options;
  while (options.size() < n) {
    if (!lines.next()) lines.refuse_end(std::to_string(n) + " options, one in each line");
    const auto s = lines.number<float>("a spot price from 1e-6 to 1e9", min, max);
    const auto k = lines.number<float>("a strike price from 1e-6 to 1e9", min, max);
    const auto r = lines.number<float>("a rate from -1 to 1", -1, 1);
    lines.number<float>("a dividend rate of 0", 0, 0);
    const auto v = lines.number<float>("a volatility from 1e-6 to 100", min, 100);
    const auto t = lines.number<float>("a time from 1e-6 to 1000 years", min, 1000);
    const std::string_view type = lines.word();
    if (type != "P" && type != "C") lines.refuse("P or C", type);
    options.add(s, k, r, v, t, type == "P");
    lines.number<float>("dividends of 0", 0, 0);
    options.published.push_back(lines.number<double>("a price", -1e9, 1e9));
    lines.end();
  }
  if (lines.next()) lines.refuse("the end of the file after " + std::to_string(n) + " options", lines.word());
  return options;
}

/// The cumulative distribution function of the normal distribution, by a polynomial of five terms (Abramowitz and
/// Stegun, 26.2.17).
inline float normal_cumulative(float x) {
  const float distance = std::abs(x);
  const float k = 1.0F / (1.0F + 0.2316419F * distance);
  const float density = 0.39894228F * std::exp(-0.5F * distance * distance);
  float sum = 1.330274429F;
  sum = sum * k - 1.821255978F;
  sum = sum * k + 1.781477937F;
  sum = sum * k - 0.356563782F;
  sum = sum * k + 0.319381530F;
  const float above = density * sum * k;
  return x < 0 ? above : 1.0F - above;
}

inline float option_price(float s, float k, float r, float v, float t, bool put) {
  const float spread = v * std::sqrt(t);
  const float d1 = (std::log(s / k) + (r + 0.5F * v * v) * t) / spread;
  const float n1 = normal_cumulative(d1), n2 = normal_cumulative(d1 - spread);
  const float discounted = k * std::exp(-r * t);
  return put ? discounted * (1.0F - n2) - s * (1.0F - n1) : s * n1 - discounted * n2;
}

/// Prices options [first, last).
inline void price_options(const option_set& o, float* prices, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    prices[i] = option_price(o.spot[i], o.strike[i], o.rate[i], o.volatility[i], o.years[i], o.put[i] != 0);
}

/// The same in doubles, without the polynomial.
inline double reference_price(double s, double k, double r, double v, double t, bool put) {
  const auto cumulative = [](double x) { return 0.5 * std::erfc(-x * std::sqrt(0.5)); };
  const double d1 = (std::log(s / k) + (r + v * v / 2) * t) / (v * std::sqrt(t)), d2 = d1 - v * std::sqrt(t);
  const double discounted = k * std::exp(-r * t);
  return put ? discounted * cumulative(-d2) - s * cumulative(-d1)
             : s * cumulative(d1) - discounted * cumulative(d2);
}

/// What is wrong with the prices, or nullptr. PARSEC accepts differences below 0.0001, with prices of about 100.
inline const char* prices_wrong(const option_set& o, const std::vector<float>& prices) {
  for (std::size_t i = 0; i < o.size(); ++i) {
    const double s = o.spot[i], k = o.strike[i], price = prices[i];
    const double allowed = std::max(1e-4, 1e-6 * (s + k));
    const double exact = reference_price(s, k, o.rate[i], o.volatility[i], o.years[i], o.put[i] != 0);
    if (!(std::abs(price - exact) < allowed)) return "a price differs from the one in double precision";
    if (!o.published.empty() && !(std::abs(price - o.published[i]) < allowed))
      return "a price differs from the one in the file";
  }
  return nullptr;
}

struct option_sums {
  double calls = 0, puts = 0;
};
inline option_sums sums_of_prices(const option_set& o, const std::vector<float>& prices) {
  option_sums sums;
  for (std::size_t i = 0; i < prices.size(); ++i)
    (o.put[i] ? sums.puts : sums.calls) += static_cast<double>(prices[i]);
  return sums;
}
/// The published values for random_options(42, n), if any.
inline std::optional<option_sums> published_sums(std::size_t n) {
  switch (n) {
    case 1000:
      return option_sums{5886.07283084, 5296.99592574};
    case 4096:
      return option_sums{24755.2118374, 22485.4084494};
    case 65536:
      return option_sums{406845.703627, 343821.852966};
    case 1000000:
      return option_sums{6262929.30097, 5219991.74403};
  }
  return std::nullopt;
}

}  // namespace workloads
