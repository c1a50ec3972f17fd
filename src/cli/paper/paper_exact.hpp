// Values of figures that are computed, by the functions that the policies themselves use: equation 4, what two ways to
// place tasks read, which CPU a worker sits on, how often `nearest` asks whom, with how many others threads of a
// managers' tree speak.
#pragma once

#include <optional>

#include "paper/figure.hpp"

namespace skua::cli {

/// None where nobody computes it.
std::optional<double> exact_value(const paper::figure&, const paper::point&);

}  // namespace skua::cli
