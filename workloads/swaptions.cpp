// swaptions: prices options on interest rate swaps by simulating how rates may develop (Heath, Jarrow and Morton).
//
// Tasks: nested loops. The outer loop is over swaptions. Each swaption does its trials in blocks of 16, and a block is
// an inner loop with 8 trials a task. So there are a few long outer tasks, each made of many tiny ones. If there are
// fewer swaptions than workers, or at the end, the inner loops still give work to all workers. A task jumps to its
// position in the random numbers, and payoffs are added in the order of trials: the same bits on any number of workers.
// Paper: the TBB thesis, after PARSEC, 64 swaptions, 20000 trials each.
#include <skua/skua.hpp>

#include <cstdio>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/swaptions.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_trial = 1000;  // calibrated on one worker

swaption_price price_in_parallel(const swaption& asked, std::uint64_t trials) {
  const swaption_model model(asked);
  payoff_sums sums;
  std::array<double, swaption_block> payoffs;
  for (std::uint64_t block = 0; block < trials; block += swaption_block) {
    skua::parallel_for(
        std::size_t{0}, swaption_block / swaption_lanes,
        [&](std::size_t task) {
          double* const to = payoffs.data() + task * swaption_lanes;
          skua::reads(&model, 1);
          skua::writes(to, swaption_lanes);
          skua::costs(cycles_of_trial * swaption_lanes);
          std::ranges::copy(simulate_trials(model, block + task * swaption_lanes), to);
        },
        skua::loop{.grain = 1});
    sums.add(payoffs);
  }
  return sums.price();
}

std::uint64_t whole_blocks(const parameters& asked, std::int64_t default_trials) {
  const std::int64_t block = swaption_block, min = block, max = 100'000'000;
  const std::int64_t trials = asked.number("trials", default_trials, min, max);
  if (trials % block != 0)
    throw skua::bad_input("trials is '" + std::to_string(trials) + "'; allowed: a multiple of 16 from " +
                          std::to_string(min) + " to " + std::to_string(max) +
                          "; nearest: " + std::to_string((trials + block / 2) / block * block));
  return static_cast<std::uint64_t>(trials);
}

class swaptions_program : public program {
 public:
  explicit swaptions_program(const parameters& asked)
      : swaptions_(
            make_swaptions(static_cast<std::size_t>(asked.number("n", asked.pick(4, 64, 64), 1, 1'000'000)))),
        trials_(whole_blocks(asked, asked.pick(160, 20000, 20000))) {}

  void prepare() override { prices_.assign(swaptions_.size(), {}); }
  void sequential() override { prices_ = one_after_another(); }
  void parallel() override {
    skua::parallel_for(
        std::size_t{0}, swaptions_.size(),
        [this](std::size_t i) {
          prices_[i] = price_in_parallel(swaptions_[i], trials_);
          share().one_more(swaptions_.size());
        },
        skua::loop{.grain = 1});
  }
  answer_check verify() override {
    std::size_t compared = 0;
    for (const published_price& known : published_prices(trials_)) {
      if (known.swaption >= prices_.size()) continue;
      const auto near = [](double x, double published) { return std::abs(x - published) < 1e-8; };
      const swaption_price& price = prices_[known.swaption];
      if (!near(price.mean, known.price.mean) ||
          (known.price.error != 0 && !near(price.error, known.price.error)))
        return {false, "swaption " + std::to_string(known.swaption) + " does not have the published price"};
      ++compared;
    }
    if (sequential_.empty()) sequential_ = one_after_another();
    if (prices_ != sequential_) return {false, "some bits differ from the sequential answer"};
    char text[160];
    std::snprintf(text, sizeof text,
                  "price of the first %.10f, standard error %.10f; every bit equals the sequential answer",
                  prices_[0].mean, prices_[0].error);
    return {true, text + (compared == 0 ? "" : "; " + std::to_string(compared) + " as published")};
  }
  void flip_one() override {
    double& mean = prices_[prices_.size() / 2].mean;
    mean = std::nextafter(mean, 1e9);
  }

 private:
  std::vector<swaption_price> one_after_another() const {
    std::vector<swaption_price> prices;
    for (const swaption& s : swaptions_) prices.push_back(price_swaption(s, trials_));
    return prices;
  }

  std::vector<swaption> swaptions_;
  std::uint64_t trials_;
  std::vector<swaption_price> prices_, sequential_;
};

}  // namespace

extern const workload swaptions_workload{
    .name = "swaptions",
    .summary = "price swaptions by simulation: short loops inside a loop over swaptions",
    .ci = "4 swaptions, 160 trials",
    .med = "64 swaptions, 20000 trials",
    .paper = "64 swaptions, 20000 trials (next to no memory)",
    .options = {{"n", "1 .. 1000000", "swaptions"},
                {"trials", "16 .. 100000000", "trials for each swaption, a multiple of 16"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<swaptions_program>(asked);
    }};

}  // namespace workloads
