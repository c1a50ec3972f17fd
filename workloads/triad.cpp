// triad: computes a = b + s c for long arrays, repeatedly (McCalpin's STREAM).
//
// Tasks: divide and conquer down to `leaves` pieces, the same pieces in every sweep. A leaf does little but move its 96
// KB, so its time depends on whether they are still in the cache of the core that runs it. Every forked task has an
// affinity hint: each of its leaves adds a weight of 1 for the worker that ran it in the previous sweep. A leaf that
// has not run yet prefers all workers equally. `affinity` steals the task with the largest weight for the thief;
// `affinity(strict)` steals no task without a weight for it. `kernels=stream` runs copy, scale, add and triad in turn.
// Paper: user-defined stealing (Nakashima et al.), 3 x 8 MB in 256 tasks, best effort and strict.
#include <skua/skua.hpp>

#include <cmath>
#include <cstdio>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/triad.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_element = 0.8;  // of the kernel alone: bench/leaf_costs.cpp

/// The worker that last ran each leaf, and how often it was the same as in the previous sweep.
struct leaf_record {
  int ran_on = -1;  // no worker yet
  int same = 0;
};

/// The number of workers that a task's hint can name. No hint names a worker beyond.
template <std::size_t workers>
class sweeps {
 public:
  sweeps(stream_arrays& arrays, std::size_t leaves) : x_(arrays), leaves_(leaves) {}

  void run(stream_kernel kernel, double s) {
    kernel_ = kernel, s_ = s;
    part(0, leaves_.size());
    ++done_;
  }
  /// The share of leaves that ran on the same worker as in the previous sweep; empty before the second sweep.
  std::optional<double> same_as_before() const {
    if (done_ < 2) return std::nullopt;
    double same = 0;
    for (const leaf_record& leaf : leaves_) same += leaf.same;
    return same / (static_cast<double>(done_ - 1) * static_cast<double>(leaves_.size()));
  }

 private:
  using wishes = skua::affinity<workers>;

  void part(std::size_t first, std::size_t end) {
    if (end - first == 1) return leaf(first);
    const std::size_t middle = first + (end - first) / 2;
    skua::join([=, this] { part(first, middle); },
               skua::hinted(wishes_of(middle, end), [=, this] { part(middle, end); }));
  }

  wishes wishes_of(std::size_t first, std::size_t end) const {
    wishes all{};
    std::int32_t unclaimed = 0;
    for (std::size_t i = first; i < end; ++i) {
      const auto worker = static_cast<std::size_t>(leaves_[i].ran_on);
      if (leaves_[i].ran_on < 0)
        ++unclaimed;
      else if (worker < std::size(all.wants))
        ++all.wants[worker];
    }
    if (unclaimed != 0)
      for (std::int32_t& wants : all.wants) wants += unclaimed;
    return all;
  }

  void leaf(std::size_t number) {
    const std::size_t n = x_.a.size(), first = number * n / leaves_.size(),
                      last = (number + 1) * n / leaves_.size();
    declare(first, last - first);
    stream_run(kernel_, s_, x_.a.data(), x_.b.data(), x_.c.data(), first, last);
    leaf_record& me = leaves_[number];
    const int here = skua::worker_index();
    me.same += me.ran_on == here;
    me.ran_on = here;
  }

  void declare(std::size_t first, std::size_t count) {
    double *a = x_.a.data() + first, *b = x_.b.data() + first, *c = x_.c.data() + first;
    if (kernel_ == stream_kernel::copy || kernel_ == stream_kernel::add) skua::reads(a, count);
    if (kernel_ == stream_kernel::add || kernel_ == stream_kernel::triad) skua::reads(b, count);
    if (kernel_ == stream_kernel::scale || kernel_ == stream_kernel::triad) skua::reads(c, count);
    skua::writes(kernel_ == stream_kernel::triad ? a : kernel_ == stream_kernel::scale ? b : c, count);
    skua::costs(cycles_of_element * static_cast<double>(count));
  }

  stream_arrays& x_;
  std::vector<leaf_record> leaves_;
  stream_kernel kernel_ = stream_kernel::triad;
  double s_ = 0;
  int done_ = 0;
};

class triad_program : public program {
 public:
  explicit triad_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(1 << 16, 1 << 20, 1 << 20), 1, 1 << 28))),
        sweeps_(static_cast<int>(asked.number("sweeps", asked.pick(20, 2000, 2000), 1, 100000))),
        leaves_(static_cast<std::size_t>(asked.number("leaves", 256, 1, 65536))),
        few_workers_(asked.choice("wishes", {"256", "32"}) == "32"),
        classic_(asked.choice("kernels", {"triad", "stream"}) == "stream") {}

  void prepare() override {
    x_ = classic_ ? classic_input(n_) : triad_input(n_);
    same_as_before_.reset();
  }
  void sequential() override {
    all_sweeps([&](stream_kernel kernel, double s) {
      stream_run(kernel, s, x_.a.data(), x_.b.data(), x_.c.data(), 0, n_);
    });
  }
  void parallel() override {
    if (few_workers_)
      run_in_parallel<32>();
    else
      run_in_parallel<256>();
  }
  answer_check verify() override {
    if (classic_ ? !classic_correct(x_, sweeps_) : !triad_correct(x_, sweeps_))
      return {false, "an element differs from the exact answer"};
    const std::optional<double> published = classic_ ? std::nullopt : triad_sum(n_, sweeps_);
    if (published && sum_of(x_.a) != *published) return {false, "the sum differs from the published one"};
    return {true, "every element exact" + std::string(published ? ", the sum as published" : "") + same()};
  }
  void flip_one() override { x_.a[n_ / 2] = std::nextafter(x_.a[n_ / 2], 0.0); }

 private:
  template <std::size_t workers>
  void run_in_parallel() {
    sweeps<workers> over(x_, leaves_);
    // One region for all sweeps, so that a policy with two tiers keeps neighbouring leaves under one cache.
    skua::shaped({.input_bytes = 3 * n_ * sizeof(double), .branching = 2},
                 [&] { all_sweeps([&](stream_kernel kernel, double s) { over.run(kernel, s); }); });
    same_as_before_ = over.same_as_before();
  }
  template <class Run>
  void all_sweeps(Run run) {
    for (int sweep = 1; sweep <= sweeps_; ++sweep) {
      share().set(sweep - 1, sweeps_);
      if (!classic_) {
        run(stream_kernel::triad, triad_factor(sweep));
        continue;
      }
      for (const stream_kernel kernel :
           {stream_kernel::copy, stream_kernel::scale, stream_kernel::add, stream_kernel::triad})
        run(kernel, 3);
    }
  }
  std::string same() const {
    if (!same_as_before_) return "";
    char text[80];
    std::snprintf(text, sizeof text, "; %.1f%% of the leaves ran on the same worker as before",
                  100 * *same_as_before_);
    return text;
  }

  std::size_t n_;
  int sweeps_;
  std::size_t leaves_;
  bool few_workers_, classic_;
  stream_arrays x_;
  std::optional<double> same_as_before_;
};

}  // namespace

extern const workload triad_workload{
    .name = "triad",
    .summary = "STREAM's a = b + s c, repeatedly; tasks prefer the worker that ran them last",
    .ci = "2^16 elements, 20 sweeps",
    .med = "2^20 elements, 2000 sweeps",
    .paper = "2^20 elements, 2000 sweeps (24 MB)",
    .options = {{"n", "1 .. 268435456", "elements of each array"},
                {"sweeps", "1 .. 100000", "sweeps over all elements"},
                {"leaves", "1 .. 65536", "leaf tasks in each sweep"},
                {"wishes", "256|32",
                 "workers that a task's hint can name; a longer hint takes longer to compare"},
                {"kernels", "triad|stream", "only the triad, or copy, scale, add and triad in turn"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<triad_program>(asked);
    }};

}  // namespace workloads
