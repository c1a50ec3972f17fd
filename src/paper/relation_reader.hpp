// Reads the claims of a figure's file: numbers and comparisons.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/json_part.hpp"
#include "paper/figure.hpp"

namespace skua::paper {

/// The index of a text in `names`. Throws bad_input with the nearest name.
std::size_t one_of(const base::json_part&, std::span<const std::string_view> names);
/// The names of `found` must be known already.
published_value value_of(const base::json_part&, const figure& found);
comparison comparison_of(const base::json_part&, const figure& found);
/// {"series": "a", "x": "*"}; coordinates that are not named stay empty.
selection selection_of(const base::json_part&, const figure& found);

}  // namespace skua::paper
