// Files that a workload writes for the user to look at, besides its answer.
//
//   const std::string output = workloads::checked_output(asked);   // option `output`; empty: none
//   workloads::write_output(output, svg);
//
// checked_output() throws skua::bad_input before anything is computed if the file cannot be written.
#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <skua/topology.hpp>

#include "workloads/common/workload.hpp"

namespace workloads {

inline std::string checked_output(const parameters& asked) {
  const std::string file = asked.text("output", "");
  if (file.empty()) return file;
  std::error_code failure;
  const bool was_there = std::filesystem::exists(file, failure);
  errno = 0;
  const bool can_be_written = std::ofstream(file, std::ios::app).good();
  const int why = errno;
  if (can_be_written && !was_there) std::filesystem::remove(file, failure);
  if (!can_be_written)
    throw skua::bad_input("output '" + file + "' cannot be written: " + std::generic_category().message(why) +
                          "; allowed: a file in a folder that exists");
  return file;
}

inline void write_output(const std::string& file, const std::string& text) {
  std::ofstream out(file, std::ios::trunc | std::ios::binary);
  out << text;
  if (!out.flush()) throw skua::bad_input("output '" + file + "' could not be written completely");
}

}  // namespace workloads
