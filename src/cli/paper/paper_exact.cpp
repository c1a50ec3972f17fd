// Values of figures that are computed exactly.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

#include "cli/paper/paper.hpp"
#include "policies/boundary_level.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::cli {
namespace {

using paper::point;
using paper::setup;

/// Counts the victims that a policy tries when it finds no task.
class counting_thief final : public thief {
 public:
  counting_thief(worker_id id, const placement& seats) : tries(seats.workers()), id_(id), seats_(seats) {}

  worker_id id() const override { return id_; }
  std::size_t workers() const override { return seats_.workers(); }
  const placement& machine() const override { return seats_; }
  std::size_t random(std::size_t) override { return 0; }
  std::size_t load(worker_id) const override { return 0; }
  peeked peek(worker_id) override { return std::nullopt; }
  stolen try_steal(worker_id victim, amount, confirmation) override {
    ++tries.at(victim);
    return {};
  }
  std::optional<worker_id> announced_in(domain_id) const override { return std::nullopt; }
  bool tiered() const override { return false; }
  bool busy(domain_id) const override { return false; }
  stolen try_take(domain_id) override { return {}; }
  void act_on_messages() override {}
  std::size_t domain_cache_bytes() const override { return 0; }

  std::vector<std::size_t> tries;

 private:
  const worker_id id_;
  const placement& seats_;
};

/// How often each victim is tried in one round of a thief that finds nothing. Throws bad_input for a wrong policy.
std::vector<std::size_t> tries_in_a_round(const std::string& policy, const placement& seats, worker_id id) {
  counting_thief thief(id, seats);
  const std::unique_ptr<steal_policy> asks = make_policy(policy);
  asks->on_start(thief);
  asks->acquire(thief);
  return std::move(thief.tries);
}

std::size_t whole(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw bad_input("'" + text + "' is not allowed in a figure; allowed: a whole number");
  return number;
}

topology machine_of(const setup& wanted) {
  const auto given = wanted.options.find("topology");
  if (given != wanted.options.end()) return topology::synthetic(given->second);
  return simulator::find_machine(wanted.machine).machine;
}

/// A plate of doubles. Its inner rows are halved until `leaf` rows are left.
struct plate {
  explicit plate(const setup& wanted)
      : rows(whole(wanted.parameters.at("n"))),
        row_bytes(whole(wanted.parameters.at("columns")) * sizeof(double)),
        leaf(whole(wanted.parameters.at("leaf"))) {}

  std::size_t tasks() const { return (rows - 2) / leaf; }
  /// The distinct bytes that these leaf tasks read: their rows, the row above and the row below.
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
  const auto given = wanted.options.find("shared_cache_bytes");
  const std::size_t cache =
      given == wanted.options.end() ? machine.domain_cache_bytes() : whole(given->second);
  const plate input(wanted);
  return policy::boundary_level(machine.domains(), 2, input.rows * input.row_bytes, cache);
}

/// The leaf tasks of each domain: as the figure lists them, or as bitier deals the subtrees at the boundary level.
std::vector<std::vector<std::size_t>> placed(const setup& wanted) {
  const std::size_t domains = machine_of(wanted).domains(), tasks = plate(wanted).tasks();
  std::vector<std::vector<std::size_t>> by_domain(domains);
  if (const auto given = wanted.options.find("placement"); given != wanted.options.end()) {
    std::istringstream list(given->second);  // numbers of the figure's tree, in which leaves begin at `tasks`
    std::size_t position = 0;
    for (std::size_t task; list >> task; ++position)
      by_domain.at(position * domains / tasks).push_back(task - tasks);
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

/// The difference between the largest and the smallest number of workers of a package, for the first `slots` slots.
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
