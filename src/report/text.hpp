// Reports for a terminal, in lines of at most 100 columns.
//
//   std::fputs(reports::to_text(run, {}).c_str(), stdout);
#pragma once

#include <string>

#include "observe/run_record.hpp"

namespace skua::reports {

struct text_options {
  bool workers = false;  // a line for each worker, also with more than 16 workers
};

std::string to_text(const observe::run_record& run, const text_options& options = {});

/// Two runs side by side, with the ratio of the second to the first.
std::string to_text(const observe::run_record& one, const observe::run_record& other,
                    const text_options& options = {});

}  // namespace skua::reports
