// cholesky: factors A = L L^T for a symmetric, positive definite matrix A, with L lower triangular.
//
// Tasks: matrices are cut into quadrants down to blocks of 64 x 64. Factoring A takes four steps, one after another:
// factor A00, solve X L00^T = A10, subtract X X^T from A11, and factor the result. Solving and subtracting do their
// quadrants in parallel. A product does the left half of its columns first, then the right half.
// Paper: Cilk's cholesky, here with a dense matrix instead of a sparse quadtree. CAB's evaluation uses it as a program
// that no cache can help, hence no region.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/cholesky.hpp"

namespace workloads {
namespace {

// Cycles for one step of a block's three loops, calibrated on one worker: AVX-512.
constexpr double cholesky_update_cycles = 0.15, solve_cycles = 0.11, factor_cycles = 0.10;

/// A part of a matrix. An empty part has no rows or no columns.
struct block {
  double* at;
  std::size_t rows, columns, pitch;

  bool empty() const { return rows == 0 || columns == 0; }
  double volume(std::size_t depth) const { return static_cast<double>(rows * columns * depth); }
  /// About half of n, rounded to whole leaves, or all of n if one leaf is enough.
  static std::size_t first_half(std::size_t length) {
    const std::size_t leaves = (length + cholesky_leaf - 1) / cholesky_leaf;
    return std::min(length, (leaves + 1) / 2 * cholesky_leaf);
  }
  struct halves;
  halves by_rows() const;
  halves by_columns() const;
};
struct block::halves {
  block first, second;
};
block::halves block::by_rows() const {
  const std::size_t half = first_half(rows);
  return {{at, half, columns, pitch}, {at + half * pitch, rows - half, columns, pitch}};
}
block::halves block::by_columns() const {
  const std::size_t half = first_half(columns);
  return {{at, rows, half, pitch}, {at + half, rows, columns - half, pitch}};
}
bool is_leaf(const block& b) { return b.rows <= cholesky_leaf && b.columns <= cholesky_leaf; }

void update_leaf(const block& c, const block& a, const block& b) {
  skua::reads(a.at, a.columns, a.rows, a.pitch);
  skua::reads(b.at, b.columns, b.rows, b.pitch);
  skua::reads(c.at, c.columns, c.rows, c.pitch);
  skua::writes(c.at, c.columns, c.rows, c.pitch);
  skua::costs(cholesky_update_cycles * c.volume(a.columns));
  cholesky_update(a.at, b.at, c.at, c.rows, c.columns, a.columns, c.pitch);
}

/// C -= A B^T
void update(const block& c, const block& a, const block& b) {
  if (c.empty() || a.empty()) return;
  if (is_leaf(c) && is_leaf(a)) return update_leaf(c, a, b);
  const auto [top, bottom] = c.by_rows();
  const auto [a_left, a_right] = a.by_columns();
  const auto [b_left, b_right] = b.by_columns();
  const auto quadrants = [&](const block& left, const block& right) {
    const auto [a0, a1] = left.by_rows();
    const auto [b0, b1] = right.by_rows();
    skua::join([&] { update(top.by_columns().first, a0, b0); },
               [&] { update(top.by_columns().second, a0, b1); },
               [&] { update(bottom.by_columns().first, a1, b0); },
               [&] { update(bottom.by_columns().second, a1, b1); });
  };
  quadrants(a_left, b_left);
  quadrants(a_right, b_right);
}

/// C -= A A^T on and below C's diagonal
void update_diagonal(const block& c, const block& a) {
  if (c.empty() || a.empty()) return;
  if (is_leaf(c) && is_leaf(a)) return update_leaf(c, a, a);
  const auto [top, bottom] = c.by_rows();
  const auto triangle = [&](const block& part) {
    const auto [a0, a1] = part.by_rows();
    skua::join([&] { update_diagonal(top.by_columns().first, a0); },
               [&] { update(bottom.by_columns().first, a1, a0); },
               [&] { update_diagonal(bottom.by_columns().second, a1); });
  };
  const auto [left, right] = a.by_columns();
  triangle(left);
  triangle(right);
}

void solve_leaf(const block& l, const block& b) {
  skua::reads(l.at, l.columns, l.rows, l.pitch);
  skua::reads(b.at, b.columns, b.rows, b.pitch);
  skua::writes(b.at, b.columns, b.rows, b.pitch);
  skua::costs(solve_cycles * b.volume(b.columns));
  cholesky_solve(l.at, b.at, b.rows, b.columns, b.pitch);
}

/// Solves X L^T = B; X replaces B
void solve(const block& l, const block& b) {
  if (b.empty()) return;
  if (is_leaf(b)) return solve_leaf(l, b);
  const auto [l_top, l_bottom] = l.by_rows();
  const block l00 = l_top.by_columns().first, l10 = l_bottom.by_columns().first,
              l11 = l_bottom.by_columns().second;
  const auto [left, right] = b.by_columns();
  const auto [b00, b10] = left.by_rows();
  const auto [b01, b11] = right.by_rows();
  skua::join([&] { solve(l00, b00); }, [&] { solve(l00, b10); });
  skua::join([&] { update(b01, b00, l10); }, [&] { update(b11, b10, l10); });
  skua::join([&] { solve(l11, b01); }, [&] { solve(l11, b11); });
}

void factor_leaf(const block& a) {
  skua::reads(a.at, a.columns, a.rows, a.pitch);
  skua::writes(a.at, a.columns, a.rows, a.pitch);
  skua::costs(factor_cycles * a.volume(a.columns));
  cholesky_factor(a.at, a.rows, a.pitch);
}

void factor(const block& a) {
  if (is_leaf(a)) return factor_leaf(a);
  const auto [top, bottom] = a.by_rows();
  const block a00 = top.by_columns().first;
  const auto [a10, a11] = bottom.by_columns();
  factor(a00);
  solve(a00, a10);
  update_diagonal(a11, a10);
  factor(a11);
}

class cholesky_program : public program {
 public:
  explicit cholesky_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(256, 2048, 1024), 1, 16384))),
        seed_(asked.seed.value_or(42)),
        exact_(asked.choice("input", {"random", "exact"}) == "exact"),
        a_(exact_ ? cholesky_exact_input(n_) : cholesky_random_input(seed_, n_)) {}

  void prepare() override { l_ = a_; }
  void sequential() override { cholesky_sequential(l_.data(), n_); }
  void parallel() override { factor({l_.data(), n_, n_, n_}); }
  answer_check verify() override {
    const double error = cholesky_error(l_, n_, [&](std::size_t i, std::size_t j) {
      return exact_ ? (j <= i ? 1.0 : 0.0) : cholesky_entry(seed_, n_, i, j);
    });
    if (!(error <= (exact_ ? 0 : 1e-11))) return {false, "L is not the factor that A was made from"};
    const double sum = cholesky_log_sum(l_, n_);
    const double published = exact_ || seed_ != 42 ? 0 : cholesky_log_sum(n_);
    if (published != 0 && !(std::abs(sum - published) < 1e-10 * published))
      return {false, "the diagonal differs from the published one"};
    if (hash_sequence(l_) != sequential_hash()) return {false, "some bits differ from the sequential answer"};
    return {true, "sum of log L_ii = " + std::to_string(sum) + ", every bit equals the sequential answer" +
                      (published != 0 ? ", as published" : "")};
  }
  void flip_one() override { l_[n_ * n_ / 2] = std::nextafter(l_[n_ * n_ / 2], 2.0); }

 private:
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      std::vector<double> l = a_;
      cholesky_sequential(l.data(), n_);
      sequential_hash_ = hash_sequence(l);
    }
    return *sequential_hash_;
  }

  std::size_t n_;
  std::uint64_t seed_;
  bool exact_;
  std::vector<double> a_, l_;
  std::optional<std::uint64_t> sequential_hash_;
};

}  // namespace

extern const workload cholesky_workload{
    .name = "cholesky",
    .summary = "factor A = L L^T by quadrants, down to blocks of 64 x 64",
    .ci = "256 x 256",
    .med = "2048 x 2048",
    .paper = "1024 x 1024 (16 MB; the paper does not give the size)",
    .options = {{"n", "1 .. 16384", "rows"},
                {"input", "random|exact", "a random L, or an L of whole numbers"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<cholesky_program>(asked);
    }};

}  // namespace workloads
