// strassen: computes C = A B for square matrices with seven products of halves instead of eight.
//
// Tasks: sums of A's and of B's quadrants, in parallel by rows; seven products in parallel; then their combination to
// C, in parallel by rows. A product of at most 64 rows, or of an odd number of rows, is one task. A step needs
// temporaries of 11 quarters of the matrix, so memory grows with the number of workers in different products.
// Paper: the TBB thesis, 256 x 256. This is Winograd's form with 15 additions, as in the Barcelona OpenMP Tasks Suite
// and Cilk.
#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/strassen.hpp"

namespace workloads {
namespace {

// Cycles for one step of a product's three loops, and for one element of the sums. Calibrated on one worker, AVX-512.
constexpr double product_cycles = 0.15, sum_cycles = 3.2, combine_cycles = 4.3;
constexpr std::int64_t grain = 32;  // rows of one task of a sum

template <class T>
void declare_rows(const square<T>& part, std::size_t first, std::size_t last, std::size_t columns) {
  if constexpr (std::is_const_v<T>)
    skua::reads(part.at + first * part.pitch, columns, last - first, part.pitch);
  else
    skua::writes(part.at + first * part.pitch, columns, last - first, part.pitch);
}

template <class Sum>
void sums(const std::array<square<const double>, 4>& from, const std::array<square<double>, 4>& to,
          std::size_t half, const Sum& sum) {
  skua::parallel_for(skua::blocked(std::size_t{0}, half, grain), [&](std::size_t first, std::size_t last) {
    for (const auto& part : from) declare_rows(part, first, last, half);
    for (const auto& part : to) declare_rows(part, first, last, half);
    skua::costs(sum_cycles * static_cast<double>((last - first) * half));
    sum(first, last);
  });
}

void combine(const strassen_step& step) {
  skua::parallel_for(skua::blocked(std::size_t{0}, step.half, grain),
                     [&](std::size_t first, std::size_t last) {
                       for (const auto& part : step.p)
                         declare_rows<const double>(part, first, last, step.half);
                       for (const auto& part : step.c) {
                         declare_rows<const double>(part, first, last, step.half);
                         declare_rows(part, first, last, step.half);
                       }
                       skua::costs(combine_cycles * static_cast<double>((last - first) * step.half));
                       step.combine(first, last);
                     });
}

void plain(const strassen_product& whole, std::size_t n) {
  declare_rows(whole.a, 0, n, n);
  declare_rows(whole.b, 0, n, n);
  declare_rows(whole.c, 0, n, n);
  skua::costs(product_cycles * static_cast<double>(n * n * n));
  strassen_plain(whole, n);
}

void multiply(const strassen_product& whole, std::size_t n) {
  if (is_strassen_leaf(n)) return plain(whole, n);
  const strassen_step step(whole, n);
  skua::join([&] { sums(step.a, step.s, step.half, [&](auto... rows) { step.sums_of_a(rows...); }); },
             [&] { sums(step.b, step.t, step.half, [&](auto... rows) { step.sums_of_b(rows...); }); });
  const auto products = step.products();
  const auto product = [&](std::size_t i) { return [&, i] { multiply(products[i], step.half); }; };
  skua::join(product(0), product(1), product(2), product(3), product(4), product(5), product(6));
  combine(step);
}

class strassen_program : public program {
 public:
  explicit strassen_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(128, 1024, 256), 1, 8192))),
        times_(asked.number("times", asked.pick(1, 10, 100), 1, 1'000'000)),
        seed_(asked.seed.value_or(42)),
        a_(random_matrix(seed_, n_)),
        b_(random_matrix(seed_ + 1, n_)) {}

  void prepare() override { c_.assign(n_ * n_, 0.0); }
  void sequential() override {
    for (std::int64_t i = 0; i < times_; ++i) strassen_sequential(whole(), n_);
  }
  void parallel() override {
    for (std::int64_t i = 0; i < times_; ++i) multiply(whole(), n_);
  }
  answer_check verify() override {
    if (!is_product(a_.data(), b_.data(), c_.data(), n_)) return {false, "C is not A B"};
    const std::uint64_t published = seed_ == 42 ? product_hash(n_) : 0;
    const auto as_integer = [](double x) { return static_cast<std::int64_t>(x); };
    if (published != 0 && hash_sequence(std::views::transform(c_, as_integer)) != published)
      return {false, "C differs from the published answer"};
    return {true, "C = A B, exactly" + std::string(published ? ", as published" : "")};
  }
  void flip_one() override { c_[n_ / 2] += 1; }

 private:
  strassen_product whole() { return {{a_.data(), n_}, {b_.data(), n_}, {c_.data(), n_}}; }

  std::size_t n_;
  std::int64_t times_;
  std::uint64_t seed_;
  std::vector<double> a_, b_, c_;
};

}  // namespace

extern const workload strassen_workload{
    .name = "strassen",
    .summary = "multiply square matrices by Strassen's seven products, in Winograd's form",
    .ci = "128 x 128",
    .med = "1024 x 1024, 10 times",
    .paper = "256 x 256, 100 times (2 MB)",
    .options = {{"n", "1 .. 8192", "rows; halved while they are even and more than 64"},
                {"times", "1 .. 1000000", "number of repetitions"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<strassen_program>(asked);
    }};

}  // namespace workloads
