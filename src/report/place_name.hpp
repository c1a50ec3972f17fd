// How a report calls a place in the program that forks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "observe/run_record.hpp"

namespace skua::reports {

/// The function's name. Two calls in one function are told apart by where they return to: "solve at 0x41f2".
inline std::string place_name(const observe::site_record& site,
                              const std::vector<observe::site_record>& all) {
  const auto alike = [&site](const observe::site_record& other) {
    return other.name == site.name && other.kind == site.kind;
  };
  return std::ranges::count_if(all, alike) > 1 ? site.name + " at " + site.address : site.name;
}

}  // namespace skua::reports
