// sor: computes the steady heat of a plate with a given border, by successive over-relaxation on n rows of points.
//
// Tasks: the points are coloured like a chessboard. A step relaxes all points of one colour in place, from their
// neighbours, which have the other colour; then it does the same for the other colour. Each half of a step halves the
// rows until `leaf` of them are left. Only leaves touch data, and neighbouring leaves share two rows. Compared with
// heat there is one grid, twice as many syncs, and half the work between two of them.
// Paper: CAB, 1024 x 1024 and others, between 512 x 512 and 4096 x 4096.
#include <cstdio>

#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/sor.hpp"

namespace workloads {
namespace {

constexpr double cycles_a_point = 2.2;  // of the kernel alone: bench/leaf_costs.cpp

/// Relaxes all points of one colour, once.
struct sor_pass {
  double* plate;
  std::size_t columns, leaf, colour;
  double omega;

  void rows(std::size_t first, std::size_t last) const {
    if (last - first <= leaf) return relax(first, last);
    const std::size_t middle = first + (last - first) / 2;
    skua::join([=, this] { rows(first, middle); }, [=, this] { rows(middle, last); });
  }
  void relax(std::size_t first, std::size_t last) const {
    // Every second point is read and written, which touches every cache line. The rows above and below are only read.
    skua::reads(plate + (first - 1) * columns, columns);
    skua::reads(plate + last * columns, columns);
    skua::writes(plate + first * columns, (last - first) * columns);
    skua::costs(cycles_a_point * static_cast<double>((last - first) * columns / 2));
    sor_rows(plate, columns, first, last, colour, omega);
  }
};

class sor_program : public program {
 public:
  explicit sor_program(const parameters& asked)
      : grid_(asked_grid(asked)),
        iterations_(static_cast<int>(asked.number("iterations", asked.pick(100, 200, 50), 1, 100000))),
        leaf_(static_cast<std::size_t>(asked.number("leaf", asked.pick(32, 128, 128), 1, 16384))),
        best_(asked.choice("omega", {"1.5", "best"}) == "best"),
        omega_(best_ ? sor_best_omega(std::max(grid_.rows, grid_.columns)) : 1.5) {}

  void prepare() override { plate_ = sor_plate(grid_); }
  void sequential() override { sor_sequential(plate_, grid_, iterations_, omega_); }
  void parallel() override {
    // One region for all steps, so that a policy with two tiers keeps neighbouring rows under one cache.
    skua::shaped({.input_bytes = grid_.points() * sizeof(double), .branching = 2}, [&] {
      for (int iteration = 0; iteration < iterations_; ++iteration) {
        share().set(iteration, iterations_);
        for (const std::size_t colour : {0u, 1u})
          sor_pass{plate_.data(), grid_.columns, leaf_, colour, omega_}.rows(1, grid_.rows - 1);
      }
    });
  }
  answer_check verify() override {
    const double error = sor_error(plate_, grid_);
    // The best omega takes about n steps for a few more digits.
    const bool settled =
        best_ && static_cast<std::size_t>(iterations_) >= 4 * std::max(grid_.rows, grid_.columns);
    if (std::isnan(error) || (settled && error > 1e-10))
      return {false, "the plate is too far from its limit"};
    if (hash_sequence(plate_) != expected_hash())
      return {false, "some bits differ from the " + std::string(published() ? "published" : "sequential") +
                         " answer"};
    char distance[32];
    std::snprintf(distance, sizeof distance, "%.3g", error);
    return {true, "at most " + std::string(distance) + " from the limit, every bit equals the " +
                      (published() ? "published" : "sequential") + " answer"};
  }
  void flip_one() override { at_corner() = std::nextafter(at_corner(), 1e9); }

 private:
  static sor_grid asked_grid(const parameters& asked) {
    const std::int64_t rows = asked.number("n", asked.pick(129, 2048, 1024), 3, 16384);
    return {static_cast<std::size_t>(rows),
            static_cast<std::size_t>(asked.number("columns", rows, 3, 16384))};
  }
  double& at_corner() { return plate_[grid_.columns + 1]; }
  std::optional<std::uint64_t> published() const {
    return best_ || grid_.rows != grid_.columns ? std::nullopt : sor_published(grid_.rows, iterations_);
  }
  std::uint64_t expected_hash() {
    if (!expected_hash_) expected_hash_ = published();
    if (!expected_hash_) {
      std::vector<double> plate = sor_plate(grid_);
      sor_sequential(plate, grid_, iterations_, omega_);
      expected_hash_ = hash_sequence(plate);
    }
    return *expected_hash_;
  }

  sor_grid grid_;
  int iterations_;
  std::size_t leaf_;
  bool best_;
  double omega_;
  std::vector<double> plate_;
  std::optional<std::uint64_t> expected_hash_;
};

}  // namespace

extern const workload sor_workload{
    .name = "sor",
    .summary =
        "red-black over-relaxation on a plate: an in-place 5-point stencil, one colour after the other",
    .ci = "129 x 129, 100 iterations",
    .med = "2048 x 2048, 200 iterations",
    .paper = "1024 x 1024, 50 iterations, leaves of 128 rows (8 MB)",
    .options = {{"n", "3 .. 16384", "rows of points"},
                {"columns", "3 .. 16384", "points in a row; the default is n"},
                {"iterations", "1 .. 100000", "steps; each relaxes both colours"},
                {"leaf", "1 .. 16384", "rows of one task"},
                {"omega", "1.5|best", "relaxation factor; best converges fastest"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<sor_program>(asked);
    }};

}  // namespace workloads
