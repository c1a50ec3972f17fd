// The part of a figure's file that says what a paper claims: numbers and comparisons.
#pragma once

#include "paper/figure.hpp"
#include "simulator/json_part.hpp"

namespace skua::paper {

/// The names of `found` must be known already.
published_value value_of(const simulator::json_part&, const figure& found);
comparison comparison_of(const simulator::json_part&, const figure& found);
/// {"series": "a", "x": "*"}; coordinates that are not named stay empty.
selection selection_of(const simulator::json_part&, const figure& found);

}  // namespace skua::paper
