// A machine whose caches are all so many times smaller, for what a part of the data does on it: "NAME@caches/4".
//
// Ratios of data to caches stay those of the whole machine then, at a fraction of the lines to simulate. What does not
// depend on data stays as it is, so a steal weighs more beside a leaf than it does there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace skua::simulator {

struct machine_and_part {
  std::string machine;
  unsigned part = 1;  // caches are so many times smaller
};

/// Parts "opteron-8380-4s@caches/4". Throws bad_input for another word after the @.
machine_and_part parted(const std::string& name);
/// The text of a machine file with such caches; what is no JSON stays as it is, for its reader to refuse.
std::string with_smaller_caches(std::string_view text, unsigned part);

}  // namespace skua::simulator
