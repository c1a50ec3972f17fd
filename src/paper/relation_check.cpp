#include "paper/relation_check.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number_text.hpp"
#include "paper/band.hpp"
#include "paper/reading.hpp"

namespace skua::paper {

using base::short_number;

namespace {

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

}  // namespace

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

}  // namespace skua::paper
