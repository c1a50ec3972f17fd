// The lines of the program's source that hold call sites, from the debug information of a program that was compiled with -g.
#pragma once

#include "observe/run_record.hpp"

namespace skua::cli {

/// Fills in the `line` of call sites and locks: the first line, from the innermost inlined function outwards, that is neither
/// skua's nor the standard library's; of an instance of a template of skua, the line of the callable in its arguments. Leaves
/// it empty without debug information, for a file that was written after the run, and where the tool was built without libdw.
void add_source_lines(observe::run_record& run);

}  // namespace skua::cli
