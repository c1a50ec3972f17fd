// heat: how heat spreads on a square plate with a cold border, by explicit Jacobi steps on n x n points.
//
// Tasks: in every step the rows are halved until `leaf` of them are left; all rows of a step are done
// before the next one starts. Only leaves touch data, and neighbouring leaves share two rows: who runs
// neighbours decides what the caches save. The same rows come back step after step.
// Paper: CAB (its running example; 1024 x 1024, leaves of 128 rows, also 64 and 32); the TBB thesis, 2048 x
// 2048.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/output.hpp"
#include "workloads/common/pgm.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/heat.hpp"

namespace workloads {
namespace {

// Cycles for one point, calibrated on one worker: rows in the second-level cache.
constexpr double point_cycles = 1.4;

void heat_leaf(const double* from, double* to, std::size_t n, std::size_t first, std::size_t last) {
  skua::reads(from + (first - 1) * n, (last - first + 2) * n);
  skua::writes(to + first * n, (last - first) * n);
  skua::costs(point_cycles * static_cast<double>((last - first) * n));
  heat_rows(from, to, n, first, last);
}

void heat_step(const double* from, double* to, std::size_t n, std::size_t first, std::size_t last,
               std::size_t leaf) {
  if (last - first <= leaf) return heat_leaf(from, to, n, first, last);
  const std::size_t middle = first + (last - first) / 2;
  skua::join([=] { heat_step(from, to, n, first, middle, leaf); },
             [=] { heat_step(from, to, n, middle, last, leaf); });
}

/// The warmest point white, the coldest black.
std::string heat_picture(const std::vector<double>& plate, std::size_t n) {
  const auto [coldest, warmest] = std::ranges::minmax(plate);
  grey_picture picture{n, n, std::vector<std::uint8_t>(plate.size())};
  for (std::size_t i = 0; i < plate.size(); ++i)
    picture.pixels[i] =
        static_cast<std::uint8_t>(255 * (plate[i] - coldest) / std::max(warmest - coldest, 1e-300));
  return pgm_text(picture);
}

class heat_program : public program {
 public:
  explicit heat_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(130, 2048, 1024), 3, 16384))),
        steps_(static_cast<int>(asked.number("steps", asked.pick(50, 200, 100), 1, 100000))),
        leaf_(static_cast<std::size_t>(asked.number("leaf", asked.pick(32, 32, 128), 1, 16384))),
        output_(checked_output(asked)) {}

  void prepare() override {
    plate_ = heat_plate(n_);
    other_ = plate_;
  }
  void sequential() override { heat_sequential(plate_, other_, n_, steps_); }
  void parallel() override {
    // One region for all steps: a policy with two tiers then keeps neighbouring rows under one cache.
    skua::shaped({.input_bytes = n_ * n_ * sizeof(double), .branching = 2}, [&] {
      for (int step = 0; step < steps_; ++step) {
        heat_step(plate_.data(), other_.data(), n_, 1, n_ - 1, leaf_);
        std::swap(plate_, other_);
      }
    });
  }
  verdict verify() override {
    const double error = heat_error(plate_, n_, steps_);
    if (!(error < 1e-13 * steps_)) return {false, "the plate is not the exact answer"};
    if (hash_sequence(plate_) != sequential_hash())
      return {false, "some bits differ from the sequential answer"};
    if (!output_.empty()) write_output(output_, heat_picture(plate_, n_));
    return {true, "centre " + std::to_string(plate_[n_ / 2 * n_ + n_ / 2]) + ", every bit as sequential"};
  }
  void flip_one() override { plate_[n_ + 1] = std::nextafter(plate_[n_ + 1], 1.0); }

 private:
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      std::vector<double> plate = heat_plate(n_), other = plate;
      heat_sequential(plate, other, n_, steps_);
      sequential_hash_ = hash_sequence(plate);
    }
    return *sequential_hash_;
  }

  std::size_t n_;
  int steps_;
  std::size_t leaf_;
  std::string output_;
  std::vector<double> plate_, other_;
  std::optional<std::uint64_t> sequential_hash_;
};

}  // namespace

extern const workload heat_workload{
    .name = "heat",
    .summary = "heat on a square plate: a 5-point stencil, step by step over the same rows",
    .ci = "130 x 130, 50 steps",
    .med = "2048 x 2048, 200 steps",
    .paper = "1024 x 1024, 100 steps, leaves of 128 rows (17 MB)",
    .options = {{"n", "3 .. 16384", "points along one side"},
                {"steps", "1 .. 100000", "time steps"},
                {"leaf", "1 .. 16384", "rows of one task"},
                {"output", "FILE", "a picture of the plate at the end, as a PGM file"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<heat_program>(asked);
    }};

}  // namespace workloads
