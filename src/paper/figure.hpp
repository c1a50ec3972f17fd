// A figure or table of a paper: what it shows, what skua has to run for it, and what the paper says came out.
//
//   const figure cab8 = find_figure("cab", "fig8");
//   for (const point& at : cab8.points()) run(cab8.setup_at(at, size::full));
//
// The points of a figure are all combinations of its panels, series and places on the x axis, but for those that are
// `absent`. Each of the three gives a part of what is run. The format of the files: published/README.md.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "paper/quantity.hpp"

namespace skua::paper {

/// How much of a machine is modelled (L0 to L3). exact: computed, the same for every seed. host: measured on the machine
/// at hand. inputs: numbers that a model is fed with, so nothing to judge.
enum class level { L0, L1, L2, L3, exact, host, inputs };
std::string_view name_of(level) noexcept;

enum class size { quick, full };

/// What is run for a point. Empty or 0: not said.
struct setup {
  std::string machine, workload, policy, substrate, measure;
  unsigned workers = 0;
  std::map<std::string, std::string> parameters, options;  // of the workload; of the run

  /// What the other says goes before what this one says.
  void take(const setup& other);
};

/// A panel, a series or a place on the x axis.
struct entry {
  std::string name, title;
  setup run, quick;        // quick: on top of run
  bool full_only = false;  // left out of a quick run
};

/// What is run for some points, on top of what their entries say.
struct exception {
  selection where;
  setup run;
};

/// A value that a model is fed with.
struct input_value {
  std::string name, unit, place;
  double value;
};

struct figure {
  std::string paper, id, title, place, claim;
  enum level level;
  std::vector<std::uint64_t> seeds;
  std::string x_title, y_title;
  bool lines = false, shown_as_ratio = false;  // else bars; with `shown_over`
  selection shown_over;                        // drawn in proportion to these points
  setup run, quick;
  std::vector<entry> panels, series, xs;
  std::vector<exception> also;
  std::set<point> absent;
  std::vector<published_value> values;
  std::vector<comparison> comparisons;
  std::vector<input_value> inputs;
  std::vector<std::string> remarks, needs;  // needs: what a run for it wants of skua
  std::vector<std::string> differs;         // where ours is another: why, and what was tried

  /// "cab fig8", as the user types it.
  std::string name() const { return paper + " " + id; }
  /// Panel by panel, series by series.
  std::vector<point> points(size = size::full) const;
  bool has(const point&) const;
  setup setup_at(const point&, size) const;
  /// "CAB at heat", with the titles.
  std::string words_for(const point&) const;
};

/// Of a file's text. Throws bad_input that names the file, the value and what is allowed.
figure parse_figure(std::string_view file, std::string_view text);

/// The papers as the user types them, in the order of this project's documents.
std::vector<std::string_view> papers();
std::string_view title_of_paper(std::string_view paper);

/// Those of published/, paper by paper, fig2 before fig10.
const std::vector<figure>& all_figures();
/// Throws bad_input with the nearest name.
const figure& find_figure(std::string_view paper, std::string_view id);

}  // namespace skua::paper
