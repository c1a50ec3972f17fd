// The subcommands of `skua`. An action returns the exit code: 0 for success, 1 for a failure or a wrong answer. Bad input
// is an exception (skua::bad_input, or one of the parser) and gives exit code 2.
#pragma once

#include "cli/command_line.hpp"

namespace skua::cli {

void add_run(command_set&);
void add_list(command_set&);
void add_explain(command_set&);
void add_topo(command_set&);
void add_machines(command_set&);
void add_calibrate(command_set&);
void add_bench(command_set&);
void add_paper(command_set&);
void add_compare(command_set&);
void add_scale(command_set&);
void add_fuzz(command_set&);
void add_report(command_set&);
void add_tune(command_set&);

}  // namespace skua::cli
