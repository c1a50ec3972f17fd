// fft: computes the discrete Fourier transform of n complex numbers, n a power of two.
//
// Tasks: points are distributed over r parts (unshuffle), the parts are transformed in parallel, and butterflies of r
// points combine them (twiddle); r is 16 or 8. The first and the last step halve their range of indices until fewer
// than 128 are left; so does the computation of the table of roots. At most 32 points are one task, so there are many
// small tasks.
// Paper: Cilk's fft. CAB's evaluation uses it as a program that no cache can help and schedules it without tiers. Hence
// there is no region, unless `region=shaped` asks for one. Roots are stored level by level, not in one table as in
// Cilk's.
#include <bit>

#include <skua/skua.hpp>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/fft.hpp"

namespace workloads {
namespace {

// Cycles for one point, of the kernels alone, with AVX-512, in the second-level cache; measured by
// bench/leaf_costs.cpp.
constexpr double unshuffle_cycles = 1.5, base_cycles = 8.3, root_cycles = 36;
constexpr double twiddle_cycles(std::size_t radix) { return radix == 16 ? 4.7 : 2.3; }

/// Calls leaf(first, last) for all indices, fewer than `grain` at a time.
template <class Leaf>
void halve(std::size_t first, std::size_t last, std::size_t grain, const Leaf& leaf) {
  if (last - first < grain) return leaf(first, last);
  const std::size_t middle = first + (last - first) / 2;
  skua::join([&] { halve(first, middle, grain, leaf); }, [&] { halve(middle, last, grain, leaf); });
}
constexpr std::size_t fft_grain = 128;

void fill_roots(fft_level& level) {
  halve(0, level.roots.size(), fft_grain, [&](std::size_t first, std::size_t last) {
    skua::writes(level.roots.data() + first, last - first);
    skua::costs(root_cycles * static_cast<double>(last - first));
    level.fill_roots(first, last);
  });
}

void unshuffle(const fft_level& level, const fft_point* from, fft_point* to) {
  const std::size_t radix = level.radix, part = level.part();
  halve(0, part, fft_grain, [=](std::size_t first, std::size_t last) {
    skua::reads(from + first * radix, (last - first) * radix);
    skua::writes(to + first, last - first, radix, part);
    skua::costs(unshuffle_cycles * static_cast<double>((last - first) * radix));
    fft_unshuffle(from, to, first, last, radix, part);
  });
}

void twiddle(const fft_level& level, const fft_point* from, fft_point* to) {
  const std::size_t radix = level.radix, part = level.part();
  const fft_point* const roots = level.roots.data();
  halve(0, part, fft_grain, [=](std::size_t first, std::size_t last) {
    skua::reads(from + first, last - first, radix, part);
    skua::reads(roots + first, last - first);
    skua::writes(to + first, last - first, radix, part);
    skua::costs(twiddle_cycles(radix) * static_cast<double>((last - first) * radix));
    fft_twiddle(from, to, roots, first, last, radix, part);
  });
}

void base(const fft_point* from, fft_point* to, std::size_t n) {
  skua::reads(from, n);
  skua::writes(to, n);
  skua::costs(base_cycles * static_cast<double>(n));
  fft_base(from, to, n);
}

/// Transforms `from` to `to`. `spare` has the same length; it may be `from` if that is no longer needed.
void transform(const fft_level* level, const fft_point* from, fft_point* to, fft_point* spare) {
  if (level->radix == 0) return base(from, to, level->length);
  unshuffle(*level, from, to);
  halve(0, level->radix, 2, [=, part = level->part()](std::size_t k, std::size_t) {
    transform(level + 1, to + k * part, spare + k * part, to + k * part);
  });
  twiddle(*level, spare, to);
}

class fft_program : public program {
 public:
  explicit fft_program(const parameters& asked)
      : n_(static_cast<std::size_t>(
            asked.number("n", asked.pick(1 << 14, 1 << 22, 1 << 20), 1, std::int64_t{1} << 28))),
        transforms_(asked.number("transforms", asked.pick(1, 4, 1), 1, 1'000'000)),
        shaped_(asked.choice("region", {"none", "shaped"}) == "shaped"),
        seed_(asked.seed.value_or(42)) {
    if (!std::has_single_bit(n_))
      throw skua::bad_input("n is '" + std::to_string(n_) + "'; allowed: a power of two; nearest: " +
                            std::to_string(nearest_power_of_two(n_)));
    levels_ = fft_levels(n_);
    x_ = fft_input(seed_, n_);
  }

  void prepare() override {
    y_.assign(n_, 0.0);
    spare_.resize(n_);
  }
  void sequential() override {
    for (fft_level& level : levels_) level.fill_roots(0, level.roots.size());
    for (std::int64_t i = 0; i < transforms_; ++i)
      fft_sequential(levels_.data(), x_.data(), y_.data(), spare_.data());
  }
  void parallel() override {
    if (shaped_)
      // Input, output and 8 bytes a point for roots. The third array is used in turn with the first two.
      skua::shaped({.input_bytes = n_ * (2 * sizeof(fft_point) + sizeof(double)), .branching = 16},
                   [&] { transform_all(); });
    else
      transform_all();
  }
  answer_check verify() override {
    const std::string complaint =
        fft_complaint(x_, y_, seed_ == 42 ? fft_published(n_) : std::optional<fft_known>());
    if (!complaint.empty()) return {false, complaint};
    if (hash(y_) != sequential_hash()) return {false, "some bits differ from the sequential answer"};
    return {true, std::to_string(n_) + " points, every bit equals the sequential answer" +
                      (seed_ == 42 && fft_published(n_) ? ", as published" : "")};
  }
  void flip_one() override { y_[n_ / 2].real(std::nextafter(y_[n_ / 2].real(), 1e300)); }

 private:
  void transform_all() {
    for (fft_level& level : levels_) fill_roots(level);
    for (std::int64_t i = 0; i < transforms_; ++i)
      transform(levels_.data(), x_.data(), y_.data(), spare_.data());
  }
  static std::uint64_t hash(const std::vector<fft_point>& points) {
    return hash_sequence(std::span(reinterpret_cast<const double*>(points.data()), 2 * points.size()));
  }
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      std::vector<fft_point> y(n_);
      fft_sequential(levels_.data(), x_.data(), y.data(), spare_.data());
      sequential_hash_ = hash(y);
    }
    return *sequential_hash_;
  }

  std::size_t n_;
  std::int64_t transforms_;
  bool shaped_;
  std::uint64_t seed_;
  std::vector<fft_level> levels_;
  std::vector<fft_point> x_, y_, spare_;
  std::optional<std::uint64_t> sequential_hash_;
};

}  // namespace

extern const workload fft_workload{
    .name = "fft",
    .summary = "Fourier transform by unshuffle, parallel parts and butterflies: many small tasks",
    .ci = "2^14 points",
    .med = "2^22 points, 4 times",
    .paper = "2^20 points (50 MB; the paper does not give the number)",
    .options = {{"n", "1 .. 2^28", "points, a power of two"},
                {"transforms", "1 .. 1000000", "number of transforms of the same points, one after another"},
                {"region", "none|shaped", "shaped: mark a region for policies with two tiers"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<fft_program>(asked);
    }};

}  // namespace workloads
