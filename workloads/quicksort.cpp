// quicksort: sorts n 32-bit keys in place.
//
// Tasks: one task partitions the keys around the median of nine of them, then both sides are sorted in parallel. At
// most 2048 keys are one task. The first partition touches all keys while the other workers have no work: parallelism
// grows with the depth of the recursion.
// Paper: the TBB thesis, 100 million keys (Hoare, 1961).
#include <cmath>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/quicksort.hpp"

namespace workloads {
namespace {

using keys = std::span<sort_key>;

// Cycles for one key, of the kernels alone (bench/leaf_costs.cpp): in a partition, and in one of a leaf's log2(n)
// levels.
constexpr double split_cycles = 1.95, leaf_cycles = 10.5;

void declare(keys all, double cycles) {
  skua::writes(all.data(), all.size());
  skua::costs(cycles * static_cast<double>(all.size()));
}

void quicksort(keys all, int depth) {
  if (all.size() <= quicksort_leaf || depth == 0) {
    declare(all, leaf_cycles * std::log2(static_cast<double>(all.size() + 1)));
    return sort_run(all);
  }
  declare(all, split_cycles);
  const auto halves = quicksort_split(all);
  skua::join([&] { quicksort(halves.low, depth - 1); }, [&] { quicksort(halves.high, depth - 1); });
}

class quicksort_program : public program {
 public:
  explicit quicksort_program(const parameters& asked)
      : n_(static_cast<std::size_t>(
            asked.number("n", asked.pick(100'000, 20'000'000, 100'000'000), 0, 1'000'000'000))),
        seed_(asked.seed.value_or(42)),
        input_(asked.choice("input", {"random", "sorted", "reversed", "equal"})) {}

  void prepare() override {
    keys_ = sort_keys(seed_, n_);
    if (input_ == "equal") std::fill(keys_.begin(), keys_.end(), sort_key_at(seed_, 0));
    if (input_ == "sorted" || input_ == "reversed") sort_run(keys_);
    if (input_ == "reversed") std::reverse(keys_.begin(), keys_.end());
    if (!input_hash_) input_hash_ = hash_set(keys_);
  }
  void sequential() override { quicksort_sequential(keys_, quicksort_depth(n_)); }
  void parallel() override {
    skua::shaped({.input_bytes = n_ * sizeof(sort_key), .branching = 2},
                 [&] { quicksort(keys_, quicksort_depth(n_)); });
  }
  answer_check verify() override {
    const std::uint64_t published = input_ == "equal" || seed_ != 42 ? 0 : sorted_keys_hash(n_);
    if (const char* wrong = sort_complaint(keys_, n_, input_hash_.value_or(0), published))
      return {false, wrong};
    return {true, std::to_string(n_) + " keys in order" + (published ? ", as published" : "")};
  }
  void flip_one() override {
    if (keys_.empty()) nothing_to_damage("for no keys", "n of at least 1; nearest: n=1");
    keys_[n_ / 2] ^= 1;
  }

 private:
  std::size_t n_;
  std::uint64_t seed_;
  std::string input_;
  std::vector<sort_key> keys_;
  std::optional<std::uint64_t> input_hash_;
};

}  // namespace

extern const workload quicksort_workload{
    .name = "quicksort",
    .summary = "partition keys in place, then sort both sides in parallel",
    .ci = "100000 keys",
    .med = "20 million keys",
    .paper = "100 million keys (400 MB)",
    .options = {{"n", "0 .. 1000000000", "keys"},
                {"input", "random|sorted|reversed|equal",
                 "order of the keys in the input, or all keys equal"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<quicksort_program>(asked);
    }};

}  // namespace workloads
