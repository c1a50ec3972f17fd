#include "word_count.hpp"

#include <sstream>

#include "workloads/common/random.hpp"
#include "workloads/kernels/words.hpp"

namespace bench {

word_counts::word_counts() : table_(1024) {}

word_counts::entry& word_counts::find(std::string_view word, std::uint64_t hash) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = workloads::mix(hash) & mask;; i = (i + 1) & mask) {
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
    if (e.length != 0) fingerprint += static_cast<std::uint64_t>(e.times) * workloads::mix(e.hash);
  std::ostringstream text;
  text << total_ << " words, " << used_ << " different, " << files << " files, " << unreadable
       << " unreadable, fingerprint " << std::hex << fingerprint;
  return text.str();
}

void count_words(std::string_view text, word_counts& counts) {
  workloads::for_each_word(text,
                           [&](std::string_view word, std::uint64_t hash) { counts.add(word, hash, 1); });
}

bool read_text(const std::filesystem::path& file, std::string& text) {
  return workloads::read_text(file, text);
}

std::vector<std::string_view> cut_text(std::string_view text) { return workloads::text_pieces(text); }

listing list_directory(const std::filesystem::path& directory) {
  return workloads::list_directory(directory);
}

}  // namespace bench
