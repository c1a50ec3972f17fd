// is: rank integer keys whose values are bell-shaped, ten times, two keys being changed before each.
//
// Tasks: blocks of keys are counted by bucket of neighbouring values; sums over all blocks tell each where its keys go
// in every bucket; blocks are copied there; then each bucket is counted by value. Three loops with a short sequential
// part after the first one. Blocks are alike, but buckets are full in the middle and empty at both ends.
// Paper: TATL names it: IS of the NAS parallel benchmarks (Bailey et al., 1991), in the form with buckets.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/npb_is.hpp"

namespace workloads {
namespace {

constexpr int iterations = 10;
constexpr std::size_t least_block = 1 << 14, most_blocks = 128;  // keys of a task, and how many tasks
// For each key, and for each value. Calibrated on one worker.
constexpr double cycles_to_tally = 1.0, cycles_to_move = 2.5, cycles_to_count = 0.9, cycles_a_value = 1.0;

/// Ranks by buckets.
class bucket_ranking {
 public:
  explicit bucket_ranking(const npb_is_class& c)
      : keys_(c.keys()),
        block_(std::max(least_block, keys_ / most_blocks)),
        buckets_(c.buckets()),
        shift_(c.log_values - c.log_buckets),
        places_(keys_ / block_ * buckets_),
        starts_(buckets_ + 1),
        sorted_(keys_) {}

  void rank(std::span<const npb_key> keys, std::span<std::uint32_t> up_to) {
    const std::size_t blocks = keys_ / block_;
    skua::parallel_for(std::size_t{0}, blocks,
                       [&](std::size_t b) { tally(keys.subspan(b * block_, block_), b); });
    npb_is_places(places_, starts_);
    skua::parallel_for(std::size_t{0}, blocks,
                       [&](std::size_t b) { move(keys.subspan(b * block_, block_), b); });
    skua::parallel_for(std::size_t{0}, buckets_, [&](std::size_t b) { count(up_to, b); });
  }
  /// Room for as many keys, of no use between two calls.
  std::span<npb_key> scratch() { return sorted_; }

 private:
  void tally(std::span<const npb_key> keys, std::size_t block) {
    const auto counts = places_of(block);
    skua::reads(keys.data(), keys.size());
    skua::writes(counts.data(), counts.size());
    skua::costs(cycles_to_tally * static_cast<double>(block_));
    npb_is_histogram(keys, shift_, counts);
  }
  void move(std::span<const npb_key> keys, std::size_t block) {
    const auto next = places_of(block);
    const std::size_t share = std::max(block_ / buckets_, std::size_t{1});
    skua::reads(keys.data(), keys.size());
    skua::writes(next.data(), next.size());
    // As if all buckets were alike.
    skua::writes(sorted_.data() + block * share, share, buckets_, keys_ / buckets_);
    skua::costs(cycles_to_move * static_cast<double>(block_));
    npb_is_scatter(keys, shift_, next, sorted_.data());
  }
  void count(std::span<std::uint32_t> up_to, std::size_t bucket) {
    const auto keys = std::span(sorted_).subspan(starts_[bucket], starts_[bucket + 1] - starts_[bucket]);
    const std::size_t values = std::size_t{1} << shift_, least = bucket * values;
    skua::reads(keys.data(), keys.size());
    skua::writes(up_to.data() + least, values);
    skua::costs(cycles_to_count * static_cast<double>(keys.size()) +
                cycles_a_value * static_cast<double>(values));
    npb_is_count(keys, static_cast<npb_key>(least), starts_[bucket], up_to.subspan(least, values));
  }
  std::span<std::uint32_t> places_of(std::size_t block) {
    return std::span(places_).subspan(block * buckets_, buckets_);
  }

  std::size_t keys_, block_, buckets_;
  int shift_;
  std::vector<std::uint32_t> places_, starts_;  // of each block in every bucket; of the buckets, and the end
  std::vector<npb_key> sorted_;                 // by bucket
};

class is_program : public program {
 public:
  explicit is_program(const parameters& asked) : class_(npb_is_class_of(class_name(asked))) {}

  void prepare() override {
    if (keys_.empty()) {
      keys_ = npb_is_keys(class_);
      original_.assign(keys_.begin(), keys_.begin() + 2 * iterations + 1);
      ranking_.emplace(class_);
    }
    up_to_.assign(class_.values(), 0);
    checked_ = 0;
  }
  void sequential() override {
    iterate([&] { npb_is_count(keys_, 0, 0, up_to_); });
  }
  void parallel() override {
    iterate([&] { ranking_->rank(keys_, up_to_); });
  }
  verdict verify() override {
    if (checked_ != 5 * iterations)
      return {false, std::to_string(5 * iterations - checked_) + " ranks are not as published"};
    if (!npb_is_sorts(keys_, up_to_, ranking_->scratch())) return {false, "the ranks do not sort the keys"};
    return {true, std::to_string(keys_.size()) + " keys sorted by their ranks, " + std::to_string(checked_) +
                      " ranks as published"};
  }
  void flip_one() override { ++up_to_[up_to_.size() / 2]; }

 private:
  static char class_name(const parameters& asked) {
    const std::string name = asked.choice("class", {"size", "S", "W", "A", "B", "C"});
    return name == "size" ? asked.pick('S', 'B', 'B') : name[0];
  }

  template <class Rank>
  void iterate(Rank rank) {
    std::ranges::copy(original_, keys_.begin());
    checked_ = 0;
    for (int iteration = 1; iteration <= iterations; ++iteration) {
      share().is(iteration - 1, iterations);
      const auto at = static_cast<std::size_t>(iteration);
      keys_[at] = static_cast<npb_key>(at);
      keys_[at + iterations] = static_cast<npb_key>(class_.values() - at);
      rank();
      for (std::size_t j = 0; j < 5; ++j) {
        const npb_key key = keys_[class_.index[j]];
        checked_ += key > 0 && up_to_[key - 1] == class_.expected(j, iteration);
      }
    }
  }

  const npb_is_class& class_;
  std::vector<npb_key> keys_, original_;  // those that the iterations change, before they did
  std::vector<std::uint32_t> up_to_;
  std::optional<bucket_ranking> ranking_;
  int checked_ = 0;  // ranks that were as published
};

}  // namespace

extern const workload is_workload{
    .name = "is",
    .summary = "NAS IS: rank integer keys by buckets, which are not equally full",
    .ci = "class S, 2^16 keys",
    .med = "class B, 2^25 keys (290 MB)",
    .paper = "class B, 2^25 keys (290 MB); also class=S, W and A",
    .options = {{"class", "size|S|W|A|B|C", "of the NAS benchmarks, or what the size says"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<is_program>(asked);
    }};

}  // namespace workloads
