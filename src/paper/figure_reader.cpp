#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/json_part.hpp"
#include "base/nearest_name.hpp"
#include "paper/figure.hpp"

namespace skua::paper {

using base::json_part;

namespace {

constexpr double any = 1e30;

/// The index of a text in `names`. Throws bad_input with the nearest name.
std::size_t one_of(const json_part& part, std::span<const std::string_view> names) {
  const std::string given = part.text();
  const auto at = std::ranges::find(names, given);
  if (at == names.end())
    part.refuse("'" + given + "'", skua::base::list_of_names(names) + skua::base::or_nearest(given, names));
  return static_cast<std::size_t>(at - names.begin());
}

std::vector<std::string_view> names_of(const std::vector<entry>& entries) {
  std::vector<std::string_view> names;
  for (const entry& one : entries) names.push_back(one.name);
  return names;
}

/// A name, a list of names, or "*".
std::vector<std::string> coordinate_of(const json_part& part, const std::vector<entry>& entries) {
  const std::vector<std::string_view> names = names_of(entries);
  if (part.is_text() && part.text() == "*") return {names.begin(), names.end()};
  std::vector<std::string> chosen;
  for (const json_part& one : part.is_list() ? part.list() : std::vector{part})
    chosen.emplace_back(names[one_of(one, names)]);
  return chosen;
}

/// The coordinates among a quantity's or a selection's members.
selection coordinates_of(const json_part& part, const figure& found) {
  const auto read = [&](std::string_view key, const std::vector<entry>& entries) {
    const auto given = part.find(key);
    return given ? coordinate_of(*given, entries) : std::vector<std::string>();
  };
  return {read("panel", found.panels), read("series", found.series), read("x", found.xs)};
}

/// {"series": "a", "x": "*"}; coordinates that are not named stay empty.
selection selection_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"panel", "series", "x"};
  part.allow_only(keys);
  return coordinates_of(part, found);
}

bool has_many(const selection& some) {
  return some.panel.size() > 1 || some.series.size() > 1 || some.x.size() > 1;
}

pick pick_of(const json_part& part, const selection& of) {
  static constexpr std::string_view names[] = {"largest", "smallest", "mean", "median"};
  const auto given = part.find("pick");
  if (given && !has_many(of)) given->refuse("'" + given->text() + "'", "more than one point to pick from");
  if (!given && has_many(of))
    part.refuse("several points", "a \"pick\" of them: " + skua::base::list_of_names(names));
  return given ? static_cast<pick>(1 + one_of(*given, names)) : pick::only;
}

quantity quantity_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"panel", "series", "x", "over", "pick"};
  if (part.is_number()) return {.constant = part.number(-any, any), .of = {}, .over = {}};
  if (part.is_text()) return {.constant = {}, .of = {{}, coordinate_of(part, found.series), {}}, .over = {}};
  part.allow_only(keys);
  quantity what{.constant = {}, .of = coordinates_of(part, found), .over = {}};
  if (const auto over = part.find("over")) {
    what.over = selection_of(*over, found);
    if (has_many(*what.over)) over->refuse("several points", "one");
  }
  what.picked = pick_of(part, what.of);
  return what;
}

/// 1.7, or from 1.01 to 1.02.
std::pair<double, double> range_of(const json_part& part) {
  if (!part.is_list()) return {part.number(-any, any), part.number(-any, any)};
  const std::vector<json_part> ends = part.list();
  if (ends.size() != 2)
    part.refuse("of " + std::to_string(ends.size()), "a number, or a minimum and a maximum");
  const double low = ends[0].number(-any, any);
  return {low, ends[1].number(low, any)};
}

/// The sides. "least" and "most" give the first side, and the coordinate over which the others vary.
void read_sides(const json_part& part, const json_part& sides, const figure& found, comparison& to) {
  if (to.kind != relation::min && to.kind != relation::max) {
    for (const json_part& side : sides.list()) to.sides.push_back(quantity_of(side, found));
    if (to.sides.size() < 2) sides.refuse("one", "two or more to compare");
    return;
  }
  static constexpr std::string_view coordinates[] = {"panel", "series", "x"};
  const std::size_t among = one_of(part.member("among"), coordinates);
  const quantity first = quantity_of(sides, found);
  const auto coordinate = [&](selection& of) -> std::vector<std::string>& {
    return among == 0 ? of.panel : among == 1 ? of.series : of.x;
  };
  to.sides.push_back(first);
  for (const entry& other : among == 0 ? found.panels : among == 1 ? found.series : found.xs) {
    quantity side = first;
    if (coordinate(side.of) == std::vector{other.name}) continue;
    coordinate(side.of) = {other.name};
    to.sides.push_back(side);
  }
  if (coordinate(to.sides[0].of).empty())
    sides.refuse("without " + std::string(coordinates[among]), "one with it");
}

published_value value_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"of",   "published", "against", "reading_error",
                                              "from", "says",      "place"};
  static constexpr std::string_view sources[] = {"text", "table", "picture", "formula"};
  part.allow_only(keys);
  const auto [low, high] = range_of(part.member("published"));
  const auto against = part.find("against");
  const double unit = against ? against->number(1e-30, any) : 1;
  published_value value{.what = quantity_of(part.member("of"), found),
                        .low = low / unit,
                        .high = high / unit,
                        .from = static_cast<published_value::source>(one_of(part.member("from"), sources)),
                        .says = part.find("says") ? part.member("says").text() : "",
                        .place = part.member("place").text()};
  if (value.what.constant) part.member("of").refuse("a number", "points of the figure");
  if (against && !value.what.over) against->refuse(against->word(), "for the ratio of two points only");
  const auto error = part.find("reading_error");
  if (error.has_value() != (value.from == published_value::source::picture))
    part.refuse(error ? "a value that is not from a picture" : "a value of a picture",
                "a reading_error for values that were read from a picture, and for no others");
  if (error) value.reading_error = error->number(0, any) / unit;
  value.low -= value.reading_error;
  value.high += value.reading_error;
  return value;
}

comparison comparison_of(const json_part& part, const figure& found) {
  static constexpr std::string_view keys[] = {"less",  "not_more", "about",     "least", "most",
                                              "among", "at",       "tolerance", "says",  "place"};
  static constexpr std::string_view kinds[] = {"less", "not_more", "about", "least", "most"};
  part.allow_only(keys);
  std::vector<std::size_t> said;
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (part.find(kinds[i])) said.push_back(i);
  if (said.size() != 1)
    part.refuse("of " + std::to_string(said.size()) + " kinds", "one of " + skua::base::list_of_names(kinds));
  comparison claim{.kind = static_cast<relation>(said[0]),
                   .sides = {},
                   .at = {},
                   .says = part.member("says").text(),
                   .place = part.member("place").text()};
  read_sides(part, part.member(kinds[said[0]]), found, claim);
  if (const auto at = part.find("at")) claim.at = selection_of(*at, found);
  if (claim.kind == relation::about) claim.tolerance = part.member("tolerance").number(1e-9, 1e9);
  return claim;
}

constexpr std::string_view levels[] = {"L0", "L1", "L2", "L3", "exact", "host", "inputs"};

/// The measures of a point.
constexpr std::string_view measures[] = {"seconds",
                                         "speedup",
                                         "l2_misses",
                                         "l3_misses",
                                         "steal_miss_ratio",
                                         "remote_ratio",
                                         "steal_misses",
                                         "remote_misses",
                                         "stolen_share",
                                         "inter_tier_share",
                                         "running_share",
                                         "queue_share",
                                         "starved_share",
                                         "stealing_share",
                                         "steal_wait_share",
                                         "library_share",
                                         "manager_share",
                                         "overflow_share",
                                         "reduction_cycles",
                                         "cycles_a_task",
                                         "handler_cycles",
                                         "enqueue_cycles",
                                         "dequeue_cycles",
                                         "update_cycles",
                                         "match_cycles",
                                         "send_cycles",
                                         "receive_cycles",
                                         "manager_busy",
                                         "stolen_depth",
                                         "stolen_work",
                                         "footprint_bytes",
                                         "boundary_level",
                                         "translation_entries",
                                         "messages",
                                         "neighbour_tries",
                                         "package",
                                         "uneven_packages",
                                         "task_cycles",
                                         "phases",
                                         "tasks",
                                         "stealing_of_all",
                                         "stealing_of_library",
                                         "spawning_of_library",
                                         "own_queue_of_library",
                                         "suspending_of_library",
                                         "steal_wait_of_stealing",
                                         "waiting_of_stealing",
                                         "looking_of_stealing",
                                         "claiming_of_stealing",
                                         "taking_of_stealing"};

std::string text_or_none(const json_part& part, std::string_view key) {
  const auto found = part.find(key);
  return found ? found->text() : "";
}

std::vector<std::string> texts_of(const json_part& all, std::string_view key) {
  std::vector<std::string> texts;
  if (const auto found = all.find(key))
    for (const json_part& one : found->list()) texts.push_back(one.text());
  return texts;
}

std::map<std::string, std::string> words_of(const json_part& part, std::string_view key) {
  std::map<std::string, std::string> words;
  if (const auto found = part.find(key))
    for (const auto& [name, value] : found->members()) words[name] = value.word();
  return words;
}

setup setup_of(const json_part& all, std::string_view key) {
  static constexpr std::string_view keys[] = {"machine", "workload", "policy",     "substrate",
                                              "measure", "workers",  "parameters", "options"};
  const auto part = all.find(key);
  if (!part) return {};
  part->allow_only(keys);
  const auto measure = part->find("measure");
  const auto workers = part->find("workers");
  return {.machine = text_or_none(*part, "machine"),
          .workload = text_or_none(*part, "workload"),
          .policy = text_or_none(*part, "policy"),
          .substrate = text_or_none(*part, "substrate"),
          .measure = measure ? std::string(measures[one_of(*measure, measures)]) : "",
          .workers = workers ? workers->whole(1, 4096) : 0,
          .parameters = words_of(*part, "parameters"),
          .options = words_of(*part, "options")};
}

std::vector<entry> entries_of(const json_part& all, std::string_view key) {
  static constexpr std::string_view keys[] = {"name", "title", "run", "quick", "full_only"};
  const auto part = all.find(key);
  if (!part) return {entry{}};
  std::vector<entry> entries;
  for (const json_part& one : part->list()) {
    one.allow_only(keys);
    entry made{
        .name = one.member("name").text(), .title = text_or_none(one, "title"), .run = {}, .quick = {}};
    if (made.title.empty()) made.title = made.name;
    if (std::ranges::find(entries, made.name, &entry::name) != entries.end())
      one.member("name").refuse("'" + made.name + "' again", "different names");
    made.run = setup_of(one, "run");
    made.quick = setup_of(one, "quick");
    made.full_only = one.find("full_only") && one.member("full_only").yes_or_no();
    entries.push_back(std::move(made));
  }
  return entries;
}

std::set<point> absent_of(const json_part& all, const figure& found) {
  std::set<point> absent;
  const auto part = all.find("absent");
  if (!part) return absent;
  const auto every = [](std::vector<std::string> names, const std::vector<entry>& entries) {
    if (names.empty())
      for (const entry& one : entries) names.push_back(one.name);
    return names;
  };
  for (const json_part& one : part->list()) {
    const selection some = selection_of(one, found);
    for (const std::string& panel : every(some.panel, found.panels))
      for (const std::string& series : every(some.series, found.series))
        for (const std::string& x : every(some.x, found.xs)) absent.insert({panel, series, x});
  }
  return absent;
}

std::vector<exception> exceptions_of(const json_part& all, const figure& found) {
  static constexpr std::string_view keys[] = {"where", "run"};
  std::vector<exception> exceptions;
  if (const auto part = all.find("also"))
    for (const json_part& one : part->list()) {
      one.allow_only(keys);
      one.member("run");
      exceptions.push_back({selection_of(one.member("where"), found), setup_of(one, "run")});
    }
  return exceptions;
}

std::vector<input_value> inputs_of(const json_part& all) {
  static constexpr std::string_view keys[] = {"name", "value", "unit", "place"};
  std::vector<input_value> inputs;
  if (const auto part = all.find("inputs"))
    for (const json_part& one : part->list()) {
      one.allow_only(keys);
      inputs.push_back({.name = one.member("name").text(),
                        .unit = text_or_none(one, "unit"),
                        .place = one.member("place").text(),
                        .value = one.member("value").number(-1e30, 1e30)});
    }
  return inputs;
}

std::vector<std::uint64_t> seeds_of(const json_part& all) {
  std::vector<std::uint64_t> seeds;
  if (const auto part = all.find("seeds"))
    for (const json_part& one : part->list()) seeds.push_back(one.whole_number(0, 1u << 31));
  else
    seeds = {1, 2, 3, 4, 5};
  return seeds;
}

/// The name of the file matches its content, and the figure makes a claim.
void check(const json_part& all, const figure& found, std::string_view file) {
  const std::string name = found.paper + "-" + found.id;
  const std::size_t slash = file.rfind('/');
  std::string_view stem = file.substr(slash == std::string_view::npos ? 0 : slash + 1);
  if (stem.ends_with(".json")) stem.remove_suffix(5);
  if (stem != name) all.member("id").refuse("of " + name, std::string(stem) + ", the name of the file");
  if (!std::ranges::all_of(found.id, [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; }))
    all.member("id").refuse("'" + found.id + "'", "letters, digits, - and _");
  const bool says = !found.values.empty() || !found.comparisons.empty();
  if (found.level == level::inputs ? found.inputs.empty() : !says)
    all.refuse("without a claim", "published values, comparisons or, on level inputs, inputs");
  if (found.level != level::exact && found.level != level::inputs && found.seeds.size() < 5)
    all.member("seeds").refuse("of " + std::to_string(found.seeds.size()), "5 or more");
}

}  // namespace

std::string_view name_of(enum level which) noexcept { return levels[static_cast<std::size_t>(which)]; }

figure parse_figure(std::string_view file, std::string_view text) {
  static constexpr std::string_view keys[] = {
      "paper",      "id",     "title",       "place",  "claim",  "level", "seeds",  "axes",
      "plot",       "run",    "quick",       "panels", "series", "xs",    "also",   "absent",
      "shown_over", "values", "comparisons", "inputs", "remark", "needs", "differs"};
  static constexpr std::string_view axes[] = {"x", "y"};
  static constexpr std::string_view plots[] = {"bars", "lines"};
  nlohmann::json parsed;
  const json_part all = json_part::whole(file, text, parsed, "a figure as in published/*.json");
  all.allow_only(keys);
  figure found;
  const std::vector<std::string_view> known = papers();
  found.paper = known[one_of(all.member("paper"), known)];
  found.id = all.member("id").text();
  found.title = all.member("title").text();
  found.place = all.member("place").text();
  found.claim = all.member("claim").text();
  found.level = static_cast<enum level>(one_of(all.member("level"), levels));
  found.seeds = seeds_of(all);
  if (const auto both = all.find("axes")) {
    both->allow_only(axes);
    found.x_title = both->member("x").text();
    found.y_title = both->member("y").text();
  }
  found.lines = all.find("plot") && one_of(all.member("plot"), plots) == 1;
  found.run = setup_of(all, "run");
  found.quick = setup_of(all, "quick");
  found.panels = entries_of(all, "panels");
  found.series = entries_of(all, "series");
  found.xs = entries_of(all, "xs");
  found.also = exceptions_of(all, found);
  found.absent = absent_of(all, found);
  if (const auto over = all.find("shown_over")) {
    found.shown_over = selection_of(*over, found);
    found.shown_as_ratio = true;
  }
  if (const auto part = all.find("values"))
    for (const json_part& one : part->list()) found.values.push_back(value_of(one, found));
  if (const auto part = all.find("comparisons"))
    for (const json_part& one : part->list()) found.comparisons.push_back(comparison_of(one, found));
  found.inputs = inputs_of(all);
  found.remarks = texts_of(all, "remark");
  found.needs = texts_of(all, "needs");
  found.differs = texts_of(all, "differs");
  check(all, found, file);
  return found;
}

}  // namespace skua::paper
