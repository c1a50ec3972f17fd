// The sections of a report for a terminal, each a heading and some lines; empty if the record lacks the data.
#pragma once

#include <string>

#include "observe/run_record.hpp"

namespace skua::reports {

std::string machine_line(const observe::run_record& run);  // "8 workers, policy nearest, on ..."
std::string verdict_section(const observe::run_record& run);
std::string speed_section(const observe::run_record& run);
std::string times_section(const observe::run_record& run, bool each_worker);
std::string work_span_section(const observe::run_record& run);
std::string prediction_section(const observe::run_record& run);
std::string call_sites_section(const observe::run_record& run);
std::string choices_section(const observe::run_record& run);
std::string locks_section(const observe::run_record& run);
std::string steals_section(const observe::run_record& run);
std::string distributions_section(const observe::run_record& run);
std::string hardware_section(const observe::run_record& run);
std::string simulated_section(const observe::run_record& run);
std::string notes_section(const observe::run_record& run);

}  // namespace skua::reports
