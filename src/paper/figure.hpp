// A figure or table of a paper: its content, the runs for it, and the published results.
//
//   const figure cab8 = find_figure("cab", "fig8");
//   for (const point& at : cab8.points()) run(cab8.setup_at(at, size::full));
//
// The points of a figure are all combinations of its panels, series and positions on the x axis, except those that are
// `absent`. Each of the three contributes to the setup of a run. The format of the files: published/README.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "paper/quantity.hpp"

namespace skua::paper {

/// The detail of the machine model (L0 to L3). exact: computed, the same for every seed. host: measured on a real machine.
/// inputs: inputs of a model, so there is nothing to judge.
enum class level { L0, L1, L2, L3, exact, host, inputs };
std::string_view name_of(level) noexcept;

enum class size { quick, full };

/// The setup of a run for a point. Empty or 0: not given.
struct setup {
  std::string machine, workload, policy, substrate, measure;
  unsigned workers = 0;
  std::map<std::string, std::string> parameters, options;  // of the workload; of the run

  /// Values of `other` take precedence.
  void take(const setup& other);
};

/// A panel, a series or a position on the x axis.
struct entry {
  std::string name, title;
  setup run, quick;        // quick: in addition to run
  bool full_only = false;  // left out of a quick run
};

/// The setup of some points, in addition to their entries.
struct exception {
  selection where;
  setup run;
};

/// An input of a model.
struct input_value {
  std::string name, unit, place;
  double value;
};

struct figure {
  std::string paper, id, title, place, claim;
  enum level level;
  std::vector<std::uint64_t> seeds;
  std::string x_title, y_title;
  bool lines = false, shown_as_ratio = false;  // otherwise bars; with `shown_over`
  selection shown_over;                        // drawn relative to these points
  setup run, quick;
  std::vector<entry> panels, series, xs;
  std::vector<exception> also;
  std::set<point> absent;
  std::vector<published_value> values;
  std::vector<comparison> comparisons;
  std::vector<input_value> inputs;
  std::vector<std::string> remarks, needs;  // needs: what a run needs from skua
  std::vector<std::string> differs;         // if our result differs: why, and what was tried

  /// "cab fig8", as on the command line.
  std::string name() const { return paper + " " + id; }
  /// Panel by panel, series by series.
  std::vector<point> points(size = size::full) const;
  bool has(const point&) const;
  setup setup_at(const point&, size) const;
  /// "CAB at heat", with the titles.
  std::string words_for(const point&) const;
};

/// Reads the text of a file. Throws bad_input with the file, the value and what is allowed.
figure parse_figure(std::string_view file, std::string_view text);

/// The names of the papers on the command line, in the order of the documentation.
std::vector<std::string_view> papers();
std::string_view title_of_paper(std::string_view paper);

/// All figures of published/, ordered by paper and name, with fig2 before fig10.
const std::vector<figure>& all_figures();
/// Throws bad_input with the nearest name.
const figure& find_figure(std::string_view paper, std::string_view id);

}  // namespace skua::paper
