// blackscholes: prices European options by the formula of Black and Scholes. Every sweep prices all of them again.
//
// Tasks: each sweep is a parallel loop over the options. Its blocks go to the worker that ran them in the previous
// sweep. The loop chooses the grain. There is much computation for each byte, and every option costs the same.
// Paper: the TBB thesis, after PARSEC, 65536 options, 100 sweeps, affinity partitioner.
#include <skua/skua.hpp>

#include <cmath>
#include <cstdio>

#include "workloads/common/hash.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/blackscholes.hpp"

namespace workloads {
namespace {

constexpr double cycles_of_option = 67;  // calibrated on one worker

class blackscholes_program : public program {
 public:
  explicit blackscholes_program(const parameters& asked)
      : seed_(asked.seed.value_or(42)),
        sweeps_(static_cast<int>(asked.number("sweeps", asked.pick(10, 20, 100), 1, 10000))) {
    const std::string file = asked.text("input", "");
    const auto n =
        static_cast<std::size_t>(asked.number("n", asked.pick(4096, 1'000'000, 65536), 1, 100'000'000));
    options_ = file.empty() ? random_options(seed_, n) : read_options(file);
    if (file.empty() && seed_ == 42) published_ = published_sums(n);
  }

  void prepare() override { prices_.assign(options_.size(), 0.0F); }
  void sequential() override {
    for (int sweep = 0; sweep < sweeps_; ++sweep) price_options(options_, prices_.data(), 0, options_.size());
  }
  void parallel() override {
    skua::loop_memo memo;
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      share().set(sweep, sweeps_);
      skua::parallel_for(
          skua::blocked(std::size_t{0}, options_.size()),
          [this](std::size_t first, std::size_t last) {
            declare(first, last - first);
            price_options(options_, prices_.data(), first, last);
          },
          skua::loop{.placement = skua::same_as_last(memo)});
    }
  }
  answer_check verify() override {
    if (const char* wrong = prices_wrong(options_, prices_)) return {false, wrong};
    if (hash_sequence(prices_) != sequential_hash())
      return {false, "some bits differ from the sequential answer"};
    const option_sums sums = sums_of_prices(options_, prices_);
    const auto near = [](double x, double known) { return std::abs(x - known) <= 2e-6 * known; };
    if (published_ && !(near(sums.calls, published_->calls) && near(sums.puts, published_->puts)))
      return {false, "the sums are not the published ones"};
    char text[120];
    std::snprintf(text, sizeof text, "sum of calls %.6f, sum of puts %.6f%s", sums.calls, sums.puts,
                  published_                    ? ", as published"
                  : !options_.published.empty() ? ", each as in the file"
                                                : "");
    return {true, text};
  }
  void flip_one() override {
    prices_[prices_.size() / 2] = std::nextafter(prices_[prices_.size() / 2], 1e9F);
  }

 private:
  void declare(std::size_t first, std::size_t count) {
    for (const std::vector<float>* field :
         {&options_.spot, &options_.strike, &options_.rate, &options_.volatility, &options_.years})
      skua::reads(field->data() + first, count);
    skua::reads(options_.put.data() + first, count);
    skua::writes(prices_.data() + first, count);
    skua::costs(cycles_of_option * static_cast<double>(count));
  }
  std::uint64_t sequential_hash() {
    if (!sequential_hash_) {
      std::vector<float> prices(options_.size());
      price_options(options_, prices.data(), 0, options_.size());
      sequential_hash_ = hash_sequence(prices);
    }
    return *sequential_hash_;
  }

  std::uint64_t seed_;
  int sweeps_;
  option_set options_;
  std::optional<option_sums> published_;
  std::vector<float> prices_;
  std::optional<std::uint64_t> sequential_hash_;
};

}  // namespace

extern const workload blackscholes_workload{
    .name = "blackscholes",
    .summary = "price options by Black and Scholes, in repeated sweeps over the same options",
    .ci = "4096 options, 10 sweeps",
    .med = "1 000 000 options, 20 sweeps",
    .paper = "65536 options, 100 sweeps (2 MB)",
    .options = {{"n", "1 .. 100000000", "options"},
                {"sweeps", "1 .. 10000", "sweeps over all options"},
                {"input", "FILE", "read options in PARSEC's format instead of n random ones"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<blackscholes_program>(asked);
    }};

}  // namespace workloads
