// What `skua report` adds to the records that it reads: the lines of the program's source, from the debug information of a program
// that was compiled with -g, and a baseline.
#pragma once

#include <string>

#include "observe/run_record.hpp"

namespace skua::cli {

/// Fills in the `line` of call sites and locks: the first line, from the innermost inlined function outwards, that is neither
/// skua's nor the standard library's; of an instance of a template of skua, the line of the callable in its arguments. Leaves
/// it empty without debug information, for a file that was written after the run, and where the tool was built without libdw.
void add_source_lines(observe::run_record& run);

/// Adds to `run` the time that the same work takes on one worker, from the record `one` of such a run, which was read from `path`.
/// Throws bad_input if it is another program or input, as far as the two records show. A note in `run` says what may be due to
/// another input, or to chance.
void add_baseline(observe::run_record& run, const std::string& path, const observe::run_record& one);

}  // namespace skua::cli
