// sgemm: computes C += A B for square matrices of floats, several times.
//
// Tasks: divide and conquer. The longest of rows, columns and depth is halved until none is longer than `leaf`. Halves
// of C are computed in parallel, halves of the depth one after another, since they add to the same C. Each forked task
// has its depth in the recursion as a hint: `depth_aware` steals the shallowest task that it sees, which is the
// largest. A smaller leaf makes more tasks, so a good choice saves more.
// Paper: user-defined stealing (Nakashima et al.), 768 x 768, time against the size of the leaf.
#include <cmath>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/sgemm.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_product = 0.064;  // one multiplication and addition; calibrated on one worker

/// Counts tasks that a worker other than the forking one ran.
struct stolen_tasks {
  double count = 0, depths = 0, leaves = 0;
  stolen_tasks& operator+=(const stolen_tasks& other) {
    count += other.count, depths += other.depths, leaves += other.leaves;
    return *this;
  }
};

struct matrices {
  const float* a;
  const float* b;
  float* c;
  std::size_t pitch, leaf;
  skua::per_worker<stolen_tasks>& stolen;
};
/// A block of C, rows x columns at (i, j), and the products from number k on that are still to be added.
struct block {
  std::size_t i, j, k, rows, columns, depth;
};

void multiply_leaf(const matrices& m, const block& part) {
  const float* a = m.a + part.i * m.pitch + part.k;
  const float* b = m.b + part.k * m.pitch + part.j;
  float* c = m.c + part.i * m.pitch + part.j;
  skua::reads(a, part.depth, part.rows, m.pitch);
  skua::reads(b, part.columns, part.depth, m.pitch);
  skua::reads(c, part.columns, part.rows, m.pitch);
  skua::writes(c, part.columns, part.rows, m.pitch);
  skua::costs(cycles_of_product * static_cast<double>(part.rows * part.columns * part.depth));
  sgemm_block(a, b, c, part.rows, part.columns, part.depth, m.pitch);
}

/// Halves the longest side of `whole`; leaves the second half there and returns the first.
block cut(block& whole, std::size_t block::* side, std::size_t block::* start) {
  block first = whole;
  first.*side = whole.*side / 2;
  whole.*side -= first.*side;
  whole.*start += first.*side;
  return first;
}

void count_stolen(const matrices& m, const block& part, std::int64_t depth) {
  const double products =
      static_cast<double>(part.rows) * static_cast<double>(part.columns) * static_cast<double>(part.depth);
  m.stolen.local() += {1, static_cast<double>(depth), products / std::pow(static_cast<double>(m.leaf), 3)};
}

void multiply(const matrices& m, block part, std::int64_t depth) {
  const std::size_t longest = std::max({part.rows, part.columns, part.depth});
  if (longest <= m.leaf) return multiply_leaf(m, part);
  if (part.rows < longest && part.columns < longest) {
    const block first = cut(part, &block::depth, &block::k);
    multiply(m, first, depth + 1);
    return multiply(m, part, depth + 1);
  }
  const block first =
      part.rows == longest ? cut(part, &block::rows, &block::i) : cut(part, &block::columns, &block::j);
  const int here = skua::worker_index();
  skua::join([&] { multiply(m, first, depth + 1); }, skua::hinted(skua::depth{depth + 1}, [&] {
               if (skua::worker_index() != here) count_stolen(m, part, depth + 1);
               multiply(m, part, depth + 1);
             }));
}

class sgemm_program : public program {
 public:
  explicit sgemm_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(192, 768, 768), 1, 2048))),
        repetitions_(static_cast<int>(asked.number("repetitions", asked.pick(1, 10, 10), 1, 100))),
        leaf_(static_cast<std::size_t>(asked.number("leaf", sgemm_leaf, 1, 2048))),
        seed_(asked.seed.value_or(42)),
        a_(random_floats(seed_, n_)),
        b_(random_floats(seed_ + 1, n_)) {}

  void prepare() override { c_.assign(n_ * n_, 0.0F); }
  void sequential() override {
    for (int i = 0; i < repetitions_; ++i) sgemm_sequential(a_.data(), b_.data(), c_.data(), n_);
  }
  void parallel() override {
    skua::per_worker<stolen_tasks> stolen;
    const matrices m{a_.data(), b_.data(), c_.data(), n_, leaf_, stolen};
    skua::shaped({.input_bytes = 3 * n_ * n_ * sizeof(float), .branching = 2}, [&] {
      for (int i = 0; i < repetitions_; ++i) {
        share().set(i, repetitions_);
        multiply(m, {0, 0, 0, n_, n_, n_}, 0);
      }
    });
    stolen_ =
        stolen.combine(stolen_tasks{}, [](stolen_tasks all, const stolen_tasks& one) { return all += one; });
  }
  answer_check verify() override {
    const std::uint64_t published = seed_ == 42 ? product_hash(n_) : 0;
    if (const char* wrong = sgemm_wrong(a_, b_, c_, n_, repetitions_, published)) return {false, wrong};
    return {true, "C = " + std::to_string(repetitions_) + " A B, exactly" +
                      (published ? ", A B as published" : "")};
  }
  void flip_one() override { c_[n_ / 2] += 1; }
  std::map<std::string, double> numbers() const override {
    if (stolen_.count == 0) return {};
    return {{"stolen_depth", stolen_.depths / stolen_.count},
            {"stolen_work", stolen_.leaves / stolen_.count}};
  }

 private:
  std::size_t n_;
  int repetitions_;
  std::size_t leaf_;
  std::uint64_t seed_;
  std::vector<float> a_, b_, c_;
  stolen_tasks stolen_;
};

}  // namespace

extern const workload sgemm_workload{
    .name = "sgemm",
    .summary = "C += A B in single precision; tasks have their recursion depth as a hint",
    .ci = "192 x 192",
    .med = "768 x 768, 10 times",
    .paper = "768 x 768, 10 times (7 MB)",
    .options = {{"n", "1 .. 2048", "rows"},
                {"repetitions", "1 .. 100", "number of products that are added up"},
                {"leaf", "1 .. 2048", "maximum side of the block of one task"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<sgemm_program>(asked);
    }};

}  // namespace workloads
