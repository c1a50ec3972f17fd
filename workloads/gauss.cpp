// gauss: solves n linear equations by Gaussian elimination. There is no pivoting, since the matrix is diagonally
// dominant.
//
// Tasks: step k subtracts multiples of row k from all rows below it, which are independent of each other. `form=divide`
// halves these rows until `leaf` are left; `form=loop` is a loop over blocks of `leaf` rows. The next step needs all of
// them, so there are n - 1 rounds, each a little smaller than the one before. All tasks of a round read the same row,
// which one task has just written. Back substitution has about n times less work and is sequential.
// Paper: CAB and the TBB thesis (which calls it sharing-intensive), 1024 x 1024.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/gauss.hpp"

namespace workloads {
namespace {

constexpr double cycles_an_element = 0.31,
                 cycles_an_eliminated_row = 15;  // of the kernel alone, AVX-512: bench/leaf_costs.cpp

/// Step k of the elimination.
struct gauss_step {
  double* a;
  std::size_t n, k, leaf;

  void divide(std::size_t first, std::size_t last) const {
    if (last - first <= leaf) return rows(first, last);
    const std::size_t middle = first + (last - first) / 2;
    skua::join([=, this] { divide(first, middle); }, [=, this] { divide(middle, last); });
  }
  void loop() const {
    skua::parallel_for(skua::blocked(k + 1, n, static_cast<std::int64_t>(leaf)),
                       [this](std::size_t first, std::size_t last) { rows(first, last); });
  }
  void rows(std::size_t first, std::size_t last) const {
    const std::size_t pitch = n + 1, columns = pitch - k;
    skua::reads(a + k * pitch + k, columns);
    skua::writes(a + first * pitch + k, columns, last - first, pitch);
    skua::costs((cycles_an_eliminated_row + cycles_an_element * static_cast<double>(columns)) *
                static_cast<double>(last - first));
    gauss_rows(a, n, k, first, last);
  }
};

class gauss_program : public program {
 public:
  explicit gauss_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(128, 2048, 1024), 1, 16384))),
        leaf_(static_cast<std::size_t>(asked.number("leaf", 16, 1, 16384))),
        divide_(asked.choice("form", {"divide", "loop"}) == "divide"),
        seed_(asked.seed.value_or(42)),
        system_(gauss_system(seed_, n_)) {}

  void prepare() override {
    a_ = system_;
    x_.clear();
  }
  void sequential() override {
    gauss_sequential(a_.data(), n_);
    x_ = gauss_solution(a_, n_);
  }
  void parallel() override {
    skua::shaped({.input_bytes = n_ * n_ * sizeof(double), .branching = 2}, [&] {
      for (std::size_t k = 0; k + 1 < n_; ++k) {
        const std::size_t left = n_ - k;  // the time of a step is proportional to the square that is left
        share().set(n_ * n_ * n_ - left * left * left, n_ * n_ * n_);
        const gauss_step step{a_.data(), n_, k, leaf_};
        if (divide_)
          step.divide(k + 1, n_);
        else
          step.loop();
      }
    });
    x_ = gauss_solution(a_, n_);
  }
  answer_check verify() override;
  void flip_one() override { a_[n_ / 2 * (n_ + 1)] = std::nextafter(a_[n_ / 2 * (n_ + 1)], 1e9); }

 private:
  std::uint64_t expected_hash() {
    if (const auto published = seed_ == 42 ? gauss_published(n_) : std::nullopt) return published->hash;
    if (!sequential_hash_) {
      std::vector<double> a = system_;
      gauss_sequential(a.data(), n_);
      sequential_hash_ = hash_sequence(a);
    }
    return *sequential_hash_;
  }

  std::size_t n_, leaf_;
  bool divide_;
  std::uint64_t seed_;
  const std::vector<double> system_;
  std::vector<double> a_, x_;  // eliminated, and its solution
  std::optional<std::uint64_t> sequential_hash_;
};

answer_check gauss_program::verify() {
  if (x_.size() != n_) return {false, "there is no solution"};
  if (!(gauss_error(x_) < 1e-12 * static_cast<double>(n_))) return {false, "not all unknowns are 1"};
  const auto published = seed_ == 42 ? gauss_published(n_) : std::nullopt;
  const double log_determinant = gauss_log_determinant(a_, n_);
  if (published && !(std::abs(log_determinant - published->log_determinant) < 1e-12 * log_determinant))
    return {false, "the determinant differs from the published one"};
  const std::string reference = published ? "published" : "sequential";
  if (hash_sequence(a_) != expected_hash())
    return {false, "some bits differ from the " + reference + " answer"};
  return {true, "all unknowns are 1, log of the determinant " + std::to_string(log_determinant) +
                    ", every bit equals the " + reference + " answer"};
}

}  // namespace

extern const workload gauss_workload{
    .name = "gauss",
    .summary = "Gaussian elimination: rounds of shrinking size; all tasks of a round read one row",
    .ci = "128 x 128",
    .med = "2048 x 2048",
    .paper = "1024 x 1024 (17 MB)",
    .options = {{"n", "1 .. 16384", "equations"},
                {"leaf", "1 .. 16384", "rows of one task"},
                {"form", "divide|loop", "divide and conquer over the rows, or a loop"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<gauss_program>(asked);
    }};

}  // namespace workloads
