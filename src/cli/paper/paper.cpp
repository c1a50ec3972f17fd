// `skua paper`: compares the figures of five papers with the results of skua's simulated machines.
#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include <skua/topology.hpp>

#include "cli/command_line.hpp"
#include "cli/output.hpp"
#include "cli/paper/paper.hpp"
#include "cli/paper/paper_runner.hpp"
#include "cli/progress_line.hpp"
#include "paper/figure_page.hpp"

namespace skua::cli {
namespace {

using figures = std::vector<const paper::figure*>;

struct paper_options {
  std::string paper, figure, size = "quick", plot, markdown, html, keep;
  std::size_t seeds = 0;
  bool all = false, json = false;

  paper::size how_much() const { return size == "quick" ? paper::size::quick : paper::size::full; }
  /// Plain --all writes pages.
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
    throw bad_input(
        "--markdown and --html need results; allowed: skua paper --all, or skua paper PAPER FIGURE");
  if (!options.keep.empty() && !options.runs())
    throw bad_input("--keep needs runs; allowed: skua paper --all, or skua paper PAPER FIGURE");
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
    if (last.found.result == paper::judgement::not_run && !last.came_out.not_run.empty())
      last.found.reason = last.came_out.not_run;
  }
  return results;
}

void print_list(const figures& chosen, const paper_options& options) {
  if (options.json)
    print_list_json(chosen, options.how_much());
  else
    fmt::print("{}", list_of(chosen, options.how_much()));
}

void print_results(const std::vector<paper::result>& results, const paper_options& options) {
  if (options.json)
    print_results_json(results, options.how_much(), options.seeds, options.all);
  else if (options.all)
    fmt::print("{}", paper::terminal_list(results));
  else
    fmt::print("{}", paper::terminal_page(results.front()));
}

/// Explains the words of a page.
constexpr const char* introduction =
    "Our value is the median over the seeds, with the minimum and the maximum in brackets. A published "
    "number is reproduced if it lies between these two or, unless the figure is computed exactly, within "
    "10% of our median. A comparison that the paper states holds if it holds in at least 4 of 5 seeds. A "
    "figure is 'reproduced' if all its numbers are reproduced and all its comparisons hold. It has the "
    "'same sign and order' if all its comparisons hold and each number that is not reproduced is part of "
    "one of them. Otherwise it is 'different'. L0 to L3 say how much of the machine is modelled. Quick "
    "sizes are small: most are a part of the published input, and the full size may give other results. "
    "Lines about what was tried come from separate runs with an earlier model; the same run may give "
    "numbers that differ by some percent now. Figures that were not run state what they need.";

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
  paper_runner runner(options.how_much(), options.seeds, options.keep);  // before a page is opened
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

void add_paper(command_set& commands) {
  const auto options = std::make_shared<paper_options>();
  command tool = commands.add("paper", "Compare the figures of papers with simulated machines");
  tool.option("PAPER", options->paper,
              "cab, tatl, steal-hints, adm or tbb-thesis; without FIGURE: list its figures");
  tool.option("FIGURE", options->figure, "fig8, table4, ... (default: list all figures)");
  tool.flag("--all", options->all,
            "run every figure of PAPER, or of all papers; the results of all papers go to fidelity.md and\n"
            "fidelity.html, unless --json, --markdown or --html is given");
  tool.option("--size", options->size,
              "quick (default): small inputs; on one CPU a figure takes from a second to ten minutes;\n"
              "full: as published")
      .check(one_of({"quick", "full"}));
  tool.option("--seeds", options->seeds,
              "number of seeds, at least 5: the seeds 1 to this number (default: 5, or as the figure says)")
      .check(whole_number(paper::min_seeds, 1000));
  tool.option("--plot", options->plot, "draw the figure: FILE.svg");
  tool.option("--markdown", options->markdown, "write the results as Markdown: FILE");
  tool.option("--html", options->html, "write the results as a page with charts: FILE");
  tool.option("--keep", options->keep,
              "store the output of each run in FILE, and do not repeat a run that FILE already has;\n"
              "remove FILE when the model changes");
  tool.flag("--json", options->json, "print JSON instead of text");
  tool.footer(
      "Exit code: 0 for any verdict, 1 when a run failed, 2 for bad input.\n"
      "Examples:\n"
      "  skua paper\n"
      "  skua paper cab fig8 --plot fig8.svg\n"
      "  skua paper --all --size quick --markdown fidelity.md --html fidelity.html");
  tool.action([options] { return run_paper(*options); });
}

}  // namespace skua::cli
