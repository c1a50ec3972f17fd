#include "paper/plan.hpp"

#include <algorithm>

#include "paper/judgement.hpp"
#include "paper/measures.hpp"
#include "topology/level_names.hpp"

namespace skua::paper {

namespace {

std::string level_of(const figure& of, const setup& wanted) {
  const auto said = wanted.options.find("level");
  const std::string name = said == wanted.options.end() ? std::string(name_of(of.level)) : said->second;
  const std::string_view plain = detail::level_name(name);
  return plain == name ? std::string() : std::string(plain);
}

/// The flag of `skua run` for an option of a figure's run.
const char* flag_of(const std::string& name) {
  if (name == "slowdown") return "--slowdown";
  if (name == "threads_a_core") return "--threads-a-core";
  if (name == "network") return "--ideal-network";
  if (name == "radix") return "--radix";
  return nullptr;
}

/// Reads the other options: adds words and assumptions, or says what is missing.
void read_options(const setup& wanted, plan& made) {
  for (const auto& [name, value] : wanted.options) {
    if (name == "level" || name == "size" || flag_of(name)) continue;
    if (name == "pages") {
      made.words.insert(made.words.end(), {"--pages", value});
    } else if (name == "free_looks") {
      if (value == "yes") made.words.emplace_back("--free-looks");
    } else if (name == "miss") {
      made.assumptions.push_back(
          "A miss is an attempt that brought no task. An attempt on a queue that is only " + value +
          " is not a miss here, so the figure's own ratio would be higher.");
    } else {
      made.needs = "the option " + name + "=" + value;
    }
    if (!made.needs.empty()) return;
  }
}

/// One thread shares tasks with no other, so speedups are relative to the software runtime on the usual machine.
void add_substrate(const setup& wanted, plan& made) {
  if (wanted.substrate.empty()) return;
  made.words.insert(made.words.end(), {"--substrate", wanted.substrate});
  made.words_alone.insert(made.words_alone.end(), {"--substrate", "software"});
  for (const auto& [name, value] : wanted.options) {
    const char* flag = flag_of(name);
    if (!flag) continue;
    for (auto* words : {&made.words, &made.words_alone}) {
      if (words == &made.words_alone && name != "slowdown") continue;
      words->push_back(flag);
      if (value != "ideal") words->push_back(value);
    }
  }
}

std::string needs_for(const figure& of, const setup& wanted) {
  if (of.level == level::host) return "timed runs on a real machine";
  if (level_of(of, wanted).empty()) return "a way of running it other than simulation";
  if (!find_measure(wanted.measure)) return "the measure " + wanted.measure;
  if (wanted.workload.empty()) return "a program for it";
  if (wanted.machine.empty()) return "a machine for it";
  return {};
}

}  // namespace

std::vector<std::string> plan::command(std::uint64_t seed, bool alone) const {
  std::vector<std::string> all = alone ? words_alone : words;
  if (const unsigned asked = alone ? 1 : workers) all.insert(all.end(), {"--workers", std::to_string(asked)});
  all.insert(all.end(), {"--seed", std::to_string(seed), "--json"});
  return all;
}

plan plan_for(const figure& of, const point& where, size how_much) {
  const setup wanted = of.setup_at(where, how_much);
  plan made;
  made.needs = needs_for(of, wanted);
  if (!made.needs.empty()) return made;
  made.looked_at = find_measure(wanted.measure);
  if (!made.looked_at->assumption.empty()) made.assumptions.emplace_back(made.looked_at->assumption);
  made.workers = wanted.workers;
  made.words = {"run", wanted.workload};
  for (const auto& [name, value] : wanted.parameters) made.words.push_back(name + "=" + value);
  // If neither size nor parameters are given, a full run has the published size.
  const auto said = wanted.options.find("size");
  if (said != wanted.options.end())
    made.words.insert(made.words.end(), {"--size", said->second});
  else if (wanted.parameters.empty() && how_much == size::full)
    made.words.insert(made.words.end(), {"--size", "paper"});
  made.words.insert(made.words.end(), {"--simulate", wanted.machine, "--level", level_of(of, wanted)});
  read_options(wanted, made);
  made.words_alone = made.words;
  add_substrate(wanted, made);
  if (!wanted.policy.empty())
    for (auto* words : {&made.words, &made.words_alone})
      words->insert(words->end(), {"--policy", wanted.policy});
  if (made.looked_at->wants_times)
    for (auto* words : {&made.words, &made.words_alone}) words->emplace_back("--times");
  return made;
}

namespace {

void want(coverage& of, const std::string& need) {
  if (std::ranges::find(of.needs, need) == of.needs.end()) of.needs.push_back(need);
}

void look_at(const figure& of, const point& where, size how_much, const exact_values& exact, coverage& all) {
  if (of.level == level::exact) {
    if (const std::optional<double> value = exact(of, where))
      all.exact.emplace_back(where, *value);
    else
      want(all, "the measure " + of.setup_at(where, how_much).measure);
    return;
  }
  plan how = plan_for(of, where, how_much);
  if (!how.needs.empty()) return want(all, how.needs);
  all.runs.emplace_back(where, std::move(how));
}

/// Whether all points of at least one published number or comparison can be run.
bool says_something(const figure& of, const coverage& all) {
  samples any;
  for (const auto& [where, how] : all.runs) any[where].assign(min_seeds, 1);
  for (const auto& [where, value] : all.exact) any[where].assign(min_seeds, 1);
  return judge(of, any).result != judgement::not_run;
}

}  // namespace

std::string coverage::needs_words() const {
  std::string words;
  for (const std::string& need : needs) words += (words.empty() ? "needs " : ", ") + need;
  return words;
}

coverage coverage_of(const figure& of, size how_much, const exact_values& exact) {
  coverage all;
  if (of.level == level::inputs) return all;
  for (const point& where : of.points(how_much)) {
    ++all.points;
    look_at(of, where, how_much, exact, all);
  }
  if (!says_something(of, all)) {
    all.runs.clear();
    all.exact.clear();
  }
  return all;
}

}  // namespace skua::paper
