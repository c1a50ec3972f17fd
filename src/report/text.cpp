#include "report/text.hpp"

#include <fmt/core.h>

#include <sstream>

#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/words.hpp"

namespace skua::reports {

namespace {

// As many lines as one takes in at a look.
constexpr std::size_t few_workers = 16, few_tree_lines = 24;

std::string tree(const observe::run_record& run) {
  std::istringstream lines(run.machine.tree);
  std::string all, line;
  std::size_t number = 0;
  while (std::getline(lines, line))
    if (++number <= few_tree_lines) all += "  " + shortened(line, columns - 2) + "\n";
  if (number > few_tree_lines)
    all += fmt::format("  ... and {} more\n", counted(number - few_tree_lines, "line"));
  return all;
}

}  // namespace

std::string to_text(const observe::run_record& run, const text_options& options) {
  std::string out = wrapped(run.program, 0) + wrapped(machine_line(run), 2);
  if (!run.when.empty()) out += fmt::format("  ended {} UTC\n", run.when);
  const bool each_worker = options.workers || run.workers.size() <= few_workers;
  for (const std::string& section :
       {tree(run), verdict_section(run), speed_section(run), times_section(run, each_worker),
        structure_section(run), prediction_section(run), sites_section(run), steals_section(run),
        distributions_section(run), hardware_section(run), simulated_section(run), notes_section(run)})
    if (!section.empty()) out += "\n" + section;
  return out;
}

}  // namespace skua::reports
