// Figures and what came of them as JSON, for `skua paper --json`. Without times of this machine: the same seeds give the
// same text.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "paper/coverage.hpp"
#include "paper/experiment.hpp"

namespace skua::cli {

nlohmann::ordered_json json_of(const paper::figure&, const paper::coverage&);
nlohmann::ordered_json json_of(const paper::result&, paper::size, const std::vector<std::uint64_t>& seeds);

}  // namespace skua::cli
