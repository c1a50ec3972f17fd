// What a run came to, and how it is told.
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

/// Every fork leaves the fast path: its times are not to be compared with those of the other policies.
bool out_of_line(const scheduler& pool);

}  // namespace skua::cli
