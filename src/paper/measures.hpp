// What figures look at, as numbers of a run. A new measure is one entry in measures.cpp.
//
//   if (const measure* one = find_measure("l3_misses")) one->read({.run = report});
#pragma once

#include <span>
#include <string_view>

#include "paper/run_report.hpp"

namespace skua::paper {

struct measured_runs {
  run_report run;
  run_report alone;  // the same with one worker; read for measures that want it only
};

struct measure {
  std::string_view name, what;
  bool wants_alone;
  double (*read)(const measured_runs&);  // throws std::runtime_error where the machine has no such thing
  std::string_view assumption = {};      // what is taken for what the paper measured
  bool wants_times = false;              // of skua run --times
};

std::span<const measure> measures() noexcept;
/// nullptr where there is none of that name.
const measure* find_measure(std::string_view name) noexcept;

}  // namespace skua::paper
