#include "simulator/memory/stream_prefetcher.hpp"

#include <algorithm>

namespace skua::simulator {

stream_prefetcher::stream_prefetcher(cache_hierarchy& caches, std::size_t cores, std::size_t lines_a_page,
                                     const memory_assumptions& assumed)
    : caches_(caches),
      lines_a_page_(lines_a_page),
      streams_(assumed.streams),
      ahead_(assumed.lines_ahead),
      min_run_(assumed.lines_before_a_stream),
      table_(cores * streams_),
      arrivals_(cores * streams_ * ahead_) {
  for (std::size_t i = 0; i < table_.size(); ++i) table_[i].slot = static_cast<std::uint32_t>(i % streams_);
}

cycles stream_prefetcher::arrival(std::size_t core, line_number line) const noexcept {
  const line_number page = line / static_cast<line_number>(lines_a_page_);
  const auto first = table_.begin() + static_cast<std::ptrdiff_t>(core * streams_);
  const auto last = first + static_cast<std::ptrdiff_t>(streams_);
  const auto s = std::find_if(first, last, [&](const stream& one) { return one.page == page; });
  if (s == last || line < s->begin || line >= s->end || s->end - line > ahead_) return 0;
  return arrivals_[(core * streams_ + s->slot) * ahead_ + line % ahead_];
}

void stream_prefetcher::accessed(std::size_t core, line_number line, line_number next_page, bool missed,
                                 cycles now) {
  const line_number page = line / static_cast<line_number>(lines_a_page_);
  stream* s = find(core, page);
  const bool expected = s != nullptr && line >= s->begin && line < s->end;
  if (!missed && !expected) return;
  if (s == nullptr) s = &begin(core, page);
  if (s->run != 0 && line == s->last) return;
  const bool goes_on = s->run != 0 && line > s->last && (line == s->last + 1 || expected);
  s->run = goes_on ? s->run + 1 : 1;
  s->last = line;
  if (!goes_on) s->begin = s->end = line + 1;
  if (s->run >= min_run_) run_ahead(core, *s, next_page, now);
}

void stream_prefetcher::run_ahead(std::size_t core, stream& s, line_number next_page, cycles now) {
  const auto page_end = (s.page + 1) * static_cast<line_number>(lines_a_page_);
  const line_number end = s.last + 1 + static_cast<line_number>(ahead_);
  if (s.end <= s.last) s.begin = s.end = s.last + 1;
  run_to(core, s, std::min(page_end, end), now);
  if (end <= page_end || next_page == no_line) return;
  const line_number page = next_page / static_cast<line_number>(lines_a_page_);
  stream* next = find(core, page);
  if (next == nullptr) next = &begin(core, page);
  if (next->run + 1 != min_run_ ||
      next->last + 1 != next_page)  // unless the line before has already begun it
    *next = {page, min_run_ - 1, next_page - 1, next_page, next_page, next->slot};
  run_to(core, *next, std::min(end - page_end, static_cast<line_number>(lines_a_page_)) + next_page, now);
}

void stream_prefetcher::run_to(std::size_t core, stream& s, line_number end, cycles now) {
  for (; s.end < end; ++s.end) arrival_of(core, s, s.end) = now + caches_.prefetch(core, s.end, now);
}

/// The stream becomes the core's first.
stream_prefetcher::stream* stream_prefetcher::find(std::size_t core, line_number page) noexcept {
  stream* const first = &table_[core * streams_];
  for (stream* s = first; s != first + streams_; ++s) {
    if (s->page != page) continue;
    std::rotate(first, s, s + 1);
    return first;
  }
  return nullptr;
}

/// Replaces the least recently used stream.
stream_prefetcher::stream& stream_prefetcher::begin(std::size_t core, line_number page) noexcept {
  stream* const first = &table_[core * streams_];
  std::rotate(first, first + streams_ - 1, first + streams_);
  *first = {.page = page, .slot = first->slot};
  return *first;
}

}  // namespace skua::simulator
