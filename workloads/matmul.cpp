// matmul: computes C = A B for square matrices of doubles.
//
// Tasks: `form=blocked` is a two-dimensional loop over the 64 x 64 blocks of C. `form=divide` halves all three
// dimensions: it computes the four quadrants of C in parallel, first for the left half of A's columns, then for the
// right. It uses all caches well without knowing their sizes.
// Paper: TATL's matmul (PARKBENCH; sizes not given), the TBB thesis, 1500 x 1500; the divided form is by Frigo,
// Leiserson, Prokop and Ramachandran, "Cache-oblivious algorithms", 1999.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/matmul.hpp"

namespace workloads {
namespace {

// Cycles for one multiplication and addition, of the kernel alone, with AVX-512; measured by bench/leaf_costs.cpp.
constexpr double step_cycles = 0.16;

void declare_product(const double* a, const double* b, double* c, std::size_t rows, std::size_t columns,
                     std::size_t depth, std::size_t pitch) {
  skua::reads(a, depth, rows, pitch);
  skua::reads(b, columns, depth, pitch);
  skua::writes(c, columns, rows, pitch);
  skua::costs(step_cycles * static_cast<double>(rows * columns * depth));
}

void matmul_blocked(const double* a, const double* b, double* c, std::size_t n) {
  const std::size_t blocks = (n + matmul_leaf - 1) / matmul_leaf;
  skua::parallel_for(
      skua::blocked2d(std::size_t{0}, blocks, std::size_t{0}, blocks), [=](auto rows, auto columns) {
        for (const std::size_t row : rows)
          for (const std::size_t column : columns) {
            const std::size_t i = row * matmul_leaf, j = column * matmul_leaf;
            const std::size_t i_end = std::min(n, i + matmul_leaf), j_end = std::min(n, j + matmul_leaf);
            declare_product(a + i * n, b + j, c + i * n + j, i_end - i, j_end - j, n, n);
            matmul_block_of_c(a, b, c, n, i, i_end, j, j_end);
          }
      });
}

/// Blocks of A (rows x depth), B (depth x columns) and C, in matrices whose rows are `pitch` apart.
struct product {
  const double* a;
  const double* b;
  double* c;
  std::size_t rows, columns, depth, pitch;

  /// The part that starts at (i, j, k).
  product part(std::size_t i, std::size_t j, std::size_t k, std::size_t r, std::size_t s,
               std::size_t d) const {
    return {a + i * pitch + k, b + k * pitch + j, c + i * pitch + j, r, s, d, pitch};
  }
};

/// About half of n, rounded to whole leaves, or all of n if one leaf is enough.
std::size_t first_half(std::size_t length) {
  if (length <= matmul_leaf) return length;
  const std::size_t leaves = (length + matmul_leaf - 1) / matmul_leaf;
  return (leaves + 1) / 2 * matmul_leaf;
}

void matmul_divided(const product& p) {
  if (p.rows == 0 || p.columns == 0 || p.depth == 0) return;
  const std::size_t i = first_half(p.rows), j = first_half(p.columns), k = first_half(p.depth);
  if (i == p.rows && j == p.columns && k == p.depth) {
    skua::reads(p.c, p.columns, p.rows, p.pitch);
    declare_product(p.a, p.b, p.c, p.rows, p.columns, p.depth, p.pitch);
    return matmul_block(p.a, p.b, p.c, p.rows, p.columns, p.depth, {p.pitch, p.pitch, p.pitch});
  }
  const auto quadrants = [&](std::size_t from, std::size_t depth) {
    skua::join([&, from, depth] { matmul_divided(p.part(0, 0, from, i, j, depth)); },
               [&, from, depth] { matmul_divided(p.part(0, j, from, i, p.columns - j, depth)); },
               [&, from, depth] { matmul_divided(p.part(i, 0, from, p.rows - i, j, depth)); },
               [&, from, depth] { matmul_divided(p.part(i, j, from, p.rows - i, p.columns - j, depth)); });
  };
  quadrants(0, k);
  quadrants(k, p.depth - k);
}

class matmul_program : public program {
 public:
  explicit matmul_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(128, 1500, 1500), 1, 16384))),
        seed_(asked.seed.value_or(42)),
        divide_(asked.choice("form", {"blocked", "divide"}) == "divide"),
        a_(random_matrix(seed_, n_)),
        b_(random_matrix(seed_ + 1, n_)) {}

  void prepare() override { c_.assign(n_ * n_, 0.0); }
  void sequential() override { matmul_sequential(a_.data(), b_.data(), c_.data(), n_); }
  void parallel() override {
    if (divide_)
      matmul_divided({a_.data(), b_.data(), c_.data(), n_, n_, n_, n_});
    else
      matmul_blocked(a_.data(), b_.data(), c_.data(), n_);
  }
  answer_check verify() override {
    if (!is_product(a_.data(), b_.data(), c_.data(), n_)) return {false, "C is not A B"};
    const std::uint64_t published = seed_ == 42 ? product_hash(n_) : 0;
    const auto whole = [](double x) { return static_cast<std::int64_t>(x); };
    if (published != 0 && hash_sequence(std::views::transform(c_, whole)) != published)
      return {false, "C differs from the published answer"};
    return {true, "C = A B, exactly" + std::string(published ? ", as published" : "")};
  }
  void flip_one() override { c_[n_ / 2] += 1; }

 private:
  std::size_t n_;
  std::uint64_t seed_;
  bool divide_;
  std::vector<double> a_, b_, c_;
};

}  // namespace

extern const workload matmul_workload{
    .name = "matmul",
    .summary = "multiply square matrices, C = A B, by blocks of 64 x 64",
    .ci = "128 x 128",
    .med = "1500 x 1500",
    .paper = "1500 x 1500 (54 MB)",
    .options = {{"n", "1 .. 16384", "rows"},
                {"form", "blocked|divide", "a loop over blocks, or divide and conquer"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<matmul_program>(asked);
    }};

}  // namespace workloads
