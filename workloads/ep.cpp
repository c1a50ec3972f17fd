// ep: turns 2^m pairs of random numbers into Gaussian deviates, sums them and counts them by size. It is
// "embarrassingly parallel": tasks share only the few numbers of the answer.
//
// Tasks: batches of 2^16 pairs. Each task finds its position in the sequence of random numbers. Tallies are added along
// a fixed tree, so the sums have the same bits on any number of workers.
// Paper: TATL, classes W, A and B of the NAS parallel benchmarks (Bailey et al., 1991).
#include <cstdio>
#include <numeric>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/ep.hpp"

namespace workloads {
namespace {

constexpr double cycles_a_pair = 33;  // calibrated on one worker

ep_tally count_batch(std::int64_t batch) {
  skua::costs(cycles_a_pair * ep_batch_pairs);
  return ep_batch(batch);
}

bool close(double value, double expected, double tolerance) {
  return std::abs(value - expected) <= tolerance * std::abs(expected);
}

class ep_program : public program {
 public:
  explicit ep_program(const parameters& asked) {
    const std::string name = asked.choice("class", {"size", "S", "W", "A", "B", "C", "D", "E"});
    const auto by_name = std::ranges::find(ep_classes(), name[0], &ep_class::name);
    const int m = name == "size" ? asked.pick(20, 25, 30) : by_name->m;
    m_ = static_cast<int>(asked.number("m", m, 16, 40));
    blocks_ = asked.number("static_blocks", 0, 0, 4096);
  }

  void prepare() override { answer_ = {}; }
  void sequential() override { answer_ = ep_sequential(batches()); }
  void parallel() override {
    if (blocks_ != 0) return in_static_blocks();
    answer_ = skua::parallel_reduce_deterministic(
        std::int64_t{0}, batches(), ep_tally{},
        [this](std::int64_t batch) { return count_and_report(batch); }, std::plus<>{}, {.grain = 1});
  }
  answer_check verify() override;
  void flip_one() override { ++answer_.counts[1]; }

 private:
  /// Like OpenMP's static loops: one block for each worker, if no worker is late.
  void in_static_blocks() {
    std::vector<ep_tally> parts(static_cast<std::size_t>(batches()));
    skua::loop_memo memo;
    skua::parallel_for(
        std::int64_t{0}, blocks_,
        [&](std::int64_t b) {
          for (std::int64_t i = b * batches() / blocks_; i < (b + 1) * batches() / blocks_; ++i)
            parts[static_cast<std::size_t>(i)] = count_and_report(i);
        },
        skua::loop{.grain = 1, .placement = skua::same_as_last(memo)});
    answer_ = std::accumulate(parts.begin(), parts.end(), ep_tally{});
  }
  ep_tally count_and_report(std::int64_t batch) {
    const ep_tally tally = count_batch(batch);
    share().one_more(batches());
    return tally;
  }
  std::int64_t batches() const { return (std::int64_t{1} << m_) / ep_batch_pairs; }

  int m_;
  std::int64_t blocks_;  // blocks of a static loop, or 0
  ep_tally answer_;
  std::optional<ep_tally> sequential_;
};

answer_check ep_program::verify() {
  const ep_class* const published = ep_published(m_);
  if (!published && !sequential_) sequential_ = ep_sequential(batches());
  const ep_tally& expected = published ? published->answer : *sequential_;
  const std::string reference = published ? "published" : "sequential";
  // The tolerance that NAS gives. Terms of opposite signs cancel, and the logarithm is the system's.
  if (!close(answer_.sx, expected.sx, 1e-8) || !close(answer_.sy, expected.sy, 1e-8))
    return {false, "the sums differ from the " + reference + " ones"};
  // For the largest classes only the sums are known, and that pi / 4 of all pairs lie in the circle.
  if (expected.pairs() != 0
          ? answer_.counts != expected.counts
          : !close(std::ldexp(static_cast<double>(answer_.pairs()), -m_), 0.785398163, 1e-4))
    return {false, "the counts differ from the " + reference + " ones"};
  char sums[64];
  std::snprintf(sums, sizeof sums, "%.17g and %.17g", answer_.sx, answer_.sy);
  return {true,
          "sums " + std::string(sums) + " of " + std::to_string(answer_.pairs()) + " pairs, as " + reference};
}

}  // namespace

extern const workload ep_workload{
    .name = "ep",
    .summary = "NAS EP: make and count Gaussian deviates; tasks share nothing",
    .ci = "2^20 pairs",
    .med = "class W, 2^25 pairs",
    .paper = "class B, 2^30 pairs (next to no memory); the paper also has classes W and A",
    .options = {{"class", "size|S|W|A|B|C|D|E",
                 "class of the NAS benchmark; the default depends on the size"},
                {"static_blocks", "0 .. 4096", "if not 0: one loop of this many equal blocks"},
                {"m", "16 .. 40", "2^m pairs; overrides the class"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<ep_program>(asked);
    }};

}  // namespace workloads
