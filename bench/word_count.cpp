#include "word_count.hpp"

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "kernels.hpp"

namespace bench {
namespace {

constexpr std::size_t piece = 256 * 1024;
constexpr std::uint64_t hash_start = 0xcbf29ce484222325u, hash_step = 0x100000001b3u;  // FNV-1a

/// A letter in lower case, or 0.
constexpr std::array<char, 256> letters = [] {
  std::array<char, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c) {
    table[static_cast<std::size_t>(c)] = static_cast<char>(c);
    table[static_cast<std::size_t>(c - 'a' + 'A')] = static_cast<char>(c);
  }
  return table;
}();

char letter(char c) { return letters[static_cast<unsigned char>(c)]; }

}  // namespace

word_counts::word_counts() : table_(1024) {}

word_counts::entry& word_counts::find(std::string_view word, std::uint64_t hash) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = bench_mix(hash) & mask;; i = (i + 1) & mask) {
    entry& here = table_[i];
    if (here.length == 0) return here;
    if (here.hash == hash && std::string_view(arena_).substr(here.offset, here.length) == word) return here;
  }
}

void word_counts::add(std::string_view word, std::uint64_t hash, std::int64_t times) {
  total_ += times;
  entry& here = find(word, hash);
  here.times += times;
  if (here.length != 0) return;
  here.hash = hash;
  here.offset = arena_.size();
  here.length = static_cast<std::uint32_t>(word.size());
  arena_ += word;
  if (++used_ * 2 > table_.size()) grow();
}

void word_counts::grow() {
  std::vector<entry> old(table_.size() * 4);
  old.swap(table_);
  for (const entry& e : old)
    if (e.length != 0) find(std::string_view(arena_).substr(e.offset, e.length), e.hash) = e;
}

void word_counts::merge(const word_counts& other) {
  for (const entry& e : other.table_)
    if (e.length != 0) add(std::string_view(other.arena_).substr(e.offset, e.length), e.hash, e.times);
  files += other.files;
  unreadable += other.unreadable;
}

std::string word_counts::summary() const {
  std::uint64_t fingerprint = 0;
  for (const entry& e : table_)
    if (e.length != 0) fingerprint += static_cast<std::uint64_t>(e.times) * bench_mix(e.hash);
  std::ostringstream text;
  text << total_ << " words, " << used_ << " different, " << files << " files, " << unreadable
       << " unreadable, fingerprint " << std::hex << fingerprint;
  return text.str();
}

void count_words(std::string_view text, word_counts& counts) {
  std::string word;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    while (at != end && !letter(*at)) ++at;
    word.clear();
    std::uint64_t hash = hash_start;
    for (; at != end; ++at) {
      const char c = letter(*at);
      if (!c) break;
      hash = (hash ^ static_cast<unsigned char>(c)) * hash_step;
      word += c;
    }
    if (!word.empty()) counts.add(word, hash, 1);
  }
}

bool read_text(const std::filesystem::path& file, std::string& text) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(file, failed);
  if (!in || failed) return false;
  text.resize(size);
  in.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return true;
}

std::vector<std::string_view> cut_text(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (text.size() > piece) {
    std::size_t cut = piece;
    while (cut < text.size() && letter(text[cut])) ++cut;
    pieces.push_back(text.substr(0, cut));
    text.remove_prefix(cut);
  }
  if (!text.empty()) pieces.push_back(text);
  return pieces;
}

listing list_directory(const std::filesystem::path& directory) {
  listing found;
  std::error_code failed;
  for (std::filesystem::directory_iterator at(directory, failed), end; !failed && at != end;
       at.increment(failed)) {
    std::error_code unknown;
    if (at->is_symlink(unknown)) continue;
    if (at->is_directory(unknown))
      found.directories.push_back(at->path());
    else if (at->is_regular_file(unknown))
      found.files.push_back(at->path());
  }
  return found;
}

}  // namespace bench
