// The leaf work of counting the words of all files under some directories. Words are maximal runs of ASCII letters, in
// lower case. Symbolic links are not followed; unreadable files are counted as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/kernels/files.hpp"

namespace bench {

/// Words and their counts: a hash table with all words in one arena. With workloads::word_counts the time would be that
/// of the allocator. Not thread-safe; each worker has its own.
class word_counts {
 public:
  word_counts();
  void add(std::string_view word, std::uint64_t hash, std::int64_t times);
  void merge(const word_counts& other);
  std::int64_t total() const { return total_; }
  std::size_t distinct() const { return used_; }
  /// "5 words, 4 different, 2 files, 0 unreadable, fingerprint 0123...": the same for the same words and counts in any
  /// order.
  std::string summary() const;

  std::int64_t files = 0;
  std::int64_t unreadable = 0;

 private:
  struct entry {
    std::uint64_t hash = 0;
    std::uint64_t offset = 0;
    std::uint32_t length = 0;  // 0: free
    std::int64_t times = 0;
  };
  entry& find(std::string_view word, std::uint64_t hash);
  void grow();

  std::vector<entry> table_;
  std::string arena_;
  std::size_t used_ = 0;
  std::int64_t total_ = 0;
};

void count_words(std::string_view text, word_counts& counts);

/// Reads the text of a file. Returns false if it cannot be read.
bool read_text(const std::filesystem::path& file, std::string& text);

/// Cuts the text about every 256 KiB, never inside a word.
std::vector<std::string_view> cut_text(std::string_view text);

using workloads::listing;
/// The entries of a directory without links; empty if it cannot be read.
listing list_directory(const std::filesystem::path& directory);

}  // namespace bench
