#include "core/start/binding.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "base/list_text.hpp"
#include "base/nearest_name.hpp"
#include "core/platform/process_fork.hpp"
#include "topology/topology_data.hpp"

namespace skua::core {

namespace {

/// What the user asks for.
enum class wish { nothing, none, domain, cpu };

wish wish_of_environment() {
  static constexpr std::array<std::string_view, 5> no = {"0", "no", "false", "off", "none"},
                                                   yes = {"1", "yes", "true", "on", "cpu"},
                                                   allowed = {"0", "1", "none", "domain", "cpu"};
  std::string text(base::variable("SKUA_BIND"));
  if (text.empty()) return wish::nothing;
  std::ranges::transform(text, text.begin(), base::lower);
  if (text == "domain") return wish::domain;
  if (std::ranges::find(no, text) != no.end()) return wish::none;
  if (std::ranges::find(yes, text) != yes.end()) return wish::cpu;
  throw bad_input("SKUA_BIND is '" + std::string(base::variable("SKUA_BIND").substr(0, 200)) +
                  "'; allowed: " + base::list_of_names(allowed) + base::or_nearest(text, allowed));
}

// The user of a program may forbid its binding, but not ask for more than the program does.
wish wish_of(const scheduler_options& options, const topology& machine, const detail::pins& pins) {
  const wish environment = wish_of_environment();
  if (environment == wish::none || options.bind == false) return wish::none;
  if (options.bind == true) return wish::cpu;
  if (environment != wish::nothing) return environment;
  // A list of CPUs, an order of CPUs and latencies between CPUs have no meaning for a worker that changes its CPU.
  return pins.asked || !topology_access::facts(machine).measured.empty() ? wish::cpu : wish::nothing;
}

/// How many workers of this process are bound to each CPU alone. Never destroyed: a scheduler may be static.
struct taken_cpus {
  fork_safe_lock guard;
  std::map<std::uint32_t, std::size_t> workers;

  std::size_t at(std::uint32_t cpu) const {
    const auto found = workers.find(cpu);
    return found == workers.end() ? 0 : found->second;
  }
};
taken_cpus& cpus_taken() {
  static auto& all = *new taken_cpus;
  return all;
}

// In a child of fork(): the workers are the parent's. A scheduler that is entered there has no bound workers.
void leave_cpus_to_parent() noexcept { cpus_taken().workers.clear(); }
const in_child cpus_in_child(leave_cpus_to_parent);

// The order in which CPUs get workers, those with the fewest bound workers first.
std::vector<std::uint32_t> freest_cpus(const topology& machine, std::size_t workers, pin_order order,
                                       const taken_cpus& taken) {
  const placement all = machine.place(machine.pus(), pin_order::dealt);
  std::vector<seat> placed(all.seats().begin(), all.seats().end());
  std::ranges::stable_sort(placed, {}, [&](const seat& s) { return taken.at(s.cpu); });
  placed.resize(std::min(workers, placed.size()));
  if (order == pin_order::grouped)
    std::ranges::stable_sort(placed, {}, [](const seat& s) { return std::pair(s.domain, s.core); });
  std::vector<std::uint32_t> cpus;
  for (const seat& s : placed) cpus.push_back(s.cpu);
  return cpus;
}

}  // namespace

binding chosen_binding(const scheduler_options& options, const topology& machine, std::size_t workers,
                       const detail::pins& pins) {
  const wish asked = wish_of(options, machine, pins);
  if (asked == wish::none || !machine.is_host()) return binding::none;
  const std::size_t cpus = pins.cpus.empty() ? machine.pus() : pins.cpus.size();
  if (workers > cpus) return binding::process;
  if (asked == wish::cpu) return binding::cpu;
  // With fewer workers, several schedulers or programs would crowd into the same domains.
  const bool fills_the_machine = workers >= machine.core_list().size();
  if (machine.domains() == 1 || (asked == wish::nothing && !fills_the_machine)) return binding::process;
  return binding::domain;
}

base::cpu_mask cpus_of(binding bound, const topology& machine, const seat& at) noexcept {
  if (bound == binding::cpu) return base::cpu_mask(at.cpu);
  base::cpu_mask cpus;
  for (const core_info& core : machine.core_list())
    if (bound == binding::process || core.domain == at.domain) cpus.add(core.pus);
  return cpus;
}

// The caller holds the lock of the taken CPUs.
placement claimed_placement::choose(const topology& machine, std::size_t workers, const detail::pins& pins,
                                    binding bound) {
  const bool has_choice = bound == binding::cpu && pins.cpus.empty() && !cpus_taken().workers.empty();
  if (!has_choice) return detail::place_by(machine, workers, pins);
  return machine.place(workers, freest_cpus(machine, workers, pins.order, cpus_taken()));
}

claimed_placement::claimed_placement(const topology& machine, std::size_t workers, const detail::pins& pins,
                                     binding bound)
    : placed_([&] {
        const std::lock_guard lock(cpus_taken().guard);
        placement chosen = choose(machine, workers, pins, bound);
        if (bound == binding::cpu) {
          for (const seat& s : chosen.seats()) cpus_taken().workers.try_emplace(s.cpu, 0);
          for (const seat& s : chosen.seats()) ++cpus_taken().workers.at(s.cpu);  // after all that may throw
        }
        return chosen;
      }()),
      are_claimed_(bound == binding::cpu) {}

claimed_placement::~claimed_placement() {
  if (!are_claimed_) return;
  const std::lock_guard lock(cpus_taken().guard);
  for (const seat& s : placed_.seats())
    if (--cpus_taken().workers[s.cpu] == 0) cpus_taken().workers.erase(s.cpu);
}

}  // namespace skua::core
