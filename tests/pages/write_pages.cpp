// Writes the pages of `skua paper` for all published figures and for one with hostile texts, from made-up samples:
// write_pages FOLDER. pages_test.py reads the pages.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <utility>

#include "paper/figure_page.hpp"
#include "paper/plot.hpp"

namespace {

using namespace skua::paper;

/// Numbers between 1 and 2 that differ for each point and seed and are the same on every machine.
outcome made_up(const figure& of) {
  outcome made;
  std::uint64_t state = 1;
  for (const point& here : of.points())
    for (std::size_t seed = 0; seed < 5; ++seed) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      made.measured[here].push_back(1 + static_cast<double>(state >> 44) / (1 << 20));
    }
  made.command = "skua paper " + of.name() + " <made up>";
  made.seconds = 1.5;
  made.assumptions = {"everything & nothing"};
  made.tuned = {{"hop", "42", "so that <it> fits"}};
  return made;
}

result judged(const figure& of, outcome came_out) {
  figure_judgement found = judge(of, came_out.measured);
  return {&of, std::move(came_out), std::move(found)};
}

void write(const std::filesystem::path& file, const std::string& text) { std::ofstream(file) << text; }

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return 2;
  const std::filesystem::path folder = arguments[1];
  static const figure hostile = parse_figure("cab-hostile.json", R"({"paper": "cab", "id": "hostile",
    "title": "<b>\"a\" & 'b' | *c*", "place": "]]>", "claim": "</style><script>", "level": "L0",
    "axes": {"x": "<x>", "y": "&y"}, "series": [{"name": "a", "title": "a<b"}], "xs": [{"name": "1", "title": "1&2"}],
    "values": [{"of": {"series": "a"}, "published": 1.5, "from": "text", "place": "p|q"}]})");
  std::vector<result> results;
  for (const figure& one : all_figures()) results.push_back(judged(one, made_up(one)));
  results.push_back(judged(hostile, made_up(hostile)));
  for (const result& one : results)
    write(folder / (one.what->paper + "-" + one.what->id + ".svg"), plot_file(one));
  results.push_back(run(find_figure("cab", "fig8"), {}, {}));  // no experiments: not run
  write(folder / "nothing.svg", plot_file(run(find_figure("cab", "fig8"), {}, {})));
  const page_heading heading{
      .title = "Made-up <results>", .command = "write_pages", .introduction = "None of it is true."};
  write(folder / "page.html", html_page(results, heading));
  write(folder / "page.md", markdown_page(results, heading, "images"));
  const heat_map map{.title = "time & policies",
                     .corner = "machine, workload",
                     .columns = {"random", "a<b", "bitier"},
                     .rows = {{"heat on m1", {1, 0.5, 0.504}}, {"sor on m2", {1, {}, 2.5}}}};
  write(folder / "map.svg", svg_file(map.title, {draw(map)}));
  write(folder / "map.html", html_of(map));
  write(folder / "map.md", markdown_of(map));
  std::cout << terminal_list(results) << "\n" << terminal_page(results.front()) << "\n" << text_of(map);
}
