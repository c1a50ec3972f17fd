// cg: computes the smallest eigenvalue of a large sparse matrix A by inverse iteration. Each step solves A z = x by 25
// rounds of conjugate gradients, and x becomes z, scaled to length 1.
//
// Tasks: a round is five loops over rows, one after another: q = A p, the product p q, z and r, the product r r, and p.
// The first is long; its tasks are blocks of `grain` rows. The others are short. Two of them are sums, added along a
// fixed tree, so the answer has the same bits on any number of workers.
// Paper: TATL, classes W, A and B of the NAS parallel benchmarks (Bailey et al., 1991).
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/npb_cg.hpp"

namespace workloads {
namespace {

constexpr int rounds = 25;
constexpr std::size_t vector_grain = 1024;  // rows of a task that does one or two operations on each
constexpr double cycles_an_entry = 1.3, cycles_a_row = 0.53;  // of the kernels alone: bench/leaf_costs.cpp

/// Loops and sums over n rows, sequentially.
struct rows_in_sequence {
  std::size_t n;
  template <class Body>
  void loop(std::size_t, Body body) const {
    body(std::size_t{0}, n);
  }
  template <class Body>
  double sum(std::size_t, Body body) const {
    return body(std::size_t{0}, n);
  }
};

/// The same, in parallel in blocks of `grain` rows.
struct rows_in_parallel {
  std::size_t n;
  template <class Body>
  void loop(std::size_t grain, Body body) const {
    skua::parallel_for(skua::blocked(std::size_t{0}, n, static_cast<std::int64_t>(grain)), body);
  }
  template <class Body>
  double sum(std::size_t grain, Body body) const {
    const auto block = [&](std::size_t b) { return body(b * grain, std::min(n, (b + 1) * grain)); };
    return skua::parallel_reduce_deterministic(std::size_t{0}, (n + grain - 1) / grain, 0.0, block,
                                               std::plus<>{}, {.grain = 1});
  }
};

/// Like OpenMP's static loops: a given number of equal blocks, one for each worker. A block runs on the worker that ran
/// it before, unless that worker is late.
struct rows_in_static_blocks {
  std::size_t n, blocks;
  std::shared_ptr<skua::loop_memo> memo = std::make_shared<skua::loop_memo>();
  template <class Body>
  void loop(std::size_t, Body body) const {
    each_block([&](std::size_t, std::size_t first, std::size_t last) { body(first, last); });
  }
  template <class Body>
  double sum(std::size_t, Body body) const {
    std::vector<double> parts(blocks);
    each_block([&](std::size_t b, std::size_t first, std::size_t last) { parts[b] = body(first, last); });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }

 private:
  template <class Body>
  void each_block(Body body) const {
    skua::parallel_for(
        std::size_t{0}, blocks, [&](std::size_t b) { body(b, b * n / blocks, (b + 1) * n / blocks); },
        skua::loop{.grain = 1, .placement = skua::same_as_last(*memo)});
  }
};

using vector = std::vector<double>;

/// Solves A z = x by conjugate gradients: p is the direction, q = A p, r = x - A z.
template <class Rows>
class solver {
 public:
  solver(const npb_cg_matrix& a, Rows rows, std::size_t grain)
      : a_(a), rows_(std::move(rows)), grain_(grain) {}

  void solve(const vector& x, vector& z) {
    loop({&x}, {&z, &p_, &r_}, [&](std::size_t i) {
      z[i] = 0;
      p_[i] = r_[i] = x[i];
    });
    double rho = dot(r_, r_);
    for (int round = 0; round < rounds; ++round) {
      multiply(p_, q_);
      const double alpha = rho / dot(p_, q_);
      loop({&p_, &q_}, {&z, &r_}, [&](std::size_t i) {
        z[i] += alpha * p_[i];
        r_[i] -= alpha * q_[i];
      });
      const double before = std::exchange(rho, dot(r_, r_));
      const double beta = rho / before;
      loop({&r_}, {&p_}, [&](std::size_t i) { p_[i] = r_[i] + beta * p_[i]; });
    }
  }

  /// The length of x - A z, computed again, without r.
  double residual(const vector& x, const vector& z) {
    multiply(z, q_);
    loop({&x, &q_}, {&r_}, [&](std::size_t i) { r_[i] = x[i] - q_[i]; });
    return std::sqrt(dot(r_, r_));
  }

  void normalise(const vector& from, vector& to) {
    const double length = std::sqrt(dot(from, from));
    loop({&from}, {&to}, [&](std::size_t i) { to[i] = from[i] / length; });
  }

  double dot(const vector& u, const vector& v) {
    return rows_.sum(vector_grain, [&](std::size_t first, std::size_t last) {
      declare({&u, &v}, {}, first, last);
      return npb_cg_sum(first, last, [&](std::size_t i) { return u[i] * v[i]; });
    });
  }

 private:
  using read = std::initializer_list<const vector*>;
  using written = std::initializer_list<vector*>;

  void multiply(const vector& from, vector& to) {
    rows_.loop(grain_, [&](std::size_t first, std::size_t last) {
      const std::size_t begin = a_.start[first], entries = a_.start[last] - begin;
      skua::reads(a_.value.data() + begin, entries);
      skua::reads(a_.column.data() + begin, entries);
      skua::reads(from.data(), a_.n);  // anywhere
      skua::writes(to.data() + first, last - first);
      skua::costs(cycles_an_entry * static_cast<double>(entries));
      npb_cg_multiply(a_, from.data(), to.data(), first, last);
    });
  }

  template <class Body>
  void loop(read from, written to, Body body) {
    rows_.loop(vector_grain, [&](std::size_t first, std::size_t last) {
      declare(from, to, first, last);
      for (std::size_t i = first; i < last; ++i) body(i);
    });
  }
  static void declare(read from, written to, std::size_t first, std::size_t last) {
    for (const vector* v : from) skua::reads(v->data() + first, last - first);
    for (vector* v : to) skua::writes(v->data() + first, last - first);
    skua::costs(cycles_a_row * static_cast<double>(last - first));
  }

  const npb_cg_matrix& a_;
  const Rows rows_;
  const std::size_t grain_;
  vector p_ = vector(a_.n), q_ = vector(a_.n), r_ = vector(a_.n);
};

class cg_program : public program {
 public:
  explicit cg_program(const parameters& asked)
      : class_(npb_cg_class_of(class_name(asked))),
        grain_(static_cast<std::size_t>(asked.number("grain", 128, 1, 1 << 20))),
        blocks_(static_cast<std::size_t>(asked.number("static_blocks", 0, 0, 4096))),
        steps_(asked_steps(asked)),
        repeats_(static_cast<int>(asked.number("repeats", asked.pick(1, 5, 1), 1, 1000))) {}

  void prepare() override {
    if (a_.n == 0) a_ = npb_cg_matrix_of(class_);
    x_.assign(class_.n, 0.0);
    z_.assign(class_.n, 0.0);
    zetas_.clear();
  }
  void sequential() override { iterate(rows_in_sequence{class_.n}); }
  void parallel() override {
    if (blocks_ == 0)
      iterate(rows_in_parallel{class_.n});
    else
      iterate(rows_in_static_blocks{class_.n, blocks_});
  }
  answer_check verify() override;
  void flip_one() override { z_[class_.n / 2] += 1e-6; }

 private:
  static char class_name(const parameters& asked) {
    const std::string name = asked.choice("class", {"size", "S", "W", "A", "B", "C"});
    return name == "size" ? asked.pick('S', 'A', 'B') : name[0];
  }

  /// The number of steps: all, or at most the number of published values to check them with.
  int asked_steps(const parameters& asked) const {
    const int steps = static_cast<int>(asked.number("steps", class_.steps, 1, class_.steps));
    const auto known = std::ranges::find(class_.first_ones, 0.0) - class_.first_ones.begin();
    if (steps < class_.steps && steps > known)
      throw skua::bad_input("steps is " + std::to_string(steps) + " for class " + class_.name +
                            "; allowed: up to " + std::to_string(known) + ", or all " +
                            std::to_string(class_.steps) +
                            "; nearest: " + std::to_string(known > 0 ? known : class_.steps));
    return steps;
  }

  template <class Rows>
  void iterate(const Rows& rows) {
    for (int repeat = 0; repeat < repeats_; ++repeat) {
      solver<Rows> by(a_, rows, grain_);
      zetas_.clear();
      x_.assign(class_.n, 1.0);
      for (int step = 0; step < steps_; ++step) {
        share().set(repeat * steps_ + step, repeats_ * steps_);
        if (step != 0) by.normalise(z_, x_);
        by.solve(x_, z_);
        residual_ = by.residual(x_, z_);
        zetas_.push_back(class_.shift + 1 / by.dot(x_, z_));
      }
    }
  }

  const npb_cg_class& class_;
  std::size_t grain_, blocks_;  // blocks of static loops, or 0
  int steps_, repeats_;
  npb_cg_matrix a_;
  vector x_, z_, zetas_;  // x and z of the last step, zeta of all steps
  double residual_ = 0;
};

answer_check cg_program::verify() {
  const auto near = [](double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance * std::abs(expected);
  };
  if (class_.entries != 0 && a_.value.size() != class_.entries)
    return {false, "the matrix does not have the published number of entries"};
  if (zetas_.size() != static_cast<std::size_t>(steps_)) return {false, "there is no answer"};
  const std::size_t known = std::min(class_.first_ones.size(), zetas_.size());
  for (std::size_t i = 0; i < known && class_.first_ones[i] != 0; ++i)
    if (!near(zetas_[i], class_.first_ones[i], 1e-11))
      return {false, "step " + std::to_string(i) + " differs from the published one"};
  if (steps_ == class_.steps && !near(zetas_.back(), class_.zeta, 1e-10))
    return {false, "zeta differs from the published one"};
  solver<rows_in_sequence> check(a_, {class_.n}, grain_);
  if (!(residual_ < 1e-10 && check.residual(x_, z_) < 1e-10)) return {false, "A z is not x"};
  if (!near(class_.shift + 1 / check.dot(x_, z_), zetas_.back(), 1e-12))
    return {false, "zeta does not match z"};
  char zeta[32];
  std::snprintf(zeta, sizeof zeta, "zeta %.17g", zetas_.back());
  return {true, zeta + std::string(", as published; ") + std::to_string(a_.value.size()) + " entries"};
}

}  // namespace

extern const workload cg_workload{
    .name = "cg",
    .summary = "NAS CG: an eigenvalue of a sparse matrix, by alternating long loops, short loops and sums",
    .ci = "class S, 1400 rows",
    .med = "class A, 14000 rows, 5 times",
    .paper = "class B, 75000 rows (270 MB); the paper also has classes W and A",
    .options = {{"class", "size|S|W|A|B|C", "class of the NAS benchmark; the default depends on the size"},
                {"grain", "1 .. 1048576", "rows of one task of A p"},
                {"static_blocks", "0 .. 4096",
                 "if not 0: loops of this many equal blocks, each on the worker that ran it before"},
                {"steps", "1 .. 75", "steps of the iteration; the default is all steps of the class"},
                {"repeats", "1 .. 1000", "number of repetitions"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<cg_program>(asked);
    }};

}  // namespace workloads
