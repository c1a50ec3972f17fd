// The texts of a comparison of policies.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/number_text.hpp"
#include "base/wrapped_text.hpp"
#include "paper/band.hpp"
#include "paper/policy_comparison.hpp"
#include "paper/tables.hpp"

namespace skua::paper {

using base::short_number;

namespace {

constexpr const char* rule =
    "Times relative to random: the median over the seeds, and below it minimum and maximum. * marks a\n"
    "policy that is faster than random, if no other policy is faster than it. A policy counts as faster\n"
    "than another one if its slowest seed is faster than the other's fastest seed, and the runs have at\n"
    "least four different times. If neither the policy nor the input is random, all seeds give the same\n"
    "run and count once. skua does not compare policies that have stolen nothing.";

/// A fact that explains a time, as a median over the seeds.
struct reason {
  const char* title;
  std::string (*of)(const compared_cell&);
  bool only_simulated = false;  // not known of a real machine
};

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }
std::string thousands(double lines) { return short_number(lines / 1000) + " k"; }
std::string megabytes(double bytes) { return short_number(bytes / 1e6); }

double median_seconds(const compared_cell& cell) {
  std::vector<double> seconds;
  for (const compared_run& run : cell.runs) seconds.push_back(run.seconds);
  return seconds.empty() ? 0 : median_of(std::move(seconds));
}

constexpr reason reasons[] = {
    {"ms", [](const compared_cell& c) { return short_number(1000 * median_seconds(c)); }},
    {"computing", [](const compared_cell& c) { return percent(c.fact("share computing")); }},
    {"data", [](const compared_cell& c) { return percent(c.fact("share data")); }, true},
    {"looking", [](const compared_cell& c) { return percent(c.fact("share looking")); }},
    {"asleep", [](const compared_cell& c) { return percent(c.fact("share asleep")); }},
    {"steals", [](const compared_cell& c) { return short_number(c.fact("steals")); }},
    {"far", [](const compared_cell& c) { return short_number(c.fact("remote steals")); }},
    {"L2 misses", [](const compared_cell& c) { return thousands(c.fact("misses L2")); }, true},
    {"L3 misses", [](const compared_cell& c) { return thousands(c.fact("misses L3")); }, true},
    {"lines, package", [](const compared_cell& c) { return thousands(c.fact("data lines same package")); },
     true},
    {"lines, hop", [](const compared_cell& c) { return thousands(c.fact("data lines by hops")); }, true},
    {"MB read", [](const compared_cell& c) { return megabytes(c.fact("memory bytes read")); }, true},
    {"far MB", [](const compared_cell& c) { return megabytes(c.fact("memory bytes read remotely")); }, true},
};

constexpr const char* reasons_legend =
    "Shares of the time of all workers: computing, data (waiting for declared bytes), looking (searching\n"
    "for work, uses of the scheduler's shared words, and the kernel) and asleep. far: steals from another\n"
    "domain. Misses include those of prefetching. lines: cache lines from other caches of the package, or\n"
    "from at least one hop away. far MB: read from the memory of another package.";

constexpr const char* reasons_legend_real =
    "computing (the program's own code), looking (the rest of the scheduler's time) and asleep are shares of "
    "the time of\nall workers. far: steals from another domain.";

/// Of several runs in one scheduler, the last quarter is warm.
double warm_seconds(const compared_run& run) {
  const std::size_t last = std::max<std::size_t>(run.seconds_of_runs.size() / 4, 1);
  return std::accumulate(run.seconds_of_runs.end() - static_cast<std::ptrdiff_t>(last),
                         run.seconds_of_runs.end(), 0.0) /
         static_cast<double>(last);
}

template <class Number>
std::string median_ms(const compared_cell& cell, Number number) {
  std::vector<double> all;
  for (const compared_run& run : cell.runs)
    if (!run.seconds_of_runs.empty()) all.push_back(number(run));
  return all.empty() ? "-" : short_number(1000 * median_of(std::move(all)));
}

constexpr const char* repeated_legend =
    "Medians over the seeds. a run: the mean of all runs of a seed; first: the first one; warm: the mean of "
    "the last\nquarter.";

text_rows repeated_table(const compared_block& block) {
  text_rows table{{"workload", "policy", "ms a run", "first", "warm"}};
  for (const compared_row& row : block.rows)
    for (const compared_cell& cell : row.cells)
      table.push_back({row.workload, cell.policy,
                       median_ms(cell,
                                 [](const compared_run& run) {
                                   return run.seconds / static_cast<double>(run.seconds_of_runs.size());
                                 }),
                       median_ms(cell, [](const compared_run& run) { return run.seconds_of_runs.front(); }),
                       median_ms(cell, warm_seconds)});
  return table;
}

std::string marked(const compared_cell& cell, const char* before, const char* after) {
  if (cell.runs.empty()) return "-";
  return fmt::format("{}{:.2f}{}", cell.judged == standing::best ? before : "", cell.relative.median,
                     cell.judged == standing::best ? after : "");
}

std::string band_text(const compared_cell& cell) {
  return cell.runs.empty() ? "" : fmt::format("{:.2f}-{:.2f}", cell.relative.min, cell.relative.max);
}

/// The cells of random and of the fastest policy.
std::vector<const compared_cell*> explained(const compared_row& row) {
  std::vector<const compared_cell*> cells;
  for (const compared_cell* cell : {reference_of(row), fastest_of(row)})
    if (cell && std::ranges::find(cells, cell) == cells.end()) cells.push_back(cell);
  return cells;
}

text_rows reasons_table(const compared_block& block) {
  text_rows table{{"workload", "policy"}};
  const auto is_known = [&](const reason& one) { return !one.only_simulated || !block.is_real(); };
  for (const reason& one : reasons)
    if (is_known(one)) table.front().emplace_back(one.title);
  for (const compared_row& row : block.rows)
    for (const compared_cell* cell : explained(row)) {
      std::vector<std::string> line{row.workload, cell->policy};
      for (const reason& one : reasons)
        if (is_known(one)) line.push_back(one.of(*cell));
      table.push_back(std::move(line));
    }
  return table;
}

}  // namespace

std::string heading_of(const compared_block& block) {
  const std::string workers = base::counted(block.workers, "worker"),
                    repeated = block.repeat > 1 ? fmt::format(" of {} runs each", block.repeat) : "",
                    seeds = base::counted(block.seeds, "seed") +
                            (block.first_seed > 1 ? fmt::format(" from {} on", block.first_seed) : "") +
                            repeated;
  if (block.is_real()) return fmt::format("{}, {}, {}", block.machine, workers, seeds);
  return fmt::format("{}, {}, {}, pages {}, {}", block.machine, workers, block.level,
                     block.pages.empty() ? "as the machine says" : block.pages, seeds);
}

std::string command_of(const compared_block& block) {
  std::vector<std::string> workloads, policies;
  for (const compared_row& row : block.rows) workloads.push_back(row.workload);
  for (const compared_cell& cell : block.rows.front().cells)
    if (cell.policy != reference_policy) policies.push_back(cell.policy);
  const auto unless = [](const char* name, const std::string& value, const char* usual) {
    return value == usual ? "" : fmt::format(" --{} {}", name, value);
  };
  const std::string machine = block.is_real() ? "" : " --machines " + block.machine,
                    measured = fmt::format("{}", fmt::join(workloads, ", ")),
                    level = block.is_real() ? "" : unless("level", block.level, "bandwidth");
  return fmt::format(
      "skua compare{}{} --policies \"{}\" --workers {} --seeds {}{}{}{}{}{}{}{}{}", machine,
      block.is_program ? "" : fmt::format(" --workloads \"{}\"", measured), fmt::join(policies, ", "),
      block.workers, block.seeds, unless("first-seed", std::to_string(block.first_seed), "1"),
      unless("repeat", std::to_string(block.repeat), "1"), block.varies_input ? " --vary-input" : "",
      block.is_program ? "" : unless("size", block.size, "ci"), level, unless("pages", block.pages, ""),
      block.is_measured ? " --measured" : "", block.is_program ? " -- " + measured : "");
}

std::string sentence_of(const compared_row& row) {
  const compared_cell* const fastest = fastest_of(row);
  if (!fastest || !reference_of(row)) return row.workload + ": no result";
  const std::string ratio = fmt::format("{:.2f} [{:.2f}, {:.2f}]", fastest->relative.median,
                                        fastest->relative.min, fastest->relative.max);
  if (fastest->judged != standing::best)
    return fmt::format("{}: no policy is faster than random by more than the spread", row.workload);
  std::vector<std::string> others;
  for (const compared_cell& cell : row.cells)
    if (cell.judged == standing::best && &cell != fastest) others.push_back(cell.policy);
  return fmt::format("{}: {} takes {} of random's time{}{}", row.workload, fastest->policy, ratio,
                     others.empty() ? "" : "; not distinguishable from it: ", fmt::join(others, ", "));
}

std::string text_of(const compared_block& block) {
  text_rows table{{"workload"}};
  for (const compared_cell& cell : block.rows.front().cells) table.front().push_back(cell.policy);
  for (const compared_row& row : block.rows) {
    std::vector<std::string> medians{row.workload}, bands{""};
    for (const compared_cell& cell : row.cells) {
      medians.push_back(marked(cell, "*", ""));
      bands.push_back(band_text(cell));
    }
    table.push_back(std::move(medians));
    if (block.seeds > 1) table.push_back(std::move(bands));
  }
  std::string text = heading_of(block) + "\n" +
                     columns_of(table, {.texts = 1, .first_max = std::string::npos}) + rule + "\n";
  for (const compared_row& row : block.rows) text += "  " + sentence_of(row) + "\n";
  if (const std::string waits = text_on_waits(waits_of(block)); !waits.empty())
    text += base::wrapped(waits, 0);
  if (block.repeat > 1)
    return text + "\nfirst and last runs\n" +
           columns_of(repeated_table(block), {.texts = 2, .first_max = std::string::npos}) + repeated_legend +
           "\n";
  return text + "\nexplanation\n" +
         columns_of(reasons_table(block), {.texts = 2, .first_max = std::string::npos}) +
         (block.is_real() ? reasons_legend_real : reasons_legend) + "\n";
}

std::string markdown_of(const compared_block& block) {
  text_rows table{{"time relative to `random`"}};
  for (const compared_cell& cell : block.rows.front().cells)
    table.front().push_back(markdown_cell(cell.policy));
  for (const compared_row& row : block.rows) {
    table.push_back({"`" + markdown_cell(row.workload) + "`"});
    for (const compared_cell& cell : row.cells)
      table.back().push_back(marked(cell, "**", "**") + (block.seeds > 1 ? "<br>" + band_text(cell) : ""));
  }
  std::string text =
      fmt::format("### {}\n\n`{}`\n\n{}\n", heading_of(block), command_of(block), markdown_table(table, 1));
  for (const compared_row& row : block.rows) text += "- " + sentence_of(row) + ".\n";
  if (const std::string waits = text_on_waits(waits_of(block)); !waits.empty()) text += "\n" + waits;
  return text + "\n" + markdown_table(block.repeat > 1 ? repeated_table(block) : reasons_table(block), 2) +
         "\n";
}

std::string complaints_of(const std::vector<compared_block>& blocks) {
  std::string text, last;
  for (const compared_block& block : blocks)
    for (const compared_row& row : block.rows)
      for (const compared_cell& cell : row.cells) {
        if (!cell.complaint.empty() && cell.complaint != last) text += cell.complaint + "\n";
        last = cell.complaint;  // a program may fail with all policies for one reason
      }
  return text;
}

}  // namespace skua::paper
