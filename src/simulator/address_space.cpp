#include "simulator/address_space.hpp"

#include <stdexcept>

#include "simulator/memory_assumptions.hpp"

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
        throw std::length_error("the simulated program has touched more memory than can be numbered");
      block = {next_block_, next_block_ + static_cast<line_number>(block_pages)};
      next_block_ = block.end;
    }
    run = {block.next, block.next + static_cast<line_number>(run_pages)};
    block.next = run.end;
  }
  return run.next++;
}

line_number address_space::word_line(const void* address) {
  const auto word = reinterpret_cast<std::uintptr_t>(address) / word_bytes;
  const auto known = words_.find(word);
  if (known != words_.end()) return known->second;
  const auto [found, is_new] = word_lines_.try_emplace(word * word_bytes / word_line_bytes, next_word_line_);
  if (is_new) ++next_word_line_;
  words_.emplace(word, found->second);
  return found->second;
}

line_number address_space::new_words(const void* object, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(object) / word_bytes;
  const line_number first = next_word_line_;
  const std::size_t words = (bytes + word_bytes - 1) / word_bytes,
                    words_a_line = word_line_bytes / word_bytes;
  for (std::size_t i = 0; i < words; ++i)
    words_[begin + i] = first + static_cast<line_number>(i / words_a_line);
  next_word_line_ += static_cast<line_number>((words + words_a_line - 1) / words_a_line);
  return next_word_line_ - first;
}

void address_space::forget(const void* address, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  const auto erase = [&](auto& numbers, std::size_t size) {
    for (std::uintptr_t one = (begin + size - 1) / size; (one + 1) * size <= begin + bytes; ++one)
      numbers.erase(one);
  };
  erase(pages_, page_bytes);
  erase(word_lines_, word_line_bytes);
  erase(words_, word_bytes);
}

}  // namespace skua::simulator
