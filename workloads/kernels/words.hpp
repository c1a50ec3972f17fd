// Counting words: scanning a text, cutting it between words, and a map of counts. No scheduling.
//
// A word is a maximal run of ASCII letters, in lower case.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

inline constexpr std::size_t words_piece = 256 * 1024;  // texts up to this many bytes are not cut further

/// Maps letters to lower case and all other bytes to 0.
inline constexpr std::array<char, 256> lower_case = [] {
  std::array<char, 256> table = {};
  for (std::size_t i = 0; i < 26; ++i) table['A' + i] = table['a' + i] = static_cast<char>('a' + i);
  return table;
}();
inline char letter(char c) { return lower_case[static_cast<unsigned char>(c)]; }

inline constexpr std::uint64_t word_hash_start = 0xcbf29ce484222325u;  // FNV-1a
inline constexpr std::uint64_t word_hash_factor = 0x100000001b3u;

/// Calls found(word, hash) for every word of the text, in order. The word is valid only during the call.
template <class Found>
void for_each_word(std::string_view text, Found&& found) {
  std::string word;
  const char *at = text.data(), *const end = at + text.size();
  while (true) {
    while (at != end && !letter(*at)) ++at;
    if (at == end) return;
    word.clear();
    std::uint64_t hash = word_hash_start;
    for (char c; at != end && (c = letter(*at)); ++at) {
      word += c;
      hash = (hash ^ static_cast<unsigned char>(c)) * word_hash_factor;
    }
    found(std::string_view(word), hash);
  }
}

/// Words and their counts. Not thread-safe: every task has its own map, and maps are merged.
class word_counts {
 public:
  /// Every occurrence of a word adds the same value to `fingerprint`, so it does not depend on any order.
  std::int64_t total = 0;
  std::uint64_t fingerprint = 0;

  std::size_t distinct() const { return times_.size(); }
  std::int64_t times(std::string_view word) const;
  bool operator==(const word_counts& other) const { return total == other.total && times_ == other.times_; }

  void count(std::string_view text);
  /// Adds the counts of `right`. Words that only `right` has move here without a copy.
  void merge(word_counts&& right);
  /// The fingerprint, computed again from the counts.
  std::uint64_t recomputed_fingerprint() const;
  /// Adds one to the count of some word and changes nothing else, to test the checks.
  void flip_one() { ++(times_.empty() ? times_[key{1, "damage"}] : times_.begin()->second); }

 private:
  struct key {
    std::uint64_t hash;
    std::string text;
    bool operator==(const key&) const = default;
  };
  struct view {
    std::uint64_t hash;
    std::string_view text;
  };
  struct hasher {
    using is_transparent = void;
    std::size_t operator()(const auto& word) const { return word.hash; }
  };
  struct equal {
    using is_transparent = void;
    bool operator()(const auto& a, const auto& b) const { return a.hash == b.hash && a.text == b.text; }
  };

  std::unordered_map<key, std::int64_t, hasher, equal> times_;
};

inline std::int64_t word_counts::times(std::string_view word) const {
  std::uint64_t hash = word_hash_start;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * word_hash_factor;
  const auto found = times_.find(view{mix(hash), word});
  return found == times_.end() ? 0 : found->second;
}

inline void word_counts::count(std::string_view text) {
  for_each_word(text, [this](std::string_view word, std::uint64_t raw_hash) {
    const std::uint64_t hash = mix(raw_hash);
    ++total;
    fingerprint += mix(hash);
    if (const auto found = times_.find(view{hash, word}); found != times_.end())
      ++found->second;
    else
      times_.emplace(key{hash, std::string(word)}, 1);
  });
}

inline void word_counts::merge(word_counts&& right) {
  total += right.total;
  fingerprint += right.fingerprint;
  if (times_.size() < right.times_.size()) times_.swap(right.times_);
  times_.merge(right.times_);
  for (const auto& [word, times] : right.times_)
    times_.find(word)->second += times;  // a word that both maps have
}

inline std::uint64_t word_counts::recomputed_fingerprint() const {
  std::uint64_t sum = 0;
  for (const auto& [word, times] : times_) sum += static_cast<std::uint64_t>(times) * mix(word.hash);
  return sum;
}

/// Cuts the text into pieces of about words_piece bytes, never inside a word.
inline std::vector<std::string_view> text_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t cut = text.size() <= words_piece ? text.size() : words_piece;
    while (cut < text.size() && letter(text[cut - 1]) && letter(text[cut])) ++cut;
    pieces.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  return pieces;
}

/// Reads the bytes of a file. Returns false if they cannot be read.
inline bool read_text(const std::filesystem::path& file, std::string& text) {
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  std::ifstream in(file, std::ios::binary);
  if (failed || !in) return false;
  text.resize(size);
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return !in.bad();
}

}  // namespace workloads
