#include "paper/plan.hpp"

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

/// Options of a figure's run that are options of `skua run`.
const char* flag_of(const std::string& name) {
  if (name == "slowdown") return "--slowdown";
  if (name == "threads_a_core") return "--threads-a-core";
  if (name == "network") return "--ideal-network";
  if (name == "radix") return "--radix";
  return nullptr;
}

/// What the options of a run ask for that is not there, and what stands in for it.
void read_options(const setup& wanted, plan& made) {
  for (const auto& [name, value] : wanted.options) {
    if (name == "level" || name == "size" || flag_of(name)) continue;
    if (name == "pages") {
      made.words.insert(made.words.end(), {"--pages", value});
    } else if (name == "free_looks") {
      if (value == "yes") made.words.emplace_back("--free-looks");
    } else if (name == "miss") {
      made.assumptions.push_back(
          "A miss is an attempt that brought nothing. Attempts on a queue that is merely " + value +
          " are none here, so the figure's own ratio would be higher.");
    } else {
      made.needs = "the option " + name + "=" + value;
    }
    if (!made.needs.empty()) return;
  }
}

/// One thread has nobody to share tasks with: speedups are over the software runtime on the usual machine.
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
  if (of.level == level::host) return "timed runs on the machine at hand";
  if (level_of(of, wanted).empty()) return "another way of running it than simulation";
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
  // What is said of no parameter: that of the published size, where nothing is said at all and all of it is wanted.
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

}  // namespace skua::paper
