// Counting how often each number occurs in a matrix: the input, two kinds of maps, their leaf work and the known
// answers. No scheduling.
//
// A word is a number in 0 .. words-1; small numbers are more likely.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

inline std::vector<std::uint32_t> wordcount_matrix(std::uint64_t seed, std::size_t n, std::uint32_t words) {
  std::vector<std::uint32_t> matrix(n * n);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const double u = uniform_at(seed, i);
    matrix[i] = static_cast<std::uint32_t>(static_cast<double>(words) * u * u);
  }
  return matrix;
}

/// A tree with the words that have occurred.
class ordered_counts {
 public:
  explicit ordered_counts(std::uint32_t) {}

  void count(std::span<const std::uint32_t> text) {
    for (const std::uint32_t word : text) ++times_[word];
  }
  /// Merges in one pass over both, since both are in order. Words that only `right` has move here without a copy.
  void merge(ordered_counts&& right) {
    auto at = times_.begin();
    for (auto next = right.times_.begin(); next != right.times_.end();) {
      while (at != times_.end() && at->first < next->first) ++at;
      if (at != times_.end() && at->first == next->first)
        (at++)->second += (next++)->second;
      else
        times_.insert(at, right.times_.extract(next++));
    }
  }
  template <class F>
  void for_each(F&& f) const {
    for (const auto& [word, times] : times_) f(word, times);
  }
  /// Calls f(address, bytes) for all nodes, with the layout of libstdc++ and libc++: a colour and three links, then a
  /// word and its count. Only for a cache model, which does not read the memory.
  template <class F>
  void for_each_node(F&& f) const {
    constexpr std::size_t links = 4 * sizeof(void*);
    for (const auto& entry : times_)
      f(reinterpret_cast<const std::byte*>(&entry) - links, links + sizeof entry);
  }
  std::uint64_t& operator[](std::uint32_t word) { return times_[word]; }

 private:
  std::map<std::uint32_t, std::uint64_t> times_;
};

/// One counter for each possible word.
class flat_counts {
 public:
  explicit flat_counts(std::uint32_t words) : times_(words) {}

  void count(std::span<const std::uint32_t> text) {
    for (const std::uint32_t word : text) ++times_[word];
  }
  void merge(flat_counts&& right) {
    for (std::size_t word = 0; word < times_.size(); ++word) times_[word] += right.times_[word];
  }
  template <class F>
  void for_each(F&& f) const {
    for (std::size_t word = 0; word < times_.size(); ++word)
      if (times_[word] != 0) f(static_cast<std::uint32_t>(word), times_[word]);
  }
  std::uint64_t& operator[](std::uint32_t word) { return times_[word]; }
  std::span<std::uint64_t> counters() { return times_; }

 private:
  std::vector<std::uint64_t> times_;
};

/// The sum over all words of count * mix(word).
template <class Counts>
std::uint64_t wordcount_hash(const Counts& counts) {
  std::uint64_t hash = 0;
  counts.for_each([&](std::uint32_t word, std::uint64_t times) { hash += times * mix(word); });
  return hash;
}

struct wordcount_answer {
  std::uint64_t first, second, last;  // the counts of 0, 1 and words - 1
  std::uint64_t hash;
};
/// The published answers for seed 42.
inline std::optional<wordcount_answer> wordcount_published(std::size_t n, std::uint32_t words) {
  static constexpr struct {
    std::size_t n;
    std::uint32_t words;
    wordcount_answer answer;
  } known[] = {{500, 1000, {7790, 3349, 118, 0x2d17f99c0fcec85e}},
               {1000, 10000, {10043, 4167, 60, 0x3636888bca0a0477}},
               {4000, 10000, {159546, 66391, 753, 0x2d39b66b7a13fca6}},
               {12000, 10000, {1440633, 597618, 7370, 0x77d71129069950cd}}};
  for (const auto& k : known)
    if (k.n == n && k.words == words) return k.answer;
  return std::nullopt;
}

}  // namespace workloads
