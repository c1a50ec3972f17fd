// heat: simulates how heat spreads on a plate, by explicit Jacobi steps on n rows of points.
//
// Tasks: every step halves the rows until `leaf` of them are left. All rows of a step are done before the next step
// starts. Only leaves touch data, and neighbouring leaves share two rows, so caches help if the same worker runs
// neighbouring leaves. Every step uses the same rows.
// Paper: CAB (its running example; 1024 x 1024, leaves of 128 rows, also 64 and 32, plates up to 4096 x 8192); the TBB
// thesis, 2048 x 2048. `input=cilk` is Cilk's plate, whose border changes with time.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/output.hpp"
#include "workloads/common/pgm.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/heat.hpp"

namespace workloads {
namespace {

constexpr double point_cycles = 2.1;  // of the kernel alone: bench/leaf_costs.cpp

/// One step.
struct heat_step {
  const double* from;
  double* to;
  const heat_problem& problem;
  const heat_sines& sines;
  std::size_t leaf;
  int number;

  void rows(std::size_t first, std::size_t last) const {
    if (last - first <= leaf) return advance(first, last);
    const std::size_t middle = first + (last - first) / 2;
    skua::join([=, this] { rows(first, middle); }, [=, this] { rows(middle, last); });
  }
  void advance(std::size_t first, std::size_t last) const {
    const std::size_t n = problem.columns;
    skua::reads(from + (first - 1) * n, (last - first + 2) * n);
    skua::writes(to + first * n, (last - first) * n);
    skua::costs(point_cycles * static_cast<double>((last - first) * n));
    heat_rows(from, to, n, first, last, problem.ratio());
    heat_border(to, problem, sines, first, last, number);
  }
};

/// A picture with the warmest point white and the coldest black.
std::string heat_picture(const std::vector<double>& plate, std::size_t columns) {
  const auto [coldest, warmest] = std::ranges::minmax(plate);
  grey_picture picture{columns, plate.size() / columns, std::vector<std::uint8_t>(plate.size())};
  for (std::size_t i = 0; i < plate.size(); ++i)
    picture.pixels[i] =
        static_cast<std::uint8_t>(255 * (plate[i] - coldest) / std::max(warmest - coldest, 1e-300));
  return pgm_text(picture);
}

class heat_program : public program {
 public:
  explicit heat_program(const parameters& asked)
      : problem_(asked_problem(asked)),
        leaf_(static_cast<std::size_t>(asked.number("leaf", asked.pick(32, 32, 128), 1, 16384))),
        output_(checked_output(asked)) {}

  void prepare() override {
    plate_ = heat_plate(problem_);
    other_ = plate_;
  }
  void sequential() override { heat_sequential(plate_, other_, problem_); }
  void parallel() override {
    // One region for all steps, so that a policy with two tiers keeps neighbouring rows under one cache.
    const heat_sines sines(problem_);
    skua::shaped({.input_bytes = plate_.size() * sizeof(double), .branching = 2}, [&] {
      for (int step = 1; step <= problem_.steps; ++step) {
        share().set(step - 1, problem_.steps);
        heat_step{plate_.data(), other_.data(), problem_, sines, leaf_, step}.rows(1, problem_.rows - 1);
        std::swap(plate_, other_);
      }
    });
  }
  answer_check verify() override {
    if (!(heat_error(plate_, problem_) < problem_.tolerance()))
      return {false, "the plate differs from the exact answer"};
    if (hash_sequence(plate_) != sequential_hash())
      return {false, "some bits differ from the sequential answer"};
    if (!output_.empty()) write_output(output_, heat_picture(plate_, problem_.columns));
    const double centre = plate_[problem_.rows / 2 * problem_.columns + problem_.columns / 2];
    return {true,
            "value at the centre " + std::to_string(centre) + ", every bit equals the sequential answer"};
  }
  void flip_one() override { at_corner() = std::nextafter(at_corner(), 1.0); }

 private:
  static heat_problem asked_problem(const parameters& asked) {
    heat_problem p{};
    p.rows = static_cast<std::size_t>(asked.number("n", asked.pick(130, 2048, 1024), 3, 16384));
    p.columns =
        static_cast<std::size_t>(asked.number("columns", static_cast<std::int64_t>(p.rows), 3, 16384));
    p.steps = static_cast<int>(asked.number("steps", asked.pick(50, 200, 100), 1, 100000));
    if (asked.choice("input", {"eigenmode", "cilk"}) == "cilk") p.input = heat_input::cilk;
    if (!p.cold_border() && p.columns != p.rows)
      throw skua::bad_input("columns is " + std::to_string(p.columns) +
                            " with input=cilk; allowed: n; nearest: " + std::to_string(p.rows));
    return p;
  }
  double& at_corner() { return plate_[problem_.columns + 1]; }
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      std::vector<double> plate = heat_plate(problem_), other = plate;
      heat_sequential(plate, other, problem_);
      sequential_hash_ = hash_sequence(plate);
    }
    return *sequential_hash_;
  }

  heat_problem problem_;
  std::size_t leaf_;
  std::string output_;
  std::vector<double> plate_, other_;
  std::optional<std::uint64_t> sequential_hash_;
};

}  // namespace

extern const workload heat_workload{
    .name = "heat",
    .summary = "heat on a plate: a 5-point stencil, repeated steps over the same rows",
    .ci = "130 x 130, 50 steps",
    .med = "2048 x 2048, 200 steps",
    .paper = "1024 x 1024, 100 steps, leaves of 128 rows (17 MB)",
    .options = {{"n", "3 .. 16384", "rows of points"},
                {"columns", "3 .. 16384", "points in a row; the default is n"},
                {"input", "eigenmode|cilk", "a plate with a cold border, or Cilk's plate"},
                {"steps", "1 .. 100000", "time steps"},
                {"leaf", "1 .. 16384", "rows of one task"},
                {"output", "FILE", "write a picture of the plate at the end to this PGM file"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<heat_program>(asked);
    }};

}  // namespace workloads
