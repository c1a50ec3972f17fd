// cg16: runs conjugate gradients on the stiffness matrix of a building (bcsstk16, 4884 unknowns), or on a similar
// matrix.
//
// Tasks: an iteration is six loops, and each needs the complete result of the one before. The first is the product of
// the sparse matrix and a vector, with 64 rows a task and up to 81 entries a row. The other five are short loops over
// vectors; two of them are sums. 100 iterations are 601 phases of some microseconds, so the time to begin and end a
// loop dominates. Sums are taken block by block, and the blocks' sums are added in order, so the bits are always the
// same. With `form=phases` the sums are the reductions of phases, and their order varies.
// Paper: ADM. Its fast reductions and ends of phases gain most here. There is no preconditioner; 100 iterations.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/matrix_file.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/cg16.hpp"

namespace workloads {
namespace {

// Cycles, calibrated on one worker with 360 rows of 9 and of 52 entries: for an entry and a row of the product, and for
// an element of a sum and of an update.
constexpr double entry_cycles = 0.85, row_cycles = 1.6, sum_cycles = 0.94, update_cycles = 0.3;

void multiply_rows(const sparse_matrix& a, const cg_vector& p, cg_vector& q, std::size_t first,
                   std::size_t last) {
  const std::size_t begin = a.start[first], entries = a.start[last] - begin;
  skua::reads(&a.values[begin], entries);
  skua::reads(&a.columns[begin], entries);
  skua::reads(&a.start[first], last - first + 1);
  // The rows reach elements near the diagonal, as far as the first and the last row do.
  const std::uint32_t from = a.columns[begin], to = a.columns[begin + entries - 1];
  skua::reads(&p[from], to - from + 1);
  skua::writes(&q[first], last - first);
  skua::costs(entry_cycles * static_cast<double>(entries) + row_cycles * static_cast<double>(last - first));
  cg_multiply(a, p, q, first, last);
}

void declare_sum(const cg_vector& x, const cg_vector& y, std::size_t first, std::size_t last) {
  skua::reads(&x[first], last - first);
  if (&x != &y) skua::reads(&y[first], last - first);
  skua::costs(sum_cycles * static_cast<double>(last - first));
}

/// One of the two updates: it changes `to` and reads `from`.
template <class Update>
void update_rows(Update of, double factor, const cg_vector& from, cg_vector& to, std::size_t first,
                 std::size_t last) {
  skua::reads(&from[first], last - first);
  skua::reads(&to[first], last - first);
  skua::writes(&to[first], last - first);
  skua::costs(update_cycles * static_cast<double>(last - first));
  of(factor, from, to, first, last);
}

/// Runs the loops of an iteration. Sums are taken block by block and added in order, so their bits are always the same.
class by_blocks {
 public:
  explicit by_blocks(std::size_t rows) : sums_((rows + cg_block - 1) / cg_block) {}

  template <class Body>
  void product(std::size_t rows, Body body) {
    skua::parallel_for(skua::blocked(std::size_t{0}, rows, 64), body);
  }
  template <class Body>
  void update(std::size_t rows, Body body) {
    skua::parallel_for(skua::blocked(std::size_t{0}, rows, cg_block), body);
  }
  double dot(const cg_vector& x, const cg_vector& y) {
    skua::parallel_for(std::size_t{0}, sums_.size(), [&](std::size_t block) {
      const std::size_t first = block * cg_block, last = std::min(first + cg_block, x.size());
      declare_sum(x, y, first, last);
      skua::writes(&sums_[block], 1);
      sums_[block] = cg_dot_block(x, y, first, last);
    });
    double sum = 0;
    for (const double s : sums_) sum += s;
    return sum;
  }

 private:
  cg_vector sums_;
};

/// As in the paper: phases with one task for each row, and reductions.
class by_phases {
 public:
  template <class Body>
  void product(std::size_t rows, Body body) {
    skua::phase<std::size_t> tasks;
    tasks.enqueue_range(0, rows);
    tasks.run([&](std::size_t row) { body(row, row + 1); });
  }
  template <class Body>
  void update(std::size_t rows, Body body) {
    product(rows, body);
  }
  double dot(const cg_vector& x, const cg_vector& y) {
    skua::phase<std::size_t> tasks;
    tasks.enqueue_range(0, x.size());
    const auto body = [&](std::size_t row, double& sum) {
      declare_sum(x, y, row, row + 1);
      sum += x[row] * y[row];
    };
    return tasks.run(body, 0.0, std::plus<>{});
  }
};

template <class Loops, class Tell>
void iterate(Loops loops, const sparse_matrix& a, cg_state& s, int iterations, Tell begins) {
  const auto update = [&](auto of, double factor, const cg_vector& from, cg_vector& to) {
    loops.update(
        a.n, [&](std::size_t first, std::size_t last) { update_rows(of, factor, from, to, first, last); });
  };
  s.rho = loops.dot(s.r, s.r);
  for (int i = 0; i < iterations; ++i) {
    begins(i);
    loops.product(a.n, [&](std::size_t first, std::size_t last) { multiply_rows(a, s.p, s.q, first, last); });
    const double alpha = cg_ratio(s.rho, loops.dot(s.p, s.q));
    update(cg_add, alpha, s.p, s.x);
    update(cg_add, -alpha, s.q, s.r);
    const double before = s.rho;
    s.rho = loops.dot(s.r, s.r);
    update(cg_turn, cg_ratio(s.rho, before), s.r, s.p);
  }
}

/// Throws skua::bad_input if a row has no positive entry on the diagonal, since the matrix is then not positive
/// definite.
sparse_matrix with_diagonal(sparse_matrix a, const std::string& file_name) {
  for (std::uint32_t row = 0; row < a.n; ++row) {
    bool positive = false;
    for (std::size_t k = a.start[row]; k < a.start[row + 1]; ++k)
      positive |= a.columns[k] == row && a.values[k] > 0;
    if (!positive)
      throw skua::bad_input(file_name + ": row " + std::to_string(row + 1) + " of " + std::to_string(a.n) +
                            ": expected a positive entry on the diagonal");
  }
  return a;
}

class cg16_program : public program {
 public:
  explicit cg16_program(const parameters& asked)
      : by_phases_(asked.choice("form", {"loops", "phases"}) == "phases"),
        iterations_(static_cast<int>(asked.number("iterations", asked.pick(50, 100, 100), 1, 100000))),
        times_(static_cast<int>(asked.number("times", asked.pick(1, 40, 1), 1, 100000))) {
    const auto side = [&](const char* name, int ci, int other) {
      return static_cast<int>(asked.number(name, asked.pick(ci, other, other), 1, 64));
    };
    const int nx = side("nx", 5, 11), ny = side("ny", 4, 4), nz = side("nz", 6, 37);
    const std::string input = asked.text("input", "");
    matrix_ = input.empty() ? cg_synthetic(nx, ny, nz) : with_diagonal(read_symmetric_matrix(input), input);
    right_ = cg_right_side(matrix_);
  }

  void prepare() override { state_.start(right_); }
  void sequential() override {
    for (int time = 0; time < times_; ++time) {
      state_.start(right_);
      cg_sequential(matrix_, state_, iterations_);
    }
  }
  void parallel() override {
    for (int time = 0; time < times_; ++time) {
      const auto report_step = [&](int i) { share().set(time * iterations_ + i, times_ * iterations_); };
      state_.start(right_);
      if (by_phases_)
        iterate(by_phases(), matrix_, state_, iterations_, report_step);
      else
        iterate(by_blocks(matrix_.n), matrix_, state_, iterations_, report_step);
    }
  }
  answer_check verify() override;
  void flip_one() override { state_.x[0] = by_phases_ ? -state_.x[0] : std::nextafter(state_.x[0], 2.0); }

 private:
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      cg_state state;
      state.start(right_);
      cg_sequential(matrix_, state, iterations_);
      sequential_hash_ = hash_sequence(state.x);
    }
    return *sequential_hash_;
  }

  const bool by_phases_;
  int iterations_, times_;
  sparse_matrix matrix_;
  cg_vector right_;
  cg_state state_;
  std::optional<std::uint64_t> sequential_hash_;
};

answer_check cg16_program::verify() {
  const double norm = cg_norm(right_);
  const double kept = std::sqrt(state_.rho) / norm, real = cg_residual(matrix_, right_, state_.x);
  std::ostringstream text;
  text << matrix_.n << " unknowns, " << matrix_.entries() << " entries: residual " << real << " after "
       << iterations_ << " iterations";
  if (const auto known = cg_published(matrix_, norm, iterations_);
      known && !(std::abs(kept - known->residual) < known->tolerance))
    return {false, text.str() + ", not the published residual"};
  if (!(std::abs(real - kept) <= 1e-10 * real + 1e-13))
    return {false, text.str() + ", not the residual that the iteration keeps up to date"};
  if (!(cg_error(matrix_, state_.x) < cg_error(matrix_, cg_vector(matrix_.n, 0.0))))
    return {false, text.str() + ", but the answer is no nearer than at the start"};
  if (by_phases_) return {true, text.str() + ", sums in any order"};
  if (hash_sequence(state_.x) != sequential_hash())
    return {false, text.str() + "; some bits differ from the sequential answer"};
  return {true, text.str() + ", every bit equals the sequential answer"};
}

}  // namespace

extern const workload cg16_workload{
    .name = "cg16",
    .summary = "conjugate gradients on a small stiffness matrix: hundreds of phases of microseconds",
    .ci = "5 x 4 x 6 nodes (360 unknowns), 50 iterations",
    .med = "11 x 4 x 37 nodes (4884 unknowns), 100 iterations, 40 times",
    .paper = "11 x 4 x 37 nodes, 100 iterations (4 MB); for the paper's matrix, bcsstk16, use input=FILE",
    .options = {{"form", "loops|phases",
                 "loops over blocks, or phases with one task for each row, as in the paper"},
                {"nx", "1 .. 64", "nodes along the first side, unless input is given"},
                {"ny", "1 .. 64", "nodes along the second side"},
                {"nz", "1 .. 64", "nodes along the third side"},
                {"iterations", "1 .. 100000", "iterations"},
                {"times", "1 .. 100000", "number of repetitions"},
                {"input", "FILE",
                 "read a symmetric matrix: Matrix Market, or triplets of the lower half numbered from 0"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<cg16_program>(asked);
    }};

}  // namespace workloads
