// Ranking of integer keys as in the NAS benchmark IS: the input, the leaf work and the known ranks. No scheduling.
//
// The rank of a key is the number of smaller keys. The program computes `up_to`: for each value, the number of keys
// that are at most that value. The parallel form first sorts the keys into buckets of neighbouring values.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

using npb_key = std::uint32_t;

struct npb_is_class {
  char name;
  int log_keys, log_values, log_buckets;
  std::array<std::size_t, 5> index;         // indices of the keys that are checked after every iteration
  std::array<std::int64_t, 5> rank;         // their ranks, to which the following is added:
  std::array<std::int64_t, 5> sign, delay;  // sign * (iteration - delay)

  std::size_t keys() const { return std::size_t{1} << log_keys; }
  std::size_t values() const { return std::size_t{1} << log_values; }
  std::size_t buckets() const { return std::size_t{1} << log_buckets; }
  std::int64_t expected(std::size_t j, int iteration) const {
    return rank[j] + sign[j] * (iteration - delay[j]);
  }
};

inline const npb_is_class& npb_is_class_of(char name) {
  // clang-format off: a table
  static constexpr npb_is_class known[] = {
      {'S', 16, 11, 9, {48427, 17148, 23627, 62548, 4431},
       {0, 18, 346, 64917, 65463}, {1, 1, 1, -1, -1}, {}},
      {'W', 20, 16, 10, {357773, 934767, 875723, 898999, 404505},
       {1249, 11698, 1039987, 1043896, 1048018}, {1, 1, -1, -1, -1}, {2, 2, 0, 0, 0}},
      {'A', 23, 19, 10, {2112377, 662041, 5336171, 3642833, 4250760},
       {104, 17523, 123928, 8288932, 8388264}, {1, 1, 1, -1, -1}, {1, 1, 1, 1, 1}},
      {'B', 25, 21, 10, {41869, 812306, 5102857, 18232239, 26860214},
       {33422937, 10244, 59149, 33135281, 99}, {-1, 1, 1, -1, 1}, {}},
      {'C', 27, 23, 10, {44172927, 72999161, 74326391, 129606274, 21736814},
       {61147, 882988, 266290, 133997595, 133525895}, {1, 1, 1, -1, -1}, {}}};
  // clang-format on
  return *std::ranges::find(known, name, &npb_is_class::name);
}

/// A key is the mean of four random numbers, so middle values are the most likely.
inline std::vector<npb_key> npb_is_keys(const npb_is_class& c) {
  npb_random numbers(314159265);
  std::vector<npb_key> keys(c.keys());
  const auto quarter = static_cast<double>(c.values() / 4);
  for (npb_key& key : keys) {
    double sum = numbers.next();
    for (int i = 1; i < 4; ++i) sum += numbers.next();
    key = static_cast<npb_key>(quarter * sum);
  }
  return keys;
}

/// Counts the keys, whose smallest possible value is `min`, and adds up the counts from `before`.
inline void npb_is_count(std::span<const npb_key> keys, npb_key min, std::uint32_t before,
                         std::span<std::uint32_t> up_to) {
  std::ranges::fill(up_to, 0u);
  for (const npb_key key : keys) ++up_to[key - min];
  for (std::uint32_t& count : up_to) count = before += count;
}

/// Counts the keys of each bucket.
inline void npb_is_histogram(std::span<const npb_key> keys, int shift, std::span<std::uint32_t> counts) {
  std::ranges::fill(counts, 0u);
  for (const npb_key key : keys) ++counts[key >> shift];
}

/// Moves each key to the next free place of its bucket.
inline void npb_is_scatter(std::span<const npb_key> keys, int shift, std::span<std::uint32_t> next,
                           npb_key* to) {
  for (const npb_key key : keys) to[next[key >> shift]++] = key;
}

/// Replaces the histogram of each block of keys by its first position in every bucket. `starts` becomes the starts of
/// the buckets, and the end.
inline void npb_is_places(std::span<std::uint32_t> histograms, std::span<std::uint32_t> starts) {
  const std::size_t buckets = starts.size() - 1;
  std::ranges::fill(starts, 0u);
  for (std::size_t at = 0; at < histograms.size(); at += buckets)
    for (std::size_t b = 0; b < buckets; ++b) starts[b] += histograms[at + b];
  std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), 0u);
  std::vector<std::uint32_t> place(starts.begin(), starts.end());
  for (std::size_t at = 0; at < histograms.size(); at += buckets)
    for (std::size_t b = 0; b < buckets; ++b) place[b] += std::exchange(histograms[at + b], place[b]);
}

/// Whether the keys are complete and in order when placed by `up_to`. `sorted` has the length of `keys`.
inline bool npb_is_sorts(std::span<const npb_key> keys, std::vector<std::uint32_t> up_to,
                         std::span<npb_key> sorted) {
  const std::vector<std::uint32_t> given = up_to;
  for (const npb_key key : keys) {
    const std::uint32_t place = --up_to[key];
    if (place >= sorted.size()) return false;
    sorted[place] = key;
  }
  // Each value has taken exactly as many places as it has keys: no two keys shared a place, and no key comes before a
  // smaller one.
  for (std::size_t v = 0; v < given.size(); ++v)
    if (up_to[v] != (v == 0 ? 0 : given[v - 1])) return false;
  return std::ranges::is_sorted(sorted) && given.back() == keys.size();
}

}  // namespace workloads
