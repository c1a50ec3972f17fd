// A fluid in a box as particles that push each other (smoothed particle hydrodynamics): the leaf work on boxes of
// cells. No scheduling.
//
// Space is cut into cells at least as wide as the reach of a particle, so a particle interacts only with those of 27
// cells. Particles are stored in the order of their cells, and by number within a cell; three cells in a row are
// contiguous in each array. Every particle sums the influences on itself. So each pair is computed from both sides, but
// a task writes only its own particles, and the order of all sums is fixed.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace workloads {

using fluid_vector = std::array<float, 3>;
inline constexpr fluid_vector fluid_low = {-0.065f, -0.08f, -0.065f}, fluid_high = {0.065f, 0.1f, 0.065f};
inline constexpr float fluid_step = 0.001f, fluid_density = 2000, fluid_gravity = -9.8f;

/// Constants that follow from the number of particles per metre.
struct fluid_constants {
  float reach, reach2, density, pressure, viscosity;

  explicit fluid_constants(float per_metre) {
    const double h = 1.695 / double{per_metre}, mass = 0.5 * 2000 / std::pow(double{per_metre}, 3),
                 pi = std::numbers::pi;
    reach = static_cast<float>(h);
    reach2 = static_cast<float>(h * h);
    density = static_cast<float>(mass * 315 / (64 * pi * std::pow(h, 9)));
    pressure = static_cast<float>(3 * 15 / (pi * std::pow(h, 6)) * 0.5 * 3 * mass);
    viscosity = static_cast<float>(0.4 * 45 / (pi * std::pow(h, 6)) * mass);
  }
};

/// Arrays indexed by axis.
struct fluid_particles {
  std::array<std::vector<float>, 3> place, half_velocity, velocity;
  std::vector<std::uint32_t> number;

  explicit fluid_particles(std::size_t n = 0) : number(n) {
    for (auto* arrays : {&place, &half_velocity, &velocity})
      for (auto& array : *arrays) array.assign(n, 0.0f);
  }
  void copy_from(const fluid_particles& from, std::size_t at, std::size_t to) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      place[axis][to] = from.place[axis][at];
      half_velocity[axis][to] = from.half_velocity[axis][at];
      velocity[axis][to] = from.velocity[axis][at];
    }
    number[to] = from.number[at];
  }
};

/// Cells [low, high) along each axis.
struct fluid_box {
  std::array<std::uint32_t, 3> low, high;
  std::size_t cells() const {
    return std::size_t{high[0] - low[0]} * (high[1] - low[1]) * (high[2] - low[2]);
  }
};

struct fluid {
  std::size_t n;
  fluid_constants constants;
  std::array<std::uint32_t, 3> cells;
  fluid_vector edge;  // size of a cell
  fluid_particles now, before;
  std::array<std::vector<float>, 3> force;
  std::vector<float> densities, volumes;     // volume = 1 / density
  std::vector<std::uint32_t> start, filled;  // indexed by cell
  std::vector<std::uint32_t> cell_of, slot, order;

  fluid(float per_metre, fluid_particles particles)
      : n(particles.number.size()), constants(per_metre), now(std::move(particles)), before(n) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double range = double{fluid_high[axis]} - double{fluid_low[axis]};
      cells[axis] = std::max(1u, static_cast<std::uint32_t>(range * double{per_metre} / 1.695));
      edge[axis] = static_cast<float>(range / cells[axis]);
      force[axis].assign(n, 0.0f);
    }
    densities.assign(n, 0.0f);
    volumes = densities;
    start.assign(whole().cells() + 1, 0);
    filled.assign(whole().cells(), 0);
    for (auto* indices : {&cell_of, &slot, &order}) indices->assign(n, 0);
  }

  fluid_box whole() const { return {{0, 0, 0}, cells}; }
  std::size_t cell(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return (std::size_t{z} * cells[1] + y) * cells[0] + x;
  }
  std::uint32_t cell_at(std::size_t i) const {
    std::array<std::uint32_t, 3> c;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float away = (now.place[axis][i] - fluid_low[axis]) / edge[axis];
      const auto last = static_cast<float>(
          cells[axis] - 1);  // before the cast, which is undefined for values that do not fit
      c[axis] = away > 0 ? static_cast<std::uint32_t>(std::min(away, last)) : 0;
    }
    return static_cast<std::uint32_t>(cell(c[0], c[1], c[2]));
  }
};

/// Calls what(first, last) for the particles of each row of cells along x in the box.
template <class What>
void fluid_rows(const fluid& f, const fluid_box& box, What what) {
  for (std::uint32_t z = box.low[2]; z < box.high[2]; ++z)
    for (std::uint32_t y = box.low[1]; y < box.high[1]; ++y)
      what(std::size_t{f.start[f.cell(box.low[0], y, z)]},
           std::size_t{f.start[f.cell(box.high[0] - 1, y, z) + 1]});
}

/// The box together with its neighbouring cells.
inline fluid_box fluid_around(const fluid& f, fluid_box box) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] -= box.low[axis] > 0;
    box.high[axis] += box.high[axis] < f.cells[axis];
  }
  return box;
}

// The phases of a frame. Each function does the particles of some cells. A phase does all cells before the next phase
// begins.

/// 1. Finds the cell of each particle and its number in that cell. Several tasks may count at the same time.
inline void fluid_count(fluid& f, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) {
    f.cell_of[i] = f.cell_at(i);
    f.slot[i] = std::atomic_ref(f.filled[f.cell_of[i]]).fetch_add(1, std::memory_order_relaxed);
  }
}
/// 2. Computes where the cells begin. Short and sequential.
inline void fluid_begin_cells(fluid& f) {
  std::uint32_t at = 0;
  for (std::size_t c = 0; c < f.filled.size(); ++c) f.start[c] = at, at += std::exchange(f.filled[c], 0);
  f.start.back() = at;
}
/// 3. Finds which particle goes to each position.
inline void fluid_order(fluid& f, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i)
    f.order[f.start[f.cell_of[i]] + f.slot[i]] = static_cast<std::uint32_t>(i);
}
/// 4. Copies the particles there, from `before`.
inline void fluid_gather(fluid& f, const fluid_box& box) {
  for (std::uint32_t z = box.low[2]; z < box.high[2]; ++z)
    for (std::uint32_t y = box.low[1]; y < box.high[1]; ++y)
      for (std::uint32_t x = box.low[0]; x < box.high[0]; ++x) {
        const std::size_t c = f.cell(x, y, z), first = f.start[c], last = f.start[c + 1];
        const auto order = f.order.begin();
        std::sort(order + static_cast<std::ptrdiff_t>(first), order + static_cast<std::ptrdiff_t>(last),
                  [&](std::uint32_t a, std::uint32_t b) { return f.before.number[a] < f.before.number[b]; });
        for (std::size_t to = first; to < last; ++to) f.now.copy_from(f.before, f.order[to], to);
      }
}

/// The particles within reach of a particle, and by how much the square of the reach exceeds that of their distance.
struct fluid_felt {
  static constexpr std::size_t max = 256, piece = 64;
  std::array<std::uint32_t, max + piece> index;
  std::array<float, max + piece> inside;
  std::size_t count = 0;

  /// Adds the particles of [first, last) within reach of i; the range has at most `piece`. The first loop computes all
  /// distances, the second selects: neither has a branch to mispredict.
  [[gnu::always_inline]] void look(const fluid& f, std::size_t i, std::size_t first, std::size_t last) {
    const float* x = f.now.place[0].data();
    const float* y = f.now.place[1].data();
    const float* z = f.now.place[2].data();
    const float xi = x[i], yi = y[i], zi = z[i], reach2 = f.constants.reach2;
    float near[piece];
    for (std::size_t k = first; k < last; ++k) {
      const float dx = xi - x[k], dy = yi - y[k], dz = zi - z[k];
      near[k - first] = reach2 - (dx * dx + dy * dy + dz * dz);
    }
    for (std::size_t k = first; k < last; ++k) {
      index[count] = static_cast<std::uint32_t>(k);
      inside[count] = near[k - first];
      count += near[k - first] > 0;
    }
  }
};

/// For each particle i of the box: begin(i), then add(i, felt) once or more, then end(i).
template <class Begin, class Add, class End>
[[gnu::always_inline]] inline void fluid_neighbours(const fluid& f, const fluid_box& box, Begin begin,
                                                    Add add, End end) {
  fluid_felt felt;
  const auto neighbours_of = [&](std::size_t i, const fluid_box& around) {
    begin(i);
    fluid_rows(f, around, [&](std::size_t first, std::size_t last) {
      for (; first < last; first += fluid_felt::piece) {
        felt.look(f, i, first, std::min(first + fluid_felt::piece, last));
        if (felt.count > fluid_felt::max - 1) add(i, felt), felt.count = 0;
      }
    });
    add(i, felt), felt.count = 0;
    end(i);
  };
  for (std::uint32_t z = box.low[2]; z < box.high[2]; ++z)
    for (std::uint32_t y = box.low[1]; y < box.high[1]; ++y)
      for (std::uint32_t x = box.low[0]; x < box.high[0]; ++x) {
        const fluid_box around = fluid_around(f, {{x, y, z}, {x + 1, y + 1, z + 1}});
        const std::size_t c = f.cell(x, y, z);
        for (std::size_t i = f.start[c]; i < f.start[c + 1]; ++i) neighbours_of(i, around);
      }
}

/// 5. Computes the density of the fluid at each particle, including the particle itself.
inline void fluid_densities(fluid& f, const fluid_box& box) {
  float sum = 0;
  fluid_neighbours(
      f, box, [&](std::size_t) { sum = 0; },
      [&](std::size_t, const fluid_felt& felt) {
        for (std::size_t k = 0; k < felt.count; ++k) sum += felt.inside[k] * felt.inside[k] * felt.inside[k];
      },
      [&](std::size_t i) {
        f.densities[i] = f.constants.density * sum;
        f.volumes[i] = 1 / f.densities[i];
      });
}

/// 6. Computes the force of the neighbours on each particle. A particle has no force on itself.
inline void fluid_forces(fluid& f, const fluid_box& box) {
  const fluid_constants& c = f.constants;
  fluid_vector sum;
  const auto add = [&](std::size_t i, const fluid_felt& felt) {
    for (std::size_t k = 0; k < felt.count; ++k) {
      const std::size_t j = felt.index[k];
      const float distance = std::sqrt(std::max(c.reach2 - felt.inside[k], 1e-12f)),
                  overlap = c.reach - distance;
      const float dense = f.densities[i] + f.densities[j] - fluid_density;
      const float push = c.pressure * overlap * overlap / distance * dense * f.volumes[j];
      const float drag = c.viscosity * overlap * f.volumes[j];
      for (std::size_t axis = 0; axis < 3; ++axis)
        sum[axis] += (f.now.place[axis][i] - f.now.place[axis][j]) * push +
                     (f.now.velocity[axis][j] - f.now.velocity[axis][i]) * drag;
    }
  };
  fluid_neighbours(
      f, box, [&](std::size_t) { sum = {}; }, add,
      [&](std::size_t i) {
        for (std::size_t axis = 0; axis < 3; ++axis)
          f.force[axis][i] = sum[axis] * f.volumes[i] + (axis == 1 ? fluid_gravity : 0.0f);
      });
}

/// 7. Walls push back, all particles move, and particles that have left the box are mirrored into it.
inline void fluid_move(fluid& f, std::size_t first, std::size_t last) {
  constexpr float radius = 0.0002f, min_depth = 1e-10f, stiffness = 30000, damping = 128;
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = first; i < last; ++i) {
      float place = f.now.place[axis][i], half = f.now.half_velocity[axis][i], force = f.force[axis][i];
      float velocity = f.now.velocity[axis][i];
      const float next = place + half * fluid_step;
      const float below = radius - (next - fluid_low[axis]), above = radius - (fluid_high[axis] - next);
      if (below > min_depth) force += stiffness * below - damping * velocity;
      if (above > min_depth) force -= stiffness * above + damping * velocity;
      const float faster = half + force * fluid_step;
      place += faster * fluid_step;
      velocity = (half + faster) * 0.5f;
      half = faster;
      if (place < fluid_low[axis] || place > fluid_high[axis]) {
        const float wall = place < fluid_low[axis] ? fluid_low[axis] : fluid_high[axis];
        place = std::clamp(wall - (place - wall), fluid_low[axis], fluid_high[axis]);
        velocity = -velocity, half = -half;
      }
      f.now.place[axis][i] = place, f.now.half_velocity[axis][i] = half, f.now.velocity[axis][i] = velocity;
    }
}

/// Puts the particles into their cells. Called once, before the first frame.
inline void fluid_rebuild_sequential(fluid& f) {
  fluid_count(f, 0, f.n);
  fluid_begin_cells(f);
  fluid_order(f, 0, f.n);
  std::swap(f.now, f.before);
  fluid_gather(f, f.whole());
}
inline void fluid_sequential(fluid& f, int frames) {
  for (int frame = 0; frame < frames; ++frame) {
    fluid_rebuild_sequential(f);
    fluid_densities(f, f.whole());
    fluid_forces(f, f.whole());
    fluid_move(f, 0, f.n);
  }
}

}  // namespace workloads
