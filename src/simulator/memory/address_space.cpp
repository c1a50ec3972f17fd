#include "simulator/memory/address_space.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "simulator/machine/assumptions.hpp"

namespace skua::simulator {

address_space::address_space(const machine_shape& shape, page_policy pages)
    : shape_(shape),
      policy_(pages),
      lines_a_page_(page_bytes / shape.line_bytes()),
      runs_(shape.cores()),
      blocks_(shape.caches_of(shape.levels() - 1)) {}

line_number address_space::first_line(std::uintptr_t page, std::size_t core) {
  const auto [found, is_new] = pages_.try_emplace(page, 0);
  if (is_new) {
    found->second = next_page(core);
    if (homes_.size() <= found->second) homes_.resize(found->second + 1);
    homes_[found->second] = static_cast<std::uint16_t>(
        policy_ == page_policy::first_touch ? shape_.node_of_core(core) : touched_ % shape_.nodes());
    ++touched_;
  }
  return found->second * static_cast<line_number>(lines_a_page_);
}

line_number address_space::next_page(std::size_t core) {
  supply& run = runs_[core];
  if (run.next == run.end) {
    const std::size_t last = shape_.levels() - 1;
    supply& block = blocks_[shape_.cache_of(last, core) - shape_.first_cache(last)];
    if (block.next == block.end) {
      if (next_block_ + block_pages > no_line / lines_a_page_)
        throw std::length_error(
            "the simulated program has touched more memory than the simulator can number");
      block = {next_block_, next_block_ + static_cast<line_number>(block_pages)};
      next_block_ = block.end;
    }
    run = {block.next, block.next + static_cast<line_number>(run_pages)};
    block.next = run.end;
  }
  return run.next++;
}

bool address_space::deals_out_pages() const noexcept {
  return shape_.nodes() > 1 && policy_ != page_policy::first_touch;
}

line_number address_space::find_word_line(std::uintptr_t word) {
  auto known = words_.find(word);
  if (known == words_.end()) {
    const auto [found, is_new] =
        word_lines_.try_emplace(word * word_bytes / word_line_bytes, next_word_line_);
    if (is_new) ++next_word_line_;
    known = words_.emplace(word, found->second).first;
  }
  recent_[place_of(word)] = {word, known->second};
  return known->second;
}

std::span<const line_number> address_space::new_words(const void* object, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(object) / word_bytes;
  const std::size_t words = (bytes + word_bytes - 1) / word_bytes,
                    words_a_line = word_line_bytes / word_bytes;
  new_lines_.clear();
  for (std::size_t i = 0; i < words; ++i) {
    if (i % words_a_line == 0) new_lines_.push_back(take_word_line());
    const auto [word, is_new] = words_.try_emplace(begin + i, new_lines_.back());
    if (!is_new) drop_word(std::exchange(word->second, new_lines_.back()));
    ++words_of_object_[new_lines_.back()];
    recent_[place_of(begin + i)] = {begin + i, new_lines_.back()};
  }
  return new_lines_;
}

line_number address_space::take_word_line() {
  if (free_word_lines_.empty()) {
    words_of_object_.resize(next_word_line_ + std::size_t{1});
    return next_word_line_++;
  }
  const line_number line = free_word_lines_.back();
  free_word_lines_.pop_back();
  return line;
}

/// Lines of word_line(), which are numbered by their addresses, keep their numbers.
void address_space::drop_word(line_number line) {
  if (line < words_of_object_.size() && words_of_object_[line] != 0 && --words_of_object_[line] == 0)
    free_word_lines_.push_back(line);
}

void address_space::forget(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto erase = [&](auto& numbers, std::size_t size) {
    for (std::uintptr_t one = (begin + size - 1) / size; (one + 1) * size <= begin + bytes; ++one)
      numbers.erase(one);
  };
  erase(pages_, page_bytes);
  erase(word_lines_, word_line_bytes);
  erase(words_, word_bytes);  // these numbers are not used again
  std::ranges::fill(recent_, recent_word{});
}

}  // namespace skua::simulator
