#include "report/text.hpp"

#include <fmt/core.h>

#include <sstream>
#include <vector>

#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

// As many lines as one takes in at a look.
constexpr std::size_t few_workers = 16, few_tree_lines = 24;

std::string tree(const observe::run_record& run) {
  std::istringstream text(run.machine.tree);
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(shortened(line, columns - 2));
  // What says that one line is missing takes as much room as the line.
  const std::size_t shown = lines.size() <= few_tree_lines + 1 ? lines.size() : few_tree_lines;
  std::string all;
  for (std::size_t i = 0; i < shown; ++i) all += "  " + lines[i] + "\n";
  if (shown < lines.size()) all += fmt::format("  ... and {} more lines\n", count(lines.size() - shown));
  return all;
}

}  // namespace

std::string to_text(const observe::run_record& run, const text_options& options) {
  std::string out = wrapped(run.program, 0) + wrapped(machine_line(run), 2);
  if (!run.when.empty()) out += fmt::format("  ended {} UTC\n", run.when);
  const bool each_worker = options.workers || run.workers.size() <= few_workers;
  for (const std::string& section :
       {tree(run), verdict_section(run), speed_section(run), times_section(run, each_worker),
        work_span_section(run), prediction_section(run), call_sites_section(run), steals_section(run),
        distributions_section(run), hardware_section(run), simulated_section(run), notes_section(run)})
    if (!section.empty()) out += "\n" + section;
  return out;
}

}  // namespace skua::reports
