// fluidanimate: simulates a fluid in a box as particles that push each other, frame by frame (smoothed particle
// hydrodynamics).
//
// Tasks: seven phases a frame. Particles are counted into cells and sorted by cell. Then come densities and forces, for
// which a particle looks at the particles of its own cell and of the 26 cells around it. Then all particles move.
// Phases over cells halve the box along its longest side down to `leaf` cells. Work is uneven: there is none where
// there is no fluid. Each cell writes only its own particles, and the order of all sums is fixed, so there are no locks
// and the bits are always the same.
// Paper: the TBB thesis, 500,000 particles (PARSEC's native input; PARSEC has nine phases, which lock the borders of
// columns).
#include <cmath>
#include <memory>

#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/fluidanimate_declared.hpp"
#include "workloads/kernels/fluidanimate.hpp"
#include "workloads/kernels/fluidanimate_answers.hpp"
#include "workloads/kernels/fluidanimate_input.hpp"

namespace workloads {
namespace {

void over_cells(fluid& f, const fluid_box& box, std::size_t leaf, phase_of_cells phase, double cycles) {
  if (box.cells() <= leaf) {
    declare_cells(f, box, phase, cycles);
    return phase(f, box);
  }
  std::size_t axis = 2;  // along x only if necessary, since the cells of a row are contiguous
  for (const std::size_t other : {1u, 0u})
    if (box.high[other] - box.low[other] > box.high[axis] - box.low[axis]) axis = other;
  fluid_box front = box, back = box;
  front.high[axis] = back.low[axis] = box.low[axis] + (box.high[axis] - box.low[axis]) / 2;
  skua::join([&, front] { over_cells(f, front, leaf, phase, cycles); },
             [&, back] { over_cells(f, back, leaf, phase, cycles); });
}

void over_particles(fluid& f, phase_of_particles phase, double cycles) {
  skua::parallel_for(skua::blocked(std::size_t{0}, f.n, 256), [&](std::size_t first, std::size_t last) {
    phase(f, first, last);
    declare_particles(f, first, last, phase, cycles);
  });
}

void run_frame(fluid& f, std::size_t leaf) {
  over_particles(f, fluid_count, count_cycles);
  fluid_begin_cells(f);
  over_particles(f, fluid_order, order_cycles);
  std::swap(f.now, f.before);
  over_cells(f, f.whole(), leaf, fluid_gather, gather_cycles);
  over_cells(f, f.whole(), leaf, fluid_densities, density_cycles);
  over_cells(f, f.whole(), leaf, fluid_forces, force_cycles);
  over_particles(f, fluid_move, move_cycles);
}

class fluidanimate_program : public program {
 public:
  explicit fluidanimate_program(const parameters& asked)
      : frames_(static_cast<int>(asked.number("frames", asked.pick(5, 100, 500), 1, 100000))),
        leaf_(static_cast<std::size_t>(asked.number("leaf", 128, 1, 100000000))) {
    const std::string input = asked.text("input", "");
    if (!input.empty()) {
      input_ = read_fluid(input);
      return;
    }
    const std::int64_t per_metre = asked.number("per_metre", asked.pick(204, 204, 590), 14, 2000);
    const auto side = [&](const char* name, std::int64_t usual, double room) {
      const auto max = static_cast<std::int64_t>(room * static_cast<double>(per_metre) - 0.1);
      return static_cast<std::uint32_t>(asked.number(name, std::min(usual, max), 1, max));
    };
    const std::array sides = {side("nx", asked.pick(16, 24, 69), 0.13),
                              side("ny", asked.pick(16, 36, 105), 0.18),
                              side("nz", asked.pick(16, 24, 69), 0.13)};
    const std::uint64_t seed = asked.seed.value_or(42);
    input_ = {static_cast<float>(per_metre), fluid_lattice(seed, static_cast<float>(per_metre), sides)};
    if (seed == 42 && per_metre == 204) known_ = fluid_published(sides, frames_);
  }

  void prepare() override { fluid_ = made(); }
  void sequential() override { fluid_sequential(*fluid_, frames_); }
  void parallel() override {
    skua::shaped({.input_bytes = 900 * fluid_->whole().cells(), .branching = 2}, [&] {
      for (int frame = 0; frame < frames_; ++frame) {
        share().set(frame, frames_);
        run_frame(*fluid_, leaf_);
      }
    });
  }
  answer_check verify() override;
  void flip_one() override { fluid_->now.place[0][0] = std::nextafter(fluid_->now.place[0][0], 1.0f); }

 private:
  std::unique_ptr<fluid> made() const { return std::make_unique<fluid>(input_.per_metre, input_.particles); }
  static std::uint64_t hash_of(const fluid_particles& p) {
    std::uint64_t sum = hash_sequence(p.number);
    for (const auto* arrays : {&p.place, &p.half_velocity, &p.velocity})
      for (const auto& array : *arrays) sum = mix(sum) + hash_sequence(array);
    return sum;
  }
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      const auto f = made();
      fluid_sequential(*f, frames_);
      sequential_hash_ = hash_of(f->now);
    }
    return *sequential_hash_;
  }

  int frames_;
  std::size_t leaf_;
  fluid_input input_;
  std::optional<fluid_known> known_;
  std::unique_ptr<fluid> fluid_;
  std::optional<std::uint64_t> sequential_hash_;
};

answer_check fluidanimate_program::verify() {
  const fluid_particles& now = fluid_->now;
  if (hash_set(now.number) != hash_set(input_.particles.number)) return {false, "particles were lost"};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (std::size_t i = 0; i < fluid_->n; ++i)
      if (!(now.place[axis][i] >= fluid_low[axis] && now.place[axis][i] <= fluid_high[axis]))
        return {false, "particle " + std::to_string(now.number[i]) + " has left the box"};
  const fluid_sums sums = fluid_summed(*fluid_);
  const std::string text = std::to_string(fluid_->n) + " particles, " + std::to_string(frames_) +
                           " frames, kinetic energy " + std::to_string(sums.energy);
  if (known_ && !fluid_as_published(sums, *known_)) return {false, text + ": not as published"};
  if (hash_of(now) != sequential_hash())
    return {false, text + "; some bits differ from the sequential answer"};
  return {true, text + (known_ ? ", as published" : "") + ", every bit equals the sequential answer"};
}

}  // namespace

extern const workload fluidanimate_workload{
    .name = "fluidanimate",
    .summary = "simulate a fluid as particles in cells: seven phases for each frame",
    .ci = "16 x 16 x 16 particles, 5 frames",
    .med = "24 x 36 x 24 particles, 100 frames",
    .paper = "69 x 105 x 69 particles, 500 frames (100 MB); for PARSEC's in_500K use input=FILE",
    .options = {{"nx", "1 .. 0.13 per_metre", "particles along the first side, unless input is given"},
                {"ny", "1 .. 0.18 per_metre", "particles in height"},
                {"nz", "1 .. 0.13 per_metre", "particles along the third side"},
                {"per_metre", "14 .. 2000", "particles per metre, which determines their reach"},
                {"frames", "1 .. 100000", "frames, each a time step of one millisecond"},
                {"leaf", "1 .. 100000000", "maximum number of cells of one task"},
                {"input", "FILE", "read a fluid in PARSEC's .fluid format"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<fluidanimate_program>(asked);
    }};

}  // namespace workloads
