#include "paper/judgement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include <skua/topology.hpp>

#include "base/number_text.hpp"
#include "paper/band.hpp"
#include "paper/reading.hpp"

namespace skua::paper {

using base::short_number;

namespace {

struct checked {
  comparison_judgement judged;
  std::vector<point> points;  // of the comparison, as far as they were run
};

/// Compares the first side with another one, or two neighbours. No relation holds for a NaN.
bool holds_between(const comparison& claim, double left, double right) {
  switch (claim.kind) {
    case relation::less:
    case relation::min:
      return left < right;
    case relation::max:
      return left > right;
    case relation::not_more:
      return left <= right;
    case relation::about:
      return std::abs(right - left) <= claim.tolerance * std::abs(left) * (1 + 1e-12);
  }
  return false;
}

bool between_neighbours(relation kind) { return kind == relation::less || kind == relation::not_more; }

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The right side of the first pair that violates the claim in this seed.
std::size_t failing_side(const comparison& claim, const std::vector<reading>& sides, std::size_t seed) {
  for (std::size_t right = 1; right < sides.size(); ++right) {
    const std::size_t left = between_neighbours(claim.kind) ? right - 1 : 0;
    if (!holds_between(claim, sides[left].by_seed[seed], sides[right].by_seed[seed])) return right;
  }
  return none;
}

double middle(const reading& of) {
  const bool undefined = std::ranges::any_of(of.by_seed, [](double one) { return std::isnan(one); });
  return undefined ? std::nan("") : median_of(of.by_seed);
}

std::string sign_of(relation kind) {
  static constexpr const char* signs[] = {"<", "<=", "about equal to", "<", ">"};
  return signs[static_cast<int>(kind)];
}

struct compared_sides {
  std::vector<reading> sides;
  std::vector<quantity> kept;  // sides that the figure has
};

/// For a minimum or maximum, sides that the figure lacks are left out; other comparisons need all sides.
std::optional<compared_sides> sides_at(const comparison& claim, const point& here, const figure& of,
                                       const samples& measured, std::size_t seeds) {
  const bool may_lack = claim.kind == relation::min || claim.kind == relation::max;
  compared_sides found;
  for (const quantity& side : claim.sides) {
    reading one = read(side, here, of, measured, seeds);
    if (!one.exists && may_lack && !found.sides.empty()) continue;
    if (!one.exists || one.by_seed.empty()) return std::nullopt;
    found.sides.push_back(std::move(one));
    found.kept.push_back(side);
  }
  if (found.sides.size() < 2) return std::nullopt;
  return found;
}

checked check(const comparison& claim, const figure& of, const samples& measured, std::size_t seeds) {
  checked all;
  comparison_judgement& found = all.judged;
  found.says = claim.says;
  found.place = claim.place;
  found.held = found.seeds = seeds;
  for (const point& here : places_of(claim, of)) {
    const auto place = sides_at(claim, here, of, measured, seeds);
    if (!place) continue;
    ++found.places;
    std::size_t held = 0, failed = none;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      const std::size_t side = failing_side(claim, place->sides, seed);
      if (side == none)
        ++held;
      else if (failed == none)
        failed = side;
    }
    for (const reading& side : place->sides)
      all.points.insert(all.points.end(), side.points.begin(), side.points.end());
    if (held < found.held && held < enough_of(seeds)) {
      const std::size_t left = between_neighbours(claim.kind) ? failed - 1 : 0;
      found.reason =
          fmt::format("\"{}\": {} {} {} holds in {} of {} seeds; medians {} and {}", claim.says,
                      words_for(place->kept[left], here, of), sign_of(claim.kind),
                      words_for(place->kept[failed], here, of), held, seeds,
                      short_number(middle(place->sides[left])), short_number(middle(place->sides[failed])));
    }
    found.held = std::min(found.held, held);
  }
  found.run = found.places > 0;
  found.holds = found.run && found.held >= enough_of(seeds);
  return all;
}

constexpr double tolerance = 0.1;       // of our median
constexpr double rounding = 1 + 1e-12;  // allows exactly 10%

std::size_t seeds_of(const figure& of, const samples& measured) {
  const std::size_t seeds = measured.empty() ? 0 : measured.begin()->second.size();
  const std::size_t min = of.level == level::exact ? 1 : min_seeds;
  for (const auto& [where, numbers] : measured) {
    if (!of.has(where)) throw bad_input(of.name() + " has no point '" + of.words_for(where) + "'");
    const std::string what = of.name() + ": '" + of.words_for(where) + "'";
    if (numbers.size() != seeds)
      throw bad_input(
          fmt::format("{} has {} samples; allowed: {}, as other points have", what, numbers.size(), seeds));
    if (numbers.size() < min)
      throw bad_input(
          fmt::format("{} has {} samples; allowed: {} or more, one per seed", what, numbers.size(), min));
    for (const double number : numbers)
      if (!std::isfinite(number)) throw bad_input(what + " is not a finite number");
  }
  return seeds;
}

std::string published_words(const published_value& value) {
  using source = published_value::source;
  if (value.from == source::picture)
    return fmt::format("{} +- {}, read from the picture", short_number((value.low + value.high) / 2),
                       short_number(value.reading_error));
  return value.low == value.high ? short_number(value.low)
                                 : fmt::format("{} to {}", short_number(value.low), short_number(value.high));
}

/// The difference of our median and the published number.
std::string miss(const value_judgement& found) {
  const double nearest = std::clamp(found.ours.median, found.low, found.high);
  const std::string ours = band_text(found.ours);
  if (nearest == 0) return fmt::format("{}: published 0, ours {}", found.what, ours);
  return fmt::format("{}: published {}, ours {}, {}% {}", found.what, found.published, ours,
                     short_number(std::abs(found.ours.median / nearest - 1) * 100),
                     std::abs(found.ours.median) > std::abs(nearest) ? "more" : "less");
}

bool reproduces(const value_judgement& found, bool exact) {
  if (exact)
    return found.ours.min == found.ours.max && found.low <= found.ours.median &&
           found.ours.median <= found.high;
  if (found.low <= found.ours.max && found.ours.min <= found.high) return true;
  const double nearest = std::clamp(found.ours.median, found.low, found.high);
  return std::abs(nearest - found.ours.median) <= tolerance * std::abs(found.ours.median) * rounding;
}

value_judgement judge_value(const figure& of, const published_value& value, const reading& ours) {
  const point here{of.panels.front().name, of.series.front().name, of.xs.front().name};
  value_judgement found{.what = value.says.empty() ? words_for(value.what, here, of) : value.says,
                        .published = published_words(value),
                        .place = value.place,
                        .low = value.low,
                        .high = value.high,
                        .ours = {},
                        .reason = {}};
  if (ours.by_seed.empty()) return found;
  found.result = judgement::different;
  found.ours = {std::nan(""), std::nan(""), std::nan("")};
  if (std::ranges::any_of(ours.by_seed, [](double one) { return std::isnan(one); })) {
    found.reason = found.what + ": not defined for every seed, because it divides by 0";
    return found;
  }
  found.ours = band_of(ours.by_seed);
  if (reproduces(found, of.level == level::exact))
    found.result = judgement::reproduced;
  else
    found.reason = miss(found);
  return found;
}

/// A published ratio implies a comparison with 1.
std::optional<comparison> implied_by(const published_value& value) {
  if (!value.what.over || (value.low <= 1 && 1 <= value.high)) return std::nullopt;
  const quantity one{.constant = 1, .of = {}, .over = {}};
  comparison claim{
      .kind = relation::less, .sides = {value.what, one}, .at = {}, .says = {}, .place = value.place};
  if (value.low > 1) std::swap(claim.sides[0], claim.sides[1]);
  return claim;
}

struct everything {
  figure_judgement found;
  std::set<point> compared;                // points of comparisons that were run
  std::vector<std::vector<point>> behind;  // the points of each value
};

void judge_comparisons(const figure& of, const samples& measured, everything& all) {
  const auto add = [&](const comparison& claim, bool implied) {
    checked one = check(claim, of, measured, all.found.seeds);
    one.judged.implied = implied;
    if (one.judged.run) all.compared.insert(one.points.begin(), one.points.end());
    all.found.comparisons.push_back(std::move(one.judged));
  };
  for (const comparison& claim : of.comparisons) add(claim, false);
  if (of.level == level::exact) return;  // equality is stronger
  for (std::size_t i = 0; i < of.values.size(); ++i)
    if (auto claim = implied_by(of.values[i])) {
      const value_judgement& value = all.found.values[i];
      claim->says = fmt::format("{} is {} than 1, as published", value.what, value.low > 1 ? "more" : "less");
      add(*claim, true);
    }
}

/// A number that is not reproduced may still have the right sign and order.
void settle_values(everything& all) {
  for (std::size_t i = 0; i < all.found.values.size(); ++i) {
    value_judgement& value = all.found.values[i];
    if (value.result != judgement::different) continue;
    const auto& points = all.behind[i];
    const bool covered =
        std::ranges::all_of(points, [&](const point& one) { return all.compared.contains(one); });
    if (covered && std::ranges::all_of(all.found.comparisons,
                                       [](const comparison_judgement& one) { return !one.run || one.holds; }))
      value.result = judgement::same_sign_and_order;
  }
}

template <class Range, class Is>
std::size_t count(const Range& all, Is is) {
  return static_cast<std::size_t>(std::ranges::count_if(all, is));
}

std::string and_others(const std::string& first, std::size_t all) {
  return all > 1 ? fmt::format("{}; and {} more", first, all - 1) : first;
}

/// The verdict and its reason, the worst first.
void conclude(const figure& of, figure_judgement& found) {
  const auto is = [](judgement which) {
    return [which](const value_judgement& one) { return one.result == which; };
  };
  const auto fails = [](const comparison_judgement& one) { return one.run && !one.holds; };
  const std::size_t values = found.values.size() - count(found.values, is(judgement::not_run));
  const std::size_t reproduced = count(found.values, is(judgement::reproduced));
  const std::size_t comparisons = count(found.comparisons, [](const auto& one) { return one.run; });
  const std::size_t failing = count(found.comparisons, fails),
                    lost = count(found.values, is(judgement::different));
  const std::size_t left = found.values.size() + found.comparisons.size() - values - comparisons;
  if (of.level == level::inputs) {
    found.result = judgement::inputs;
    found.reason = "inputs of a model, not results";
    return;
  }
  if (values + comparisons == 0) {
    found.reason = "no point was run that the paper makes a claim about";
    return;
  }
  std::vector<std::string> words;
  if (failing + lost > 0) {
    found.result = judgement::different;
    if (failing) words.push_back(and_others(std::ranges::find_if(found.comparisons, fails)->reason, failing));
    if (lost && !failing)
      words.push_back(and_others(std::ranges::find_if(found.values, is(judgement::different))->reason, lost));
  } else if (values > 0 && reproduced == values) {
    found.result = judgement::reproduced;
  } else {
    found.result = judgement::same_sign_and_order;
    if (values) {
      const auto missed = std::ranges::find_if(found.values, is(judgement::same_sign_and_order));
      words.push_back(and_others(missed->reason, values - reproduced));
    }
  }
  if (values) words.push_back(fmt::format("{} of {} published numbers reproduced", reproduced, values));
  if (comparisons)
    words.push_back(fmt::format("{} of {} comparisons hold", comparisons - failing, comparisons));
  if (left) words.push_back(fmt::format("{} claims not run", left));
  for (const std::string& one : words) found.reason += (found.reason.empty() ? "" : ". ") + one;
}

}  // namespace

std::string_view name_of(judgement which) noexcept {
  static constexpr std::string_view words[] = {"reproduced", "same sign and order", "different", "inputs",
                                               "not run"};
  return words[static_cast<std::size_t>(which)];
}

figure_judgement judge(const figure& of, const samples& measured) {
  everything all;
  all.found.seeds = seeds_of(of, measured);
  const point here{of.panels.front().name, of.series.front().name, of.xs.front().name};
  for (const published_value& value : of.values) {
    const reading ours = read(value.what, here, of, measured, all.found.seeds);
    all.found.values.push_back(judge_value(of, value, ours));
    all.behind.push_back(ours.points);
  }
  judge_comparisons(of, measured, all);
  settle_values(all);
  conclude(of, all.found);
  return all.found;
}

}  // namespace skua::paper
