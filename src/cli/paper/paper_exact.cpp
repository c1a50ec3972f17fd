#include "cli/paper/paper_exact.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <skua/topology.hpp>

#include "cli/counting_thief.hpp"
#include "cli/translations.hpp"
#include "policies/boundary_level.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

using paper::point;
using paper::setup;

std::size_t whole(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input("'" + text + "' is not allowed in a figure; allowed: a whole number");
  return number;
}

topology machine_of(const setup& wanted) {
  const auto said = wanted.options.find("topology");
  if (said != wanted.options.end()) return topology::synthetic(said->second);
  return simulator::find_machine(wanted.machine).machine;
}

/// A plate of doubles, whose inner rows are halved until `leaf` are left.
struct plate {
  explicit plate(const setup& wanted)
      : rows(whole(wanted.parameters.at("n"))),
        row_bytes(whole(wanted.parameters.at("columns")) * sizeof(double)),
        leaf(whole(wanted.parameters.at("leaf"))) {}

  std::size_t tasks() const { return (rows - 2) / leaf; }
  /// Distinct bytes that these leaf tasks read: their rows, the one above and the one below.
  std::size_t read_by(const std::vector<std::size_t>& leaves) const {
    std::set<std::size_t> touched;
    for (const std::size_t task : leaves)
      for (std::size_t row = task * leaf; row < (task + 1) * leaf + 2; ++row) touched.insert(row);
    return touched.size() * row_bytes;
  }

  std::size_t rows, row_bytes, leaf;
};

std::uint32_t level_for(const setup& wanted) {
  const topology machine = machine_of(wanted);
  const auto said = wanted.options.find("shared_cache_bytes");
  const std::size_t cache = said == wanted.options.end() ? machine.domain_cache_bytes() : whole(said->second);
  const plate input(wanted);
  return policy::boundary_level(machine.domains(), 2, input.rows * input.row_bytes, cache);
}

/// Leaf tasks by domain: those that the figure lists, or as bitier deals the subtrees at the boundary level.
std::vector<std::vector<std::size_t>> placed(const setup& wanted) {
  const std::size_t domains = machine_of(wanted).domains(), tasks = plate(wanted).tasks();
  std::vector<std::vector<std::size_t>> by_domain(domains);
  if (const auto said = wanted.options.find("placement"); said != wanted.options.end()) {
    std::istringstream list(
        said->second);  // tasks as the figure numbers its tree: leaves begin at their number
    std::size_t place = 0;
    for (std::size_t task; list >> task; ++place)
      by_domain.at(place * domains / tasks).push_back(task - tasks);
    return by_domain;
  }
  const std::size_t subtrees = std::size_t(1) << (level_for(wanted) - 1);
  for (std::size_t task = 0; task < tasks; ++task)
    by_domain[task * subtrees / tasks % domains].push_back(task);
  return by_domain;
}

double footprint(const setup& wanted, const point& where) {
  const plate input(wanted);
  std::size_t max = 0, sum = 0;
  for (const auto& leaves : placed(wanted)) {
    const std::size_t bytes = input.read_by(leaves);
    max = std::max(max, bytes);
    sum += bytes;
  }
  return static_cast<double>(where.x == "all" ? sum : max);
}

double translations(const setup& wanted) {
  const managers::manager_tree tree(wanted.workers,
                                    static_cast<std::uint32_t>(whole(wanted.options.at("radix"))));
  if (wanted.options.contains("managers")) return static_cast<double>(translations_needed_anywhere(tree));
  const auto threads = static_cast<std::uint32_t>(whole(wanted.options.at("threads_a_core")));
  return static_cast<double>(translations_needed(tree, threads));
}

double tries_of(const setup& wanted, const point& where) {
  const placement seats = machine_of(wanted).place(wanted.workers);
  const std::vector<std::size_t> tries = tries_in_a_round(wanted.policy, seats, 0);
  for (worker_id victim = 1; victim < seats.workers(); ++victim) {
    const nearness how = seats.level_nearness(seats.distance(0, victim));
    const char* const kind = how < nearness::same_domain    ? "L2"
                             : how == nearness::same_domain ? "L3"
                                                            : "other";
    if (where.x == kind) return static_cast<double>(tries[victim]);
  }
  return 0;
}

std::vector<std::uint32_t> packages_of_slots(const setup& wanted) {
  const placement seats = machine_of(wanted).place(wanted.workers, pin_order::dealt);
  std::vector<std::uint32_t> packages;
  for (worker_id slot = 0; slot < seats.workers(); ++slot) packages.push_back(seats[slot].package);
  return packages;
}

/// How many workers more than the emptiest package the fullest one has, of the first so many slots.
double uneven_packages(const setup& wanted, std::size_t slots) {
  const std::vector<std::uint32_t> packages = packages_of_slots(wanted);
  std::vector<std::size_t> workers(std::ranges::max(packages) + 1);
  for (std::size_t slot = 0; slot < slots; ++slot) ++workers[packages[slot]];
  return static_cast<double>(std::ranges::max(workers) - std::ranges::min(workers));
}

}  // namespace

std::optional<double> exact_value(const paper::figure& of, const point& where) {
  const setup wanted = of.setup_at(where, paper::size::full);
  if (wanted.measure == "boundary_level") return level_for(wanted);
  if (wanted.measure == "footprint_bytes") return footprint(wanted, where);
  if (wanted.measure == "translation_entries") return translations(wanted);
  if (wanted.measure == "neighbour_tries") return tries_of(wanted, where);
  if (wanted.measure == "package") return packages_of_slots(wanted)[whole(where.x)];
  if (wanted.measure == "uneven_packages") return uneven_packages(wanted, whole(where.x) + 1);
  return std::nullopt;
}

}  // namespace skua::cli
