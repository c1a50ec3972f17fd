// The hardware on which phases run, by its name in simulation::substrate.
//
//   auto hardware = find_substrate({.machine = "adm-cmp-64c", .substrate = "carbon"}, model);
//   auto run = hardware->make_phase(world, {options, work, stopped, pool});
//
// One lives as long as its world: what its units have learnt in one phase they know in the next.
#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/phase.hpp>
#include <skua/simulation.hpp>

#include "core/platform/phase_hardware.hpp"
#include "simulator/adm/adm_hardware.hpp"
#include "simulator/adm/tile_network.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

class engine_machine;

inline constexpr std::array<std::string_view, 4> substrate_names{"software", "carbon", "uli", "adm"};

/// What a run of a phase is made of.
struct phase_parts {
  const phase_options& options;
  skua::detail::phase_work& work;
  std::atomic<bool>& stopped;
  const core::scheduler_core& pool;
};

class substrate {
 public:
  virtual ~substrate() = default;
  /// Null: a run by the core's own ways.
  virtual std::unique_ptr<skua::detail::phase_base::run_state> make_phase(engine_machine& simulated_machine,
                                                                          const phase_parts& of) = 0;
  /// Whoever stands by for a phase learns from a word in memory that it has begun; else its hardware has let it wait.
  virtual bool begins_through_memory() const noexcept { return false; }
  /// Of the parts that so many threads have in shared memory: as published for 128, by the depth of a tree.
  cycles reduction(std::size_t threads) const noexcept;

 protected:
  explicit substrate(const adm_hardware& chip) : chip_(chip) {}
  const adm_hardware chip_;
};

/// Null where none is wanted. Throws bad_input for a name that does not exist, and for a machine without such hardware.
std::unique_ptr<substrate> find_substrate(const simulation& wanted, const machine_model& model);

/// The hardware threads at which the workers of a pool sit. Throws bad_input where two would share one.
std::vector<context_number> contexts_of(const core::scheduler_core& pool, const machine_model& model);

inline tile_network::kind network_of(const simulation& wanted) noexcept {
  return wanted.ideal_network ? tile_network::kind::ideal : tile_network::kind::routed;
}

// Of each kind, in files of their own.
std::unique_ptr<substrate> make_carbon(const adm_hardware& chip, const machine_model& model,
                                       const simulation& wanted);
std::unique_ptr<substrate> make_messages(const adm_hardware& chip, const machine_model& model,
                                         const simulation& wanted);

}  // namespace skua::simulator
