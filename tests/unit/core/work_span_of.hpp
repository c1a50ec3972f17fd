// The work and span in the report of a scheduler.
#pragma once

#include <vector>

#include <gtest/gtest.h>

#include <skua/scheduler.hpp>

#include "observe/run_record.hpp"

/// Leaves out the parts between the call sites.
inline skua::observe::work_span_record work_span_of(const skua::scheduler& pool) {
  const auto record = skua::observe::read_run_record(pool.report_json());
  EXPECT_TRUE(record.work_span);
  skua::observe::work_span_record found = record.work_span.value_or(skua::observe::work_span_record{});
  std::erase_if(found.sites, [](const auto& site) { return site.is_serial(); });
  return found;
}
