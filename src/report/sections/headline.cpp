// What was run where, what limits it, and how fast it was.
#include <fmt/core.h>

#include "report/lines.hpp"
#include "report/sections.hpp"
#include "report/summary.hpp"
#include "report/verdict.hpp"
#include "report/words.hpp"

namespace skua::reports {

std::string machine_line(const observe::run_record& run) {
  const observe::machine_record& machine = run.machine;
  std::string line = fmt::format("{}, policy {}, on {}{}", counted(run.workers.size(), "worker"), run.policy,
                                 machine.simulated ? "the simulated machine " : "", machine.source);
  if (machine.cores > 0) {
    line += fmt::format(": {}, {}", counted(machine.packages, "package"), counted(machine.domains, "domain"));
    if (!machine.domain_kind.empty()) line += fmt::format(" ({})", machine.domain_kind);
    line += fmt::format(", {}, {}", counted(machine.cores, "core"), counted(machine.pus, "CPU"));
  }
  if (machine.simulated && !machine.level.empty()) line += fmt::format("; level {}", machine.level);
  return line;
}

std::string verdict_section(const observe::run_record& run) {
  const verdict v = judge(run);
  std::string all = wrapped(v.sentence, 0);
  for (const std::string& line : v.evidence) all += wrapped(line, 4, "- ");
  if (!v.advice.empty()) all += wrapped(v.advice, 4, "> ");
  return all;
}

std::string speed_section(const observe::run_record& run) {
  const summary s = summarise(run);
  std::vector<std::vector<std::string>> rows;
  std::string time = duration(1e9 * s.seconds);
  if (s.outside_seconds > 0.001 * s.seconds)
    time += fmt::format(" in the scheduler, {} outside", duration(1e9 * s.outside_seconds));
  const std::string how =
      s.speedup_measured ? "over one worker, measured" : "estimated: user time over wall time";
  std::string all = fmt::format("  time        {}\n  speedup     {} ({}), efficiency {}\n", time,
                                decimal(s.speedup), how, percent(s.efficiency));
  if (s.work_inflation > 0)
    all += fmt::format("  inflation   the same work took {} times as long as on one worker\n",
                       decimal(s.work_inflation));
  return all;
}

}  // namespace skua::reports
