#include "paper/verdict.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <skua/topology.hpp>

#include "paper/reading.hpp"
#include "paper/relation_check.hpp"
#include "paper/words.hpp"

namespace skua::paper {

namespace {

constexpr double tolerance = 0.1;       // of our median
constexpr double rounding = 1 + 1e-12;  // so that 10% may be reached exactly

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
          fmt::format("{} has {} samples; allowed: {} or more, one a seed", what, numbers.size(), min));
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

/// By how much our median misses the published number.
std::string miss(const value_verdict& found) {
  const double nearest = std::clamp(found.median, found.low, found.high);
  const std::string ours = with_band(found.median, found.min, found.greatest);
  if (nearest == 0) return fmt::format("{}: published 0, ours {}", found.what, ours);
  return fmt::format("{}: published {}, ours {}, {}% {}", found.what, found.published, ours,
                     short_number(std::abs(found.median / nearest - 1) * 100),
                     std::abs(found.median) > std::abs(nearest) ? "more" : "less");
}

bool reproduces(const value_verdict& found, bool exact) {
  if (exact) return found.min == found.greatest && found.low <= found.median && found.median <= found.high;
  if (found.low <= found.greatest && found.min <= found.high) return true;
  const double nearest = std::clamp(found.median, found.low, found.high);
  return std::abs(nearest - found.median) <= tolerance * std::abs(found.median) * rounding;
}

value_verdict judge_value(const figure& of, const published_value& value, const reading& ours) {
  const point here{of.panels.front().name, of.series.front().name, of.xs.front().name};
  value_verdict found{.what = value.says.empty() ? words_for(value.what, here, of) : value.says,
                      .published = published_words(value),
                      .place = value.place,
                      .low = value.low,
                      .high = value.high,
                      .reason = {}};
  if (ours.by_seed.empty()) return found;
  found.result = verdict::different;
  found.median = found.min = found.greatest = std::nan("");
  if (std::ranges::any_of(ours.by_seed, [](double one) { return std::isnan(one); })) {
    found.reason = found.what + ": not defined in all seeds, as it is a ratio to 0";
    return found;
  }
  found.median = median_of(ours.by_seed);
  found.min = std::ranges::min(ours.by_seed);
  found.greatest = std::ranges::max(ours.by_seed);
  if (reproduces(found, of.level == level::exact))
    found.result = verdict::reproduced;
  else
    found.reason = miss(found);
  return found;
}

/// A published ratio says on which side of 1 it lies.
std::optional<comparison> implied_by(const published_value& value) {
  if (!value.what.over || (value.low <= 1 && 1 <= value.high)) return std::nullopt;
  const quantity one{.constant = 1, .of = {}, .over = {}};
  comparison claim{
      .kind = relation::less, .sides = {value.what, one}, .at = {}, .says = {}, .place = value.place};
  if (value.low > 1) std::swap(claim.sides[0], claim.sides[1]);
  return claim;
}

struct everything {
  figure_verdict found;
  std::set<point> compared;                // by a comparison that was run
  std::vector<std::vector<point>> behind;  // each value, its points
};

void judge_comparisons(const figure& of, const samples& measured, everything& all) {
  const auto add = [&](const comparison& claim, bool implied) {
    checked one = check(claim, of, measured, all.found.seeds);
    one.verdict.implied = implied;
    if (one.verdict.run) all.compared.insert(one.points.begin(), one.points.end());
    all.found.comparisons.push_back(std::move(one.verdict));
  };
  for (const comparison& claim : of.comparisons) add(claim, false);
  if (of.level == level::exact) return;  // equal says more
  for (std::size_t i = 0; i < of.values.size(); ++i)
    if (auto claim = implied_by(of.values[i])) {
      const value_verdict& value = all.found.values[i];
      claim->says = fmt::format("{} is {} than 1, as published", value.what, value.low > 1 ? "more" : "less");
      add(*claim, true);
    }
}

/// A number that is not reproduced may still be in the right order.
void settle_values(everything& all) {
  for (std::size_t i = 0; i < all.found.values.size(); ++i) {
    value_verdict& value = all.found.values[i];
    if (value.result != verdict::different) continue;
    const auto& points = all.behind[i];
    const bool covered =
        std::ranges::all_of(points, [&](const point& one) { return all.compared.contains(one); });
    if (covered && std::ranges::all_of(all.found.comparisons,
                                       [](const comparison_verdict& one) { return !one.run || one.holds; }))
      value.result = verdict::same_sign_and_order;
  }
}

template <class Range, class Is>
std::size_t count(const Range& all, Is is) {
  return static_cast<std::size_t>(std::ranges::count_if(all, is));
}

std::string and_others(const std::string& first, std::size_t all) {
  return all > 1 ? fmt::format("{}; and {} more", first, all - 1) : first;
}

/// The words for all of it, worst first.
void conclude(const figure& of, figure_verdict& found) {
  const auto is = [](verdict which) {
    return [which](const value_verdict& one) { return one.result == which; };
  };
  const auto fails = [](const comparison_verdict& one) { return one.run && !one.holds; };
  const std::size_t values = found.values.size() - count(found.values, is(verdict::not_run));
  const std::size_t reproduced = count(found.values, is(verdict::reproduced));
  const std::size_t comparisons = count(found.comparisons, [](const auto& one) { return one.run; });
  const std::size_t failing = count(found.comparisons, fails),
                    lost = count(found.values, is(verdict::different));
  const std::size_t left = found.values.size() + found.comparisons.size() - values - comparisons;
  if (of.level == level::inputs) {
    found.result = verdict::inputs;
    found.reason = "a model is fed with these; they are no result";
    return;
  }
  if (values + comparisons == 0) {
    found.reason = "nothing was run that the paper says something of";
    return;
  }
  std::vector<std::string> words;
  if (failing + lost > 0) {
    found.result = verdict::different;
    if (failing) words.push_back(and_others(std::ranges::find_if(found.comparisons, fails)->reason, failing));
    if (lost && !failing)
      words.push_back(and_others(std::ranges::find_if(found.values, is(verdict::different))->reason, lost));
  } else if (values > 0 && reproduced == values) {
    found.result = verdict::reproduced;
  } else {
    found.result = verdict::same_sign_and_order;
    if (values) {
      const auto missed = std::ranges::find_if(found.values, is(verdict::same_sign_and_order));
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

std::string_view words_for(verdict which) noexcept {
  static constexpr std::string_view words[] = {"reproduced", "same sign and order", "different", "inputs",
                                               "not run"};
  return words[static_cast<std::size_t>(which)];
}

figure_verdict judge(const figure& of, const samples& measured) {
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
