#include "simulator/adm/substrate.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "base/nearest_name.hpp"
#include "base/whole_file.hpp"
#include "core/phase/phase_run.hpp"
#include "core/scheduler_core.hpp"

namespace skua::simulator {

namespace {

/// The core's own deques. Only the begin of phases and the time of reductions differ from other machines.
class software final : public substrate {
 public:
  explicit software(const adm_hardware& chip) : substrate(chip) {}
  std::unique_ptr<skua::detail::phase_base::run_state> make_phase(engine_machine&,
                                                                  const phase_parts&) override {
    return nullptr;
  }
  bool begins_through_memory() const noexcept override { return true; }
};

adm_hardware hardware_of_machine(const std::string& machine, const machine_model& model) {
  const auto threads = static_cast<unsigned>(model.threads_a_core);
  if (!machine.ends_with(".json")) return find_adm_hardware(machine, threads);
  return parse_adm_hardware(machine, skua::base::text_of_file(machine, allowed_machine_file), threads);
}

}  // namespace

cycles substrate::reduction(std::size_t threads) const noexcept {
  constexpr cycles published_depth = 7;  // of 128 threads
  const auto depth = static_cast<cycles>(std::bit_width(std::max<std::size_t>(threads, 1) - 1));
  return chip_.carbon.reduction * depth / published_depth;
}

std::unique_ptr<substrate> find_substrate(const simulation& wanted, const machine_model& model) {
  const std::string& name = wanted.substrate;
  if (name.empty()) return nullptr;
  if (std::ranges::find(substrate_names, name) == substrate_names.end())
    throw bad_input("substrate of a simulation is '" + name.substr(0, 200) +
                    "'; allowed: " + skua::base::list_of_names(substrate_names) +
                    skua::base::or_nearest(name, substrate_names));
  const adm_hardware chip = hardware_of_machine(wanted.machine, model);
  if (name == "carbon") return make_carbon(chip, model, wanted);
  if (name == "software") return std::make_unique<software>(chip);
  return make_messages(chip, model, wanted);
}

std::vector<context_number> contexts_of(const core::scheduler_core& pool, const machine_model& model) {
  std::vector<context_number> all;
  std::vector<bool> taken(model.threads());
  for (std::uint32_t i = 0; i < pool.workers(); ++i) {
    const std::size_t at = model.thread_on(pool.placed[i].cpu);
    if (at >= taken.size() || taken[at])
      throw bad_input(
          "workers is " + std::to_string(pool.workers()) +
          ", and two of them share a CPU; allowed with a substrate: one per hardware thread, 1 to " +
          std::to_string(model.threads()) + "; nearest: " + std::to_string(model.threads()));
    taken[at] = true;
    all.push_back(static_cast<context_number>(at));
  }
  return all;
}

}  // namespace skua::simulator
