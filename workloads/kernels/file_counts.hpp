// The answer of a word count over files, and its check against a sequential pass over the same files. No
// scheduling.
#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "workloads/kernels/files.hpp"
#include "workloads/kernels/words.hpp"

namespace workloads {

/// What one file contributed. A directory that cannot be listed has an entry too, without words.
struct file_count {
  std::string path;
  bool readable = false;
  std::int64_t words = 0;
  std::uint64_t fingerprint = 0;
  bool operator==(const file_count&) const = default;
};

struct files_tally {
  word_counts words;
  std::vector<file_count> files;

  void merge(files_tally&& right) {
    words.merge(std::move(right.words));
    files.insert(files.end(), std::make_move_iterator(right.files.begin()),
                 std::make_move_iterator(right.files.end()));
  }
};

inline files_tally count_file_sequential(const file_path& path) {
  files_tally one;
  std::string text;
  const bool readable = read_text(path, text);
  if (readable) one.words.count(text);
  one.files.push_back({path.native(), readable, one.words.total, one.words.fingerprint});
  return one;
}

inline void count_directory_sequential(const file_path& directory, files_tally& all) {
  const listing entries = list_directory(directory);
  if (!entries.readable) all.files.push_back({directory.native()});
  for (const file_path& file : entries.files) all.merge(count_file_sequential(file));
  for (const file_path& inner : entries.directories) count_directory_sequential(inner, all);
}

/// Checks the counts of each file against a sequential pass, and their sum against the map of all words. A file that
/// changed between prepare() and check() is left out; changed() names it.
class files_check {
 public:
  void prepare(const std::vector<file_path>& roots) {
    roots_ = roots;
    before_ = stamps();
  }

  /// What is wrong, or empty.
  std::string check(const files_tally& answer) {
    changed_.clear();
    const file_stamps after = stamps();
    std::map<std::string, const file_count*> counted;
    for (const file_count& file : answer.files)
      if (!counted.emplace(file.path, &file).second) return file.path + " was counted twice";

    std::set<std::string> paths;
    for (const auto& [path, stamp] : before_) paths.insert(path);
    for (const auto& [path, stamp] : after) paths.insert(path);
    for (const auto& [path, file] : counted) paths.insert(path);
    for (const std::string& path : paths) {
      const file_stamps::const_iterator earlier = before_.find(path), later = after.find(path);
      if (earlier == before_.end() || later == after.end() || earlier->second != later->second) {
        changed_.push_back(path);
        continue;
      }
      const auto file = counted.find(path);
      if (file == counted.end()) return path + " was not counted";
      if (*file->second != expected(path, later->second)) return path + " was counted wrongly";
    }
    return check_sum(answer);
  }

  const std::vector<std::string>& changed() const { return changed_; }

 private:
  file_stamps stamps() const {
    file_stamps all;
    for (const file_path& root : roots_) stamp_files(root, all);
    return all;
  }

  static std::string check_sum(const files_tally& answer) {
    std::int64_t words = 0;
    std::uint64_t fingerprint = 0;
    for (const file_count& file : answer.files) {
      words += file.words;
      fingerprint += file.fingerprint;
    }
    if (answer.words.total != words || answer.words.fingerprint != fingerprint ||
        answer.words.recomputed_fingerprint() != fingerprint)
      return "the merged counts are not the sum of the counts of the files";
    return {};
  }

  const file_count& expected(const std::string& path, const file_stamp& stamp) {
    auto& [known_stamp, count] = reference_[path];
    if (count.path.empty() || known_stamp != stamp) {
      known_stamp = stamp;
      count = std::filesystem::is_directory(path) ? file_count{path} : count_file_sequential(path).files[0];
    }
    return count;
  }

  std::vector<file_path> roots_;
  file_stamps before_;
  std::map<std::string, std::pair<file_stamp, file_count>> reference_;
  std::vector<std::string> changed_;
};

}  // namespace workloads
