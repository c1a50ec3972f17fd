// The subcommands of `skua`. Each adds itself to the program, and sets the exit code when it runs:
// 0 done and verified, 1 failed or not verified. Bad input is an exception (skua::bad_input, or CLI11's),
// code 2.
#pragma once

namespace CLI {
class App;
}

namespace skua::cli {

void add_run(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_explain(CLI::App& app, int& exit_code);
void add_topo(CLI::App& app, int& exit_code);
void add_machines(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_bench(CLI::App& app, int& exit_code);
void add_paper(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_scale(CLI::App& app, int& exit_code);
void add_fuzz(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);

}  // namespace skua::cli
