// The hardware on which phases run, by its name in simulation::substrate.
//
//   auto hardware = find_substrate({.machine = "adm-cmp-64c", .substrate = "carbon"}, model);
//   auto run = hardware->make_phase(simulated_machine, {options, work, stopped, pool});
//
// A substrate lives as long as its simulated machine: its units keep what they learn in one phase for the next.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/phase.hpp>
#include <skua/simulation.hpp>

#include "core/platform/simulated_machine.hpp"
#include "simulator/adm/adm_hardware.hpp"
#include "simulator/adm/tile_network.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

class engine_machine;

inline constexpr std::array<std::string_view, 4> substrate_names{"software", "carbon", "uli", "adm"};

/// The parts of a phase.
struct phase_parts {
  const phase_options& options;
  skua::detail::phase_work& work;
  std::atomic<bool>& stopped;
  const core::scheduler_core& pool;
};

class substrate {
 public:
  virtual ~substrate() = default;
  /// Null: the core runs the phase in software.
  virtual std::unique_ptr<skua::detail::phase_base::run_state> make_phase(engine_machine& simulated_machine,
                                                                          const phase_parts& of) = 0;
  /// Whether workers that stand by for a phase learn of its begin from a word in memory. Otherwise they wait in
  /// hardware.
  virtual bool begins_through_memory() const noexcept { return false; }
  /// The time of a reduction through shared memory: the published time of 128 threads, scaled by the depth of the tree.
  cycles reduction(std::size_t threads) const noexcept;

 protected:
  explicit substrate(const adm_hardware& chip) : chip_(chip) {}
  const adm_hardware chip_;
};

/// Null if no substrate is requested. Throws bad_input for a name that does not exist, and for a machine without such
/// hardware.
std::unique_ptr<substrate> find_substrate(const simulation& wanted, const machine_model& model);

/// The hardware threads of a pool's workers. Throws bad_input if two workers share one.
std::vector<context_number> contexts_of(const core::scheduler_core& pool, const machine_model& model);

inline tile_network::kind network_of(const simulation& wanted) noexcept {
  return wanted.ideal_network ? tile_network::kind::ideal : tile_network::kind::routed;
}

// Defined in phase_by_carbon.cpp and phase_by_adm.cpp.
std::unique_ptr<substrate> make_carbon(const adm_hardware& chip, const machine_model& model,
                                       const simulation& wanted);
std::unique_ptr<substrate> make_messages(const adm_hardware& chip, const machine_model& model,
                                         const simulation& wanted);

}  // namespace skua::simulator
