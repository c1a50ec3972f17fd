// Inputs of fluidanimate: a lattice, and files in PARSEC's little-endian format. A file has the particles per metre (a
// float), the number of particles (a 32-bit integer), and for each particle nine floats: its position and its two
// velocities.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include <skua/topology.hpp>

#include "workloads/common/random.hpp"
#include "workloads/kernels/fluidanimate.hpp"

namespace workloads {

/// A lattice of particles at rest in the lower corner of the box, each slightly displaced.
inline fluid_particles fluid_lattice(std::uint64_t seed, float per_metre,
                                     const std::array<std::uint32_t, 3>& sides) {
  fluid_particles made(std::size_t{sides[0]} * sides[1] * sides[2]);
  const double spacing = 1 / double{per_metre};
  constexpr std::array<double, 3> low = {-0.065, -0.08, -0.065};
  for (std::uint32_t k = 0, id = 0; k < sides[2]; ++k)
    for (std::uint32_t j = 0; j < sides[1]; ++j)
      for (std::uint32_t i = 0; i < sides[0]; ++i, ++id) {
        const std::array<std::uint32_t, 3> at = {i, j, k};
        for (std::size_t axis = 0; axis < 3; ++axis)
          made.place[axis][id] =
              static_cast<float>(low[axis] + spacing * (at[axis] + 0.5) +
                                 0.1 * spacing * (uniform_at(seed, 3ull * id + axis) - 0.5));
        made.number[id] = id;
      }
  return made;
}

inline constexpr float fluid_min_per_metre = 14, fluid_max_per_metre = 2000;  // 1 to 20 million cells
inline constexpr std::size_t fluid_max_particles = 10'000'000;                // particles

struct fluid_input {
  float per_metre = 0;
  fluid_particles particles = fluid_particles(0);
};

/// Throws skua::bad_input.
inline fluid_input read_fluid(const std::string& name) {
  static_assert(std::endian::native == std::endian::little,
                "the file format has the byte order of the machine");
  std::ifstream file(name, std::ios::binary);
  std::string bytes;
  if (file) file.peek();  // a directory can be opened but not read
  if (!file.is_open() || file.bad())
    throw skua::bad_input(name + " cannot be read; expected the name of a file");
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  const auto refuse = [&](std::size_t at, const std::string& expected, const std::string& found) {
    throw skua::bad_input(name + ", byte " + std::to_string(at) + ": expected " + expected + ", found " +
                          found);
  };
  std::size_t at = 0;
  const auto next = [&](auto& value) {
    if (bytes.size() - at < sizeof value) refuse(at, std::to_string(sizeof value) + " more bytes", "the end");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    at += sizeof value;
  };
  fluid_input input;
  std::int32_t count = 0;
  next(input.per_metre);
  if (!(input.per_metre >= fluid_min_per_metre && input.per_metre <= fluid_max_per_metre))
    refuse(0, "14 to 2000 particles per metre", std::to_string(input.per_metre));
  next(count);
  if (count < 1 || static_cast<std::size_t>(count) > fluid_max_particles)
    refuse(4, "1 to " + std::to_string(fluid_max_particles) + " particles", std::to_string(count));
  const std::size_t wanted = 8 + 36 * static_cast<std::size_t>(count);
  if (bytes.size() != wanted)
    refuse(bytes.size(), std::to_string(wanted) + " bytes in all", std::to_string(bytes.size()));
  input.particles = fluid_particles(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    input.particles.number[i] = static_cast<std::uint32_t>(i);
    for (auto* arrays : {&input.particles.place, &input.particles.half_velocity, &input.particles.velocity})
      for (std::size_t axis = 0; axis < 3; ++axis) {
        float& value = (*arrays)[axis][i];
        next(value);
        if (!std::isfinite(value)) refuse(at - 4, "a finite number", std::to_string(value));
        if (arrays == &input.particles.place && !(value >= fluid_low[axis] && value <= fluid_high[axis]))
          refuse(at - 4, "a position in the box", std::to_string(value));
        // Faster particles would be mirrored past the other wall.
        const float max = std::round((fluid_high[axis] - fluid_low[axis]) / fluid_step);
        if (arrays != &input.particles.place && std::abs(value) > max)
          refuse(at - 4,
                 "a velocity of at most " + std::to_string(std::lround(max)) + " m/s (particle " +
                     std::to_string(i) + ")",
                 std::to_string(value));
      }
  }
  return input;
}

}  // namespace workloads
