// wordcount: counts how often each number occurs in an n x n matrix.
//
// Tasks: each block of `grain` rows is counted into its own map. Maps are merged in pairs, right into left. There is no
// common table. A merge reads what another core has just written, so the distance between thief and victim matters.
// `map=ordered` is a tree, as in the paper; `map=flat` is an array with one element for every number.
// Paper: the TBB thesis, 12000 x 12000. The thesis does not describe the elements; in this workload small numbers are
// more likely.
#include <bit>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/wordcount.hpp"

namespace workloads {
namespace {

struct wordcount_input {
  std::size_t n;
  std::uint32_t words;
  std::vector<std::uint32_t> matrix;

  std::span<const std::uint32_t> rows(std::size_t first, std::size_t last) const {
    return std::span(matrix).subspan(first * n, (last - first) * n);
  }
};

// Cycles for each number counted (in a tree: for each level) and for each counter merged. Calibrated on one worker.
constexpr double cycles_a_level = 13, cycles_flat = 1, cycles_merge_ordered = 200, cycles_merge_flat = 0.6;

/// Called after counting, since the nodes do not exist before.
void declare_count(std::span<const std::uint32_t> text, ordered_counts& counts, std::uint32_t words) {
  skua::reads(text.data(), text.size());
  if (skua::has_listener())
    counts.for_each_node([](const std::byte* node, std::size_t bytes) { skua::writes(node, bytes); });
  skua::costs(cycles_a_level * std::bit_width(words) * static_cast<double>(text.size()));
}
void declare_count(std::span<const std::uint32_t> text, flat_counts& counts, std::uint32_t) {
  skua::reads(text.data(), text.size());
  skua::writes(counts.counters().data(), counts.counters().size());
  skua::costs(cycles_flat * static_cast<double>(text.size()));
}
void declare_merge(ordered_counts& left, ordered_counts& right, std::uint32_t words) {
  if (skua::has_listener()) {
    right.for_each_node([](const std::byte* node, std::size_t bytes) { skua::reads(node, bytes); });
    left.for_each_node([](const std::byte* node, std::size_t bytes) { skua::writes(node, bytes); });
  }
  skua::costs(cycles_merge_ordered * words);
}
void declare_merge(flat_counts& left, flat_counts& right, std::uint32_t words) {
  skua::reads(right.counters().data(), words);
  skua::writes(left.counters().data(), words);
  skua::costs(cycles_merge_flat * words);
}

/// Counts rows [first, last).
template <class Counts>
Counts count_rows(const wordcount_input& in, std::size_t first, std::size_t last, std::size_t block) {
  if (last - first <= block) {
    Counts counts(in.words);
    counts.count(in.rows(first, last));
    declare_count(in.rows(first, last), counts, in.words);
    return counts;
  }
  const std::size_t middle = first + (last - first) / 2;
  auto [left, right] = skua::join([&, first, middle] { return count_rows<Counts>(in, first, middle, block); },
                                  [&, middle, last] { return count_rows<Counts>(in, middle, last, block); });
  declare_merge(left, right, in.words);
  left.merge(std::move(right));
  return std::move(left);
}

template <class Counts>
class wordcount_program : public program {
 public:
  explicit wordcount_program(const parameters& asked)
      : in_{static_cast<std::size_t>(asked.number("n", asked.pick(500, 4000, 12000), 1, 32768)),
            static_cast<std::uint32_t>(asked.number("words", asked.pick(1000, 10000, 10000), 1, 10'000'000)),
            {}},
        grain_(static_cast<std::size_t>(asked.number("grain", asked.pick(16, 64, 64), 1, 32768))),
        seed_(asked.seed.value_or(42)) {}

  void prepare() override {
    if (in_.matrix.empty()) in_.matrix = wordcount_matrix(seed_, in_.n, in_.words);
    answer_ = Counts(in_.words);
  }
  void sequential() override { answer_.count(in_.rows(0, in_.n)); }
  void parallel() override {
    skua::shaped({.input_bytes = in_.matrix.size() * sizeof(in_.matrix[0]), .branching = 2},
                 [&] { answer_ = count_rows<Counts>(in_, 0, in_.n, grain_); });
  }
  answer_check verify() override;
  void flip_one() override { ++answer_[in_.words / 2]; }

 private:
  wordcount_input in_;
  std::size_t grain_;
  std::uint64_t seed_;
  Counts answer_ = Counts(in_.words);
};

template <class Counts>
answer_check wordcount_program<Counts>::verify() {
  std::vector<std::uint64_t> wrong(in_.words);  // the count found minus the actual count
  for (const std::uint32_t word : in_.matrix) --wrong[word];
  std::size_t found = 0;
  answer_.for_each([&](std::uint32_t word, std::uint64_t times) {
    wrong[word] += times;
    ++found;
  });
  for (std::size_t word = 0; word < wrong.size(); ++word)
    if (wrong[word] != 0) return {false, std::to_string(word) + " was counted wrongly"};
  const auto published = seed_ == 42 ? wordcount_published(in_.n, in_.words) : std::nullopt;
  if (published && (wordcount_hash(answer_) != published->hash || answer_[0] != published->first ||
                    answer_[1] != published->second || answer_[in_.words - 1] != published->last))
    return {false, "the counts differ from the published ones"};
  return {true, std::to_string(found) + " different numbers among " + std::to_string(in_.matrix.size()) +
                    (published ? ", as published" : "")};
}

}  // namespace

extern const workload wordcount_workload{
    .name = "wordcount",
    .summary = "count the numbers in a matrix: each task counts into its own map, maps are merged in pairs",
    .ci = "500 x 500, 1000 different numbers",
    .med = "4000 x 4000, 10000 different numbers (64 MB)",
    .paper = "12000 x 12000, 10000 different numbers (576 MB)",
    .options = {{"n", "1 .. 32768", "rows and columns"},
                {"words", "1 .. 10000000", "different numbers"},
                {"grain", "1 .. 32768", "rows counted by one task"},
                {"map", "ordered|flat", "type of the map: a tree, or an array"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      if (asked.choice("map", {"ordered", "flat"}) == "flat")
        return std::make_unique<wordcount_program<flat_counts>>(asked);
      return std::make_unique<wordcount_program<ordered_counts>>(asked);
    }};

}  // namespace workloads
