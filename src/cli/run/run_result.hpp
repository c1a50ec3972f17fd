// The result of a run, printed as text or JSON.
#pragma once

#include <vector>

#include <skua/best_workers.hpp>
#include <skua/scheduler.hpp>

#include "cli/run/measure.hpp"
#include "cli/run/run_options.hpp"

namespace skua::cli {

struct run_result {
  const run_options& options;
  const scheduler& pool;
  const measurement& measured;
  const std::vector<workers_trial>& trials;  // of --workers measure
};

void print_text(const run_result& result);
void print_json(const run_result& result);

}  // namespace skua::cli
