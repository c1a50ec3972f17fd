// wordcount_files: counts how often each word occurs in all files under some directories.
//
// Tasks: every entry of a directory is a task. The task of a directory lists it and runs its entries as a group, so the
// walk is parallel too. Large files are cut between words, about every 256 KB, and the pieces are counted in parallel.
// Every task counts into its own map; maps are merged in pairs, right into left. A merge reads what another core has
// just written, so the distance to that core matters. Task sizes are as uneven as file sizes.
// Paper: the TBB thesis counts numbers in a matrix in this way. Counting words of real files is the field's usual
// example.
#include <algorithm>
#include <deque>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/file_counts.hpp"

namespace workloads {
namespace {

word_counts count_text(std::string_view text) {
  const std::vector<std::string_view> pieces = text_pieces(text);
  return skua::parallel_reduce(
      std::size_t{0}, pieces.size(), word_counts{},
      [&](std::size_t i) {
        word_counts counts;
        counts.count(pieces[i]);
        return counts;
      },
      [](word_counts left, word_counts right) {
        left.merge(std::move(right));
        return left;
      });
}

files_tally count_file(const file_path& path) {
  files_tally one;
  std::string text;
  const bool readable = read_text(path, text);
  if (readable) one.words = count_text(text);
  one.files.push_back({path.native(), readable, one.words.total, one.words.fingerprint});
  return one;
}

/// Merges all of parts[first, last) into parts[first].
void merge_parts(std::deque<files_tally>& parts, std::size_t first, std::size_t last) {
  if (last - first < 2) return;
  const std::size_t middle = first + (last - first) / 2;
  skua::join([&, first, middle] { merge_parts(parts, first, middle); },
             [&, middle, last] { merge_parts(parts, middle, last); });
  parts[first].merge(std::move(parts[middle]));
}

files_tally count_directory(const file_path& directory) {
  const listing entries = list_directory(directory);
  std::deque<files_tally> parts(1);  // the first is for the directory itself; the others keep their addresses
  if (!entries.readable) parts[0].files.push_back({directory.native()});
  skua::task_group tasks;
  for (const file_path& path : entries.directories)
    tasks.run([&path, &part = parts.emplace_back()] { part = count_directory(path); });
  for (const file_path& path : entries.files)
    tasks.run([&path, &part = parts.emplace_back()] { part = count_file(path); });
  tasks.wait();
  merge_parts(parts, 0, parts.size());
  return std::move(parts[0]);
}

std::size_t common_beginning(const std::string& a, const std::string& b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// The longest existing beginning of a path, followed by the directory there whose name has the longest common
/// beginning with the next part. Returns `fallback` if no part of the path exists.
std::string nearest_directory(const file_path& wrong, const std::string& fallback) {
  file_path existing = wrong, next;
  std::error_code unknown;
  while (existing.has_relative_path() && !std::filesystem::is_directory(existing, unknown)) {
    next = existing.filename();
    existing = existing.parent_path();
  }
  file_path nearest = existing.has_relative_path() ? existing : file_path(fallback);
  std::size_t longest = 0;
  listing there = list_directory(existing.empty() ? "." : existing);
  std::ranges::sort(there.directories);
  for (const file_path& directory : there.directories) {
    const std::size_t common = common_beginning(directory.filename().native(), next.native());
    if (common <= longest) continue;
    longest = common;
    nearest = directory;
  }
  return nearest.native();
}

std::vector<file_path> split_paths(const std::string& list, const std::string& fallback) {
  std::vector<file_path> paths;
  for (std::size_t start = 0; start <= list.size();) {
    const std::size_t end = std::min(list.find(',', start), list.size());
    const file_path path(list.substr(start, end - start));
    std::error_code unknown;
    if (!std::filesystem::is_directory(path, unknown))
      throw skua::bad_input(
          "roots names '" + path.native() +
          "'; allowed: directories, separated by commas; nearest: " + nearest_directory(path, fallback));
    paths.push_back(path);
    start = end + 1;
  }
  return paths;
}

class wordcount_files_program : public program {
 public:
  explicit wordcount_files_program(const parameters& asked)
      : roots_(split_paths(
            asked.text("roots", asked.pick("/usr/share/common-licenses",
                                           "/usr/include,/usr/share/common-licenses", "/usr/share")),
            "/usr/share/common-licenses")) {}

  void prepare() override {
    answer_ = {};
    check_.prepare(roots_);
  }
  void sequential() override {
    for (const file_path& root : roots_) count_directory_sequential(root, answer_);
  }
  void parallel() override {
    for (const file_path& root : roots_) answer_.merge(count_directory(root));
  }
  answer_check verify() override {
    const std::string wrong = check_.check(answer_);
    if (!wrong.empty()) return {false, wrong};
    std::vector<std::string> unreadable;
    for (const file_count& file : answer_.files)
      if (!file.readable) unreadable.push_back(file.path);
    return {true, std::to_string(answer_.words.total) + " words, " +
                      std::to_string(answer_.words.distinct()) + " different ones, in " +
                      std::to_string(answer_.files.size() - unreadable.size()) + " files" +
                      named(unreadable, "cannot be read") +
                      named(check_.changed(), "changed during the run, left out")};
  }
  void flip_one() override { answer_.words.flip_one(); }

 private:
  static std::string named(const std::vector<std::string>& paths, const std::string& what) {
    if (paths.empty()) return {};
    std::string text = "; " + std::to_string(paths.size()) + " " + what + ":";
    for (std::size_t i = 0; i < paths.size() && i < 5; ++i) text += " " + paths[i];
    return text + (paths.size() > 5 ? " ..." : "");
  }

  std::vector<file_path> roots_;
  files_check check_;
  files_tally answer_;
};

}  // namespace

extern const workload wordcount_files_workload{
    .name = "wordcount_files",
    .summary = "count the words of all files under some directories; the directory walk is parallel too",
    .ci = "/usr/share/common-licenses",
    .med = "/usr/include and /usr/share/common-licenses",
    .paper = "/usr/share (memory for the different words)",
    .options = {{"roots", "directories, separated by commas", "directories to search"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<wordcount_files_program>(asked);
    }};

}  // namespace workloads
