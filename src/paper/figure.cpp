#include "paper/figure.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <span>

#include <skua/topology.hpp>

#include "base/nearest_name.hpp"
#include "paper/known_figures.hpp"

namespace skua::paper {

namespace {

constexpr std::array<std::array<std::string_view, 2>, 5> known_papers = {{
    {"cab", "CAB: Cache Aware Bi-tier Task-stealing in Multi-socket Multi-core Architecture (ICPP 2011)"},
    {"tatl", "Topology Aware Task Stealing for On-Chip NUMA Multi-Core Processors (ICCS 2013)"},
    {"steal-hints", "Design and Implementation of a Customizable Work Stealing Scheduler (ROSS 2013)"},
    {"adm", "Flexible Architectural Support for Fine-Grain Scheduling (ASPLOS 2010)"},
    {"tbb-thesis", "Optimization Techniques for Task-based Parallel Programming Models (thesis, NTUA 2014)"},
}};

const entry* find(const std::vector<entry>& entries, const std::string& name) {
  const auto at = std::ranges::find(entries, name, &entry::name);
  return at == entries.end() ? nullptr : &*at;
}

/// Compares numbers within names as numbers: fig2 before fig10.
bool before(std::string_view a, std::string_view b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  while (!a.empty() && !b.empty()) {
    if (digit(a[0]) && digit(b[0])) {
      const auto take = [&](std::string_view& from) {
        std::size_t number = 0;
        while (!from.empty() && digit(from[0])) {
          number = number * 10 + static_cast<std::size_t>(from[0] - '0');
          from.remove_prefix(1);
        }
        return number;
      };
      const std::size_t left = take(a), right = take(b);
      if (left != right) return left < right;
      continue;
    }
    if (a[0] != b[0]) return a[0] < b[0];
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.size() < b.size();
}

std::vector<figure> read_all() {
  std::vector<figure> figures;
  for (const known_figure& one : all_known_figures)
    figures.push_back(parse_figure("published/" + std::string(one.name) + ".json", one.text));
  const std::vector<std::string_view> known = papers();
  const auto rank = [&](const figure& one) { return std::ranges::find(known, one.paper) - known.begin(); };
  std::ranges::sort(figures, [&](const figure& a, const figure& b) {
    return rank(a) != rank(b) ? rank(a) < rank(b) : before(a.id, b.id);
  });
  return figures;
}

[[noreturn]] void refuse(std::string_view what, std::string_view name,
                         std::span<const std::string_view> names) {
  throw bad_input(std::string(what) + " '" + std::string(name) + "' does not exist; allowed: " +
                  skua::base::list_of_names(names) + skua::base::or_nearest(name, names));
}

}  // namespace

void setup::take(const setup& other) {
  const auto take_word = [](std::string& mine, const std::string& theirs) {
    if (!theirs.empty()) mine = theirs;
  };
  take_word(machine, other.machine);
  take_word(workload, other.workload);
  take_word(policy, other.policy);
  take_word(substrate, other.substrate);
  take_word(measure, other.measure);
  if (other.workers) workers = other.workers;
  for (const auto& [key, value] : other.parameters) parameters[key] = value;
  for (const auto& [key, value] : other.options) options[key] = value;
}

std::vector<point> figure::points(size how_much) const {
  const auto left_out = [&](const entry& one) { return how_much == size::quick && one.full_only; };
  std::vector<point> all;
  for (const entry& panel : panels)
    for (const entry& one : series)
      for (const entry& x : xs)
        if (const point here{panel.name, one.name, x.name};
            !absent.contains(here) && !left_out(panel) && !left_out(one) && !left_out(x))
          all.push_back(here);
  return all;
}

bool figure::has(const point& here) const {
  return find(panels, here.panel) && find(series, here.series) && find(xs, here.x) && !absent.contains(here);
}

setup figure::setup_at(const point& here, size how_much) const {
  if (!has(here)) throw bad_input(name() + " has no point " + here.panel + "/" + here.series + "/" + here.x);
  const entry* parts[] = {find(panels, here.panel), find(series, here.series), find(xs, here.x)};
  setup made = run;
  for (const entry* part : parts) made.take(part->run);
  const auto in = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || std::ranges::find(names, name) != names.end();
  };
  for (const exception& one : also)
    if (in(one.where.panel, here.panel) && in(one.where.series, here.series) && in(one.where.x, here.x))
      made.take(one.run);
  if (how_much == size::full) return made;
  made.take(quick);
  for (const entry* part : parts) made.take(part->quick);
  return made;
}

std::string figure::words_for(const point& here) const {
  const auto titled = [](const std::vector<entry>& entries, const std::string& name) {
    const entry* one = find(entries, name);
    return one ? one->title : name;
  };
  std::string words = titled(series, here.series);
  const std::string x = titled(xs, here.x), panel = titled(panels, here.panel);
  if (!x.empty()) words += (words.empty() ? "" : " at ") + x;
  if (!panel.empty()) words = words.empty() ? panel : panel + ": " + words;
  return words;
}

std::vector<std::string_view> papers() {
  std::vector<std::string_view> names;
  for (const auto& one : known_papers) names.push_back(one[0]);
  return names;
}

std::string_view title_of_paper(std::string_view paper) {
  const auto at = std::ranges::find(known_papers, paper, [](const auto& one) { return one[0]; });
  return at == known_papers.end() ? std::string_view() : (*at)[1];
}

const std::vector<figure>& all_figures() {
  static const std::vector<figure> figures = read_all();
  return figures;
}

const figure& find_figure(std::string_view paper, std::string_view id) {
  const std::vector<std::string_view> known = papers();
  if (std::ranges::find(known, paper) == known.end()) refuse("paper", paper, known);
  std::vector<std::string_view> ids;
  for (const figure& one : all_figures()) {
    if (one.paper != paper) continue;
    if (one.id == id) return one;
    ids.push_back(one.id);
  }
  refuse("figure", id, ids);
  std::abort();  // refuse has thrown
}

}  // namespace skua::paper
