// Declares what the phases of fluidanimate touch, and how long they compute.
#pragma once

#include <array>
#include <cstddef>

#include <skua/skua.hpp>

#include "workloads/kernels/fluidanimate.hpp"

namespace workloads {

// Cycles for one particle, calibrated on one worker with 24 x 36 x 24 particles after 40 frames.
inline constexpr double count_cycles = 13, order_cycles = 3, gather_cycles = 26, density_cycles = 494,
                        force_cycles = 737, move_cycles = 15;

using phase_of_cells = void (*)(fluid&, const fluid_box&);
using phase_of_particles = void (*)(fluid&, std::size_t, std::size_t);

template <class Array>
void reads_all(const std::array<Array, 3>& arrays, std::size_t first, std::size_t last) {
  for (const auto& array : arrays) skua::reads(&array[first], last - first);
}
template <class Array>
void writes_all(std::array<Array, 3>& arrays, std::size_t first, std::size_t last) {
  for (auto& array : arrays) skua::writes(&array[first], last - first);
}

/// Declares, row by row, what a phase over cells touches.
inline void declare_cells(fluid& f, const fluid_box& box, phase_of_cells phase, double cycles) {
  if (!skua::has_listener()) return;
  std::size_t particles = 0;
  fluid_rows(f, box, [&](std::size_t first, std::size_t last) {
    particles += last - first;
    if (phase == fluid_gather) {
      skua::reads(&f.order[first], last - first);
      for (auto* of : {&f.before.place, &f.before.half_velocity, &f.before.velocity})
        reads_all(*of, first, last);
      for (auto* of : {&f.now.place, &f.now.half_velocity, &f.now.velocity}) writes_all(*of, first, last);
    }
    if (phase == fluid_densities)
      skua::writes(&f.densities[first], last - first), skua::writes(&f.volumes[first], last - first);
    if (phase == fluid_forces) writes_all(f.force, first, last);
  });
  if (phase != fluid_gather)
    fluid_rows(f, fluid_around(f, box), [&](std::size_t first, std::size_t last) {
      reads_all(f.now.place, first, last);
      if (phase == fluid_forces)
        reads_all(f.now.velocity, first, last), skua::reads(&f.densities[first], last - first),
            skua::reads(&f.volumes[first], last - first);
    });
  skua::costs(cycles * static_cast<double>(particles));
}

/// Declares what a phase over particles touches. Called after the phase, since the cells of the particles are known
/// then.
inline void declare_particles(fluid& f, std::size_t first, std::size_t last, phase_of_particles phase,
                              double cycles) {
  if (!skua::has_listener()) return;
  if (phase == fluid_count) {
    reads_all(f.now.place, first, last);
    skua::writes(&f.cell_of[first], last - first);
    skua::writes(&f.slot[first], last - first);
    for (std::size_t i = first; i < last; ++i) skua::writes(&f.filled[f.cell_of[i]], 1);
  } else if (phase == fluid_order) {
    skua::reads(&f.cell_of[first], last - first);
    skua::reads(&f.slot[first], last - first);
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t* const start = &f.start[f.cell_of[i]];
      skua::reads(start, 1);
      skua::writes(&f.order[*start + f.slot[i]], 1);
    }
  } else {
    reads_all(f.force, first, last);
    for (auto* of : {&f.now.place, &f.now.half_velocity, &f.now.velocity}) writes_all(*of, first, last);
  }
  skua::costs(cycles * static_cast<double>(last - first));
}

}  // namespace workloads
