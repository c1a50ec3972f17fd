// `skua paper`: what five papers published, beside what skua's simulated machine says.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include <skua/topology.hpp>

#include "cli/commands.hpp"
#include "cli/page_file.hpp"
#include "cli/paper/paper_exact.hpp"
#include "cli/paper/paper_json.hpp"
#include "cli/paper/paper_runner.hpp"
#include "cli/paper/paper_words.hpp"
#include "cli/progress_line.hpp"
#include "cli/refusals.hpp"
#include "paper/page.hpp"

namespace skua::cli {
namespace {

using nlohmann::ordered_json;
using figures = std::vector<const paper::figure*>;

struct paper_options {
  std::string paper, figure, size = "quick", plot, markdown, html, keep;
  std::size_t seeds = 0;
  bool all = false, json = false;

  paper::size how_much() const { return size == "quick" ? paper::size::quick : paper::size::full; }
  /// Everything was asked for, and nothing said of where it goes: then pages are what is wanted.
  void choose_pages() {
    if (!all || !paper.empty() || json || !markdown.empty() || !html.empty()) return;
    markdown = "fidelity.md";
    html = "fidelity.html";
  }
  bool runs() const { return all || !figure.empty(); }
};

figures chosen_figures(const paper_options& options) {
  if (!options.figure.empty()) return {&paper::find_figure(options.paper, options.figure)};
  const std::vector<std::string_view> known = paper::papers();
  if (!options.paper.empty() && std::ranges::find(known, options.paper) == known.end())
    throw bad_input(no_such("paper", options.paper, known));
  figures chosen;
  for (const paper::figure& one : paper::all_figures())
    if (options.paper.empty() || one.paper == options.paper) chosen.push_back(&one);
  return chosen;
}

void check(const paper_options& options) {
  if (options.all && !options.figure.empty())
    throw bad_input(fmt::format("'{}' is not allowed with --all; allowed: nothing, or a paper; nearest: {}",
                                options.figure, options.paper));
  if (!options.plot.empty() && options.figure.empty())
    throw bad_input("--plot draws one figure; allowed: skua paper PAPER FIGURE --plot FILE.svg");
  if ((!options.markdown.empty() || !options.html.empty()) && !options.runs())
    throw bad_input("pages show what was run; allowed: skua paper --all, or skua paper PAPER FIGURE");
  if (!options.keep.empty() && !options.runs())
    throw bad_input("--keep keeps what was run; allowed: skua paper --all, or skua paper PAPER FIGURE");
}

std::vector<paper::result> run_figures(const figures& chosen, const paper_options& options,
                                       paper_runner& runner) {
  {
    progress_line line;
    runner.run(chosen, [&](std::size_t done, std::size_t all) { line.show_runs(done, all); });
  }
  std::vector<paper::result> results;
  for (const paper::figure* of : chosen) {
    const auto read = [&](const paper::figure& one, const paper::run_options&) {
      return runner.outcome_of(one);
    };
    results.push_back(paper::run(*of, {{of->name(), read}}, {.size = options.how_much(), .seeds = {}}));
    paper::result& last = results.back();
    if (last.found.result == paper::verdict::not_run && !last.came_out.not_run.empty())
      last.found.reason = last.came_out.not_run;
  }
  return results;
}

void print_list(const figures& chosen, const paper_options& options) {
  if (!options.json) return fmt::print("{}", list_of(chosen, options.how_much()));
  ordered_json list = ordered_json::array();
  for (const paper::figure* of : chosen)
    list.push_back(json_of(*of, paper::coverage_of(*of, options.how_much(), exact_value)));
  fmt::print("{}\n", list.dump(2));
}

void print_results(const std::vector<paper::result>& results, const paper_options& options) {
  if (options.json) {
    ordered_json all = ordered_json::array();
    for (const paper::result& one : results)
      all.push_back(json_of(one, options.how_much(), seeds_for(*one.what, options.seeds)));
    fmt::print("{}\n", (options.all ? all : all.front()).dump(2));
  } else if (options.all) {
    fmt::print("{}", paper::terminal_list(results));
  } else {
    fmt::print("{}", paper::terminal_page(results.front()));
  }
}

/// What the words of a page mean.
constexpr const char* introduction =
    "Ours is the median over the seeds, and in brackets the least and the greatest. A published number is "
    "reproduced when it lies between these two, or within 10% of our median where it is not computed "
    "exactly; a comparison that the paper states holds when it does in at least 4 of 5 seeds. A figure is "
    "'reproduced' when all its numbers are and all its comparisons hold; 'same sign and order' when all its "
    "comparisons hold, and each number that is missed is part of one; else 'different'. Quick sizes are "
    "small: most are a part of the published input, and full size may come out otherwise. What was tried was "
    "run apart, with the model as it was then; its numbers may be some percent off what the same run gives "
    "now. Figures that say 'not run' say what they need; no number on this page is made up.";

paper::page_heading heading_for(const paper_options& options) {
  return {.command = fmt::format(
              "skua paper {}--size {}{}",
              options.all ? fmt::format("{}{}--all ", options.paper, options.paper.empty() ? "" : " ")
                          : fmt::format("{} {} ", options.paper, options.figure),
              options.size, options.seeds ? fmt::format(" --seeds {}", options.seeds) : ""),
          .introduction = introduction};
}

int run_paper(paper_options options) {
  check(options);
  options.choose_pages();
  const figures chosen = chosen_figures(options);
  if (!options.runs()) {
    print_list(chosen, options);
    return 0;
  }
  paper_runner runner(options.how_much(), options.seeds, options.keep);  // before a page is opened, and empty
  page_file plot(options.plot, {".svg"}), markdown(options.markdown), html(options.html);
  const std::vector<paper::result> results = run_figures(chosen, options, runner);
  print_results(results, options);
  plot.write([&] { return paper::plot_file(results.front()); });
  markdown.write([&] { return paper::markdown_page(results, heading_for(options)); });
  html.write([&] { return paper::html_page(results, heading_for(options)); });
  if (!options.json && !options.markdown.empty() && !options.html.empty())
    fmt::print("\nwritten: {} and {}\n", options.markdown, options.html);
  return runner.failed() ? 1 : 0;
}

}  // namespace

void add_paper(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<paper_options>();
  CLI::App* command = app.add_subcommand("paper", "Hold figures of papers against the simulated machine");
  command->add_option("PAPER", options->paper,
                      "cab, tatl, steal-hints, adm or tbb-thesis; alone: its figures");
  command->add_option("FIGURE", options->figure, "fig8, table4, ...; without: a list of all");
  command->add_flag("--all", options->all,
                    "run every figure that can be run, or every one of PAPER; all of all papers go into\n"
                    "fidelity.md and fidelity.html where neither page nor --json is asked for");
  command
      ->add_option(
          "--size", options->size,
          "quick, if not given: small inputs; on one CPU a figure takes from a second to ten minutes;\n"
          "full: as published")
      ->check(one_of({"quick", "full"}));
  command
      ->add_option("--seeds", options->seeds,
                   "how many seeds: those from 1 to so many, at least 5; else 5, or as the figure says")
      ->check(whole_number(paper::min_seeds, 1000));
  command->add_option("--plot", options->plot, "draw the figure: FILE.svg");
  command->add_option("--markdown", options->markdown, "a page of what came out: FILE");
  command->add_option("--html", options->html, "the same with charts: FILE");
  command->add_option("--keep", options->keep,
                      "what each run printed is kept in FILE, and what is there is not run again;\n"
                      "remove it after a change of the model");
  command->add_flag("--json", options->json, "JSON instead of text");
  command->footer(
      "Exit code: 0 whatever the verdict, 1 when a run failed, 2 for bad input.\n"
      "Examples:\n"
      "  skua paper\n"
      "  skua paper cab fig8 --plot fig8.svg\n"
      "  skua paper --all --size quick --markdown fidelity.md --html fidelity.html");
  command->callback([options, &exit_code] { exit_code = run_paper(*options); });
}

}  // namespace skua::cli
