// fluidanimate: published sums, densities by the definition, crowded cells, the same bits on any number of workers and for
// any leaf, intact and damaged files of fluids.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include <skua/skua.hpp>

#include "workload_checks.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/fluidanimate.hpp"
#include "workloads/kernels/fluidanimate_answers.hpp"
#include "workloads/kernels/fluidanimate_input.hpp"

namespace workloads::fluidanimate_test {
namespace {

using setting = std::map<std::string, std::string, std::less<>>;

class published_fluids : public testing::TestWithParam<std::pair<std::array<std::uint32_t, 3>, int>> {};
TEST_P(published_fluids, sums) {
  const auto [sides, frames] = GetParam();
  const auto known = fluid_published(sides, frames);
  ASSERT_TRUE(known);
  fluid f(204, fluid_lattice(42, 204, sides));
  fluid_sequential(f, frames);
  const fluid_sums sums = fluid_summed(f);
  EXPECT_TRUE(fluid_as_published(sums, *known))
      << sums.height << ' ' << sums.energy << ' ' << sums.momentum[1];
  fluid_sums wrong = sums;
  wrong.energy *= 1.001;
  EXPECT_EQ(fluid_as_published(wrong, *known), std::isnan(known->energy));
}
INSTANTIATE_TEST_SUITE_P(
    fluidanimate, published_fluids,
    testing::Values(std::pair{std::array{8u, 8u, 8u}, 1}, std::pair{std::array{8u, 8u, 8u}, 5},
                    std::pair{std::array{16u, 16u, 16u}, 1}, std::pair{std::array{16u, 16u, 16u}, 5},
                    std::pair{std::array{16u, 16u, 16u}, 20}, std::pair{std::array{24u, 36u, 24u}, 1},
                    std::pair{std::array{24u, 36u, 24u}, 5}));

// The reference looks at every pair, in double. Some cells hold more particles than the program looks at, or keeps, in one
// go.
TEST(fluidanimate, densities_and_forces_by_the_definition) {
  fluid_particles particles(700);
  for (std::uint32_t i = 0; i < 700; ++i) {
    const float spread = i < 400 ? 0.004f : 0.05f;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      particles.place[axis][i] = fluid_low[axis] + spread * static_cast<float>(uniform_at(3, 6 * i + axis));
      particles.velocity[axis][i] = static_cast<float>(uniform_at(3, 6 * i + 3 + axis));
    }
    particles.number[i] = i;
  }
  fluid f(204, particles);
  fluid_rebuild_sequential(f);
  fluid_densities(f, f.whole());
  fluid_forces(f, f.whole());
  const double h = 1.695 / 204, mass = 0.5 * 2000 / std::pow(204.0, 3), pi = std::numbers::pi;
  const double factor = mass * 315 / (64 * pi * std::pow(h, 9)),
               push = 45 / (pi * std::pow(h, 6)) * 1.5 * mass, drag = 0.4 * 45 / (pi * std::pow(h, 6)) * mass;
  const auto squared = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (const auto& axis : f.now.place) sum += std::pow(double{axis[i]} - double{axis[j]}, 2);
    return sum;
  };
  for (std::size_t i = 0; i < f.n; ++i) {
    double density = 0, up = -9.8;
    for (std::size_t j = 0; j < f.n; ++j)
      if (squared(i, j) < h * h) density += factor * std::pow(h * h - squared(i, j), 3);
    ASSERT_NEAR(f.densities[i], density, 1e-4 * density) << i;
    double size = 0;
    for (std::size_t j = 0; j < f.n; ++j) {
      const double d = std::sqrt(std::max(squared(i, j), 1e-12));
      if (i == j || d >= h) continue;
      const double di = double{f.densities[i]}, dj = double{f.densities[j]};
      const auto& y = f.now.place[1];
      const auto& v = f.now.velocity[1];
      const double part = ((double{y[i]} - double{y[j]}) * push * (h - d) * (h - d) / d * (di + dj - 2000) +
                           (double{v[j]} - double{v[i]}) * drag * (h - d)) /
                          (di * dj);
      up += part, size += std::abs(part);
    }
    ASSERT_NEAR(f.force[1][i], up, 1e-4 * size + 1e-4) << i;
  }
}

TEST(fluidanimate, the_same_bits_on_any_number_of_workers) {
  for (const setting& options : {setting{}, setting{{"nx", "1"}, {"ny", "1"}, {"nz", "1"}},
                                 setting{{"nx", "7"}, {"ny", "30"}, {"nz", "3"}, {"leaf", "1"}},
                                 setting{{"per_metre", "14"}, {"leaf", "7"}},
                                 setting{{"nx", "26"}, {"nz", "26"}, {"frames", "3"}, {"leaf", "100"}}})
    expect_verified("fluidanimate", options, std::nullopt, uncomputed::wrong);
  for (const auto& [option, value] : {std::pair{"nx", "27"}, std::pair{"ny", "37"}, std::pair{"frames", "0"},
                                      std::pair{"per_metre", "13"}, std::pair{"leaf", "0"}})
    EXPECT_THROW(find("fluidanimate")->make({.options = {{option, value}}}), skua::bad_input) << option;
}

class fluid_files : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(name); }
  template <class T>
  static std::string bytes(T value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
  static std::string as_file(float per_metre, const fluid_particles& particles) {
    std::string text = bytes(per_metre) + bytes(static_cast<std::int32_t>(particles.number.size()));
    for (std::size_t i = 0; i < particles.number.size(); ++i)
      for (const auto* arrays : {&particles.place, &particles.half_velocity, &particles.velocity})
        for (const auto& array : *arrays) text += bytes(array[i]);
    return text;
  }
  std::unique_ptr<program> made(const std::string& text, setting options = {}) const {
    std::ofstream(name, std::ios::binary) << text;
    options["input"] = name;
    return find("fluidanimate")->make({.options = options});
  }
  std::string complaint(const std::string& text) const {
    try {
      made(text);
    } catch (const skua::bad_input& error) {
      return std::string(error.what()).substr(name.size());
    }
    return "accepted";
  }
  const std::string name = testing::TempDir() + "skua_fluid_" + std::to_string(getpid());
};

TEST_F(fluid_files, give_the_same_fluid_as_the_generator) {
  const auto from_file = made(as_file(204, fluid_lattice(42, 204, {8, 8, 8})));
  const auto generated = find("fluidanimate")->make({.options = {{"nx", "8"}, {"ny", "8"}, {"nz", "8"}}});
  for (const auto& program : {from_file.get(), generated.get()}) {
    program->prepare();
    program->sequential();
  }
  EXPECT_EQ(from_file->verify().message,
            "512 particles, 5 frames, kinetic energy 8.818005, every bit equals the sequential answer");
  EXPECT_TRUE(generated->verify().correct);
}

// A particle at a wall has two velocities that do not fit each other. It is pushed outwards by more than the wall pushes
// back.
TEST_F(fluid_files, the_fastest_particle_stays_in_the_box) {
  fluid_particles particles(1);
  particles.place[0][0] = fluid_high[0];
  particles.half_velocity[0][0] = 130, particles.velocity[0][0] = -130;
  const auto program = made(as_file(204, particles));
  program->prepare();
  program->sequential();
  EXPECT_TRUE(program->verify().correct) << program->verify().message;
}

TEST(fluidanimate, a_distant_particle_is_in_the_last_cell) {
  fluid f(204, fluid_particles(1));
  for (auto& axis : f.now.place) axis[0] = 1e30f;
  EXPECT_EQ(f.cell_at(0), f.cell(f.cells[0] - 1, f.cells[1] - 1, f.cells[2] - 1));
}

TEST_F(fluid_files, damaged_ones_are_refused) {
  const std::string whole = as_file(204, fluid_lattice(42, 204, {1, 2, 1}));
  EXPECT_EQ(complaint(whole), "accepted");
  EXPECT_EQ(complaint(""), ", byte 0: expected 4 more bytes, found the end");
  EXPECT_EQ(complaint(whole.substr(0, 6)), ", byte 4: expected 4 more bytes, found the end");
  EXPECT_EQ(complaint(whole.substr(0, 79)), ", byte 79: expected 80 bytes in all, found 79");
  EXPECT_EQ(complaint(whole + "x"), ", byte 81: expected 80 bytes in all, found 81");
  EXPECT_EQ(complaint(bytes(1.0f) + whole.substr(4)),
            ", byte 0: expected 14 to 2000 particles per metre, found 1.000000");
  EXPECT_EQ(complaint(whole.substr(0, 4) + bytes(std::int32_t{-1}) + whole.substr(8)),
            ", byte 4: expected 1 to 10000000 particles, found -1");
  EXPECT_EQ(complaint(whole.substr(0, 12) + bytes(0.2f) + whole.substr(16)),
            ", byte 12: expected a position in the box, found 0.200000");
  EXPECT_EQ(complaint(whole.substr(0, 20) + bytes(std::numeric_limits<float>::infinity()) + whole.substr(24)),
            ", byte 20: expected a finite number, found inf");
  EXPECT_EQ(complaint(whole.substr(0, 20) + bytes(3e38f) + whole.substr(24)).substr(0, 80),
            ", byte 20: expected a velocity of at most 130 m/s (particle 0), found 3000000005");
  EXPECT_EQ(complaint(whole.substr(0, 72) + bytes(-1e6f) + whole.substr(76)),
            ", byte 72: expected a velocity of at most 180 m/s (particle 1), found -1000000.000000");
  for (const std::string& none : {std::string("/no/such/file"), testing::TempDir()})
    EXPECT_EQ(workloads::complaint("fluidanimate", "input", none),
              none + " cannot be read; expected the name of a file");
}

}  // namespace
}  // namespace workloads::fluidanimate_test
