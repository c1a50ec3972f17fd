// `skua report --baseline`: whether another record is of the same program with the same input on one worker.
#pragma once

#include <string>

#include "observe/run_record.hpp"

namespace skua::cli {

/// Adds to `run` the time that the same work takes on one worker, from the record `one` of such a run, which was read from `path`.
/// Throws bad_input if it is another program or input, as far as the two records show. A note in `run` says what may be due to
/// another input, or to chance.
void add_baseline(observe::run_record& run, const std::string& path, const observe::run_record& one);

}  // namespace skua::cli
