// is: ranks integer keys, whose values have a bell-shaped distribution, ten times. Two keys change before each
// iteration.
//
// Tasks: the keys of each block are counted by bucket; a bucket is a range of values. Sums over all blocks give the
// position in every bucket for the keys of each block. The blocks are copied there, and then the keys of each bucket
// are counted by value. These are three loops, with a short sequential part after the first. All blocks have the same
// size, but buckets are full in the middle and empty at both ends.
// Paper: TATL mentions it: IS of the NAS parallel benchmarks (Bailey et al., 1991), in the form with buckets.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/npb_is.hpp"

namespace workloads {
namespace {

constexpr int iterations = 10;
constexpr std::size_t min_block = 1 << 14, max_blocks = 128;  // keys of a task, and number of tasks
// Cycles for each key, and for each value. Calibrated on one worker.
constexpr double cycles_to_tally = 1.0, cycles_to_move = 2.5, cycles_to_count_key = 0.9, cycles_a_value = 1.0;

/// Ranks by buckets.
class bucket_ranking {
 public:
  explicit bucket_ranking(const npb_is_class& c)
      : keys_(c.keys()),
        block_(std::max(min_block, keys_ / max_blocks)),
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
  /// Scratch memory for all keys. Its content is not used between two calls.
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
    // Declared as if all buckets had the same size.
    skua::writes(sorted_.data() + block * share, share, buckets_, keys_ / buckets_);
    skua::costs(cycles_to_move * static_cast<double>(block_));
    npb_is_scatter(keys, shift_, next, sorted_.data());
  }
  void count(std::span<std::uint32_t> up_to, std::size_t bucket) {
    const auto keys = std::span(sorted_).subspan(starts_[bucket], starts_[bucket + 1] - starts_[bucket]);
    const std::size_t values = std::size_t{1} << shift_, min = bucket * values;
    skua::reads(keys.data(), keys.size());
    skua::writes(up_to.data() + min, values);
    skua::costs(cycles_to_count_key * static_cast<double>(keys.size()) +
                cycles_a_value * static_cast<double>(values));
    npb_is_count(keys, static_cast<npb_key>(min), starts_[bucket], up_to.subspan(min, values));
  }
  std::span<std::uint32_t> places_of(std::size_t block) {
    return std::span(places_).subspan(block * buckets_, buckets_);
  }

  std::size_t keys_, block_, buckets_;
  int shift_;
  std::vector<std::uint32_t> places_, starts_;  // of each block in every bucket; of the buckets, with the end
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
  answer_check verify() override {
    if (checked_ != 5 * iterations)
      return {false, std::to_string(5 * iterations - checked_) + " ranks differ from the published ones"};
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
      share().set(iteration - 1, iterations);
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
  std::vector<npb_key> keys_, original_;  // original_: the keys that the iterations change, before the change
  std::vector<std::uint32_t> up_to_;
  std::optional<bucket_ranking> ranking_;
  int checked_ = 0;  // number of ranks that were as published
};

}  // namespace

extern const workload is_workload{
    .name = "is",
    .summary = "NAS IS: rank integer keys by buckets of uneven size",
    .ci = "class S, 2^16 keys",
    .med = "class B, 2^25 keys (290 MB)",
    .paper = "class B, 2^25 keys (290 MB); the paper also has classes S, W and A",
    .options = {{"class", "size|S|W|A|B|C", "class of the NAS benchmark; the default depends on the size"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<is_program>(asked);
    }};

}  // namespace workloads
