#include "simulator/memory/memory_system.hpp"

#include <algorithm>

namespace skua::simulator {

memory_system::memory_system(const machine_model& machine, detail_level level, const memory_options& options)
    : level_(level),
      machine_memory_(machine.memory),
      shape_(machine),
      space_(shape_, options.pages.value_or(machine.pages)),
      interconnect_(machine, shape_, level >= detail_level::bandwidth, options.assumed),
      words_(shape_, interconnect_) {
  if (level >= detail_level::caches)
    caches_ = std::make_unique<cache_hierarchy>(machine, shape_, space_, interconnect_);
  if (level < detail_level::bandwidth) return;
  memory_assumptions assumed = options.assumed;
  assumed.lines_ahead = machine.memory.lines_ahead.value_or(assumed.lines_ahead);
  prefetcher_ = std::make_unique<stream_prefetcher>(*caches_, shape_.cores(), space_.lines_a_page(), assumed);
}

cycles memory_system::touch(std::size_t thread, line_number line, access how, cycles now) {
  if (level_ < detail_level::lines) return 0;
  interconnect_.advance(now);
  return words_.touch(thread, line, how, now);
}

cycles memory_system::stream(std::size_t thread, const data_rows& data, access how, cycles now) {
  if (level_ < detail_level::caches || data.bytes == 0) return 0;
  interconnect_.advance(now);
  miss_window lines = window(now);
  for (std::size_t row = 0; row < data.rows; ++row) {
    const std::uintptr_t begin = data.address + row * data.pitch, end = begin + data.bytes;
    for (std::uintptr_t at = begin, next; at < end; at = next) {
      next = std::min(end, (at / page_bytes + 1) * page_bytes);
      ask(thread, {at, next - at, next < end}, how, lines);
    }
  }
  return lines.end() - now;
}

void memory_system::ask(std::size_t thread, const data_piece& piece, access how, miss_window& window) {
  if (level_ < detail_level::caches || piece.bytes == 0) return;
  interconnect_.advance(window.next());
  const std::size_t core = shape_.core_of(thread);
  const std::uintptr_t page = piece.address / page_bytes, offset = piece.address % page_bytes;
  const line_number first = space_.first_line(page, core);
  const line_number next_page = piece.goes_on && prefetcher_ && machine_memory_.prefetch_crosses_pages
                                    ? space_.first_line(page + 1, core)
                                    : no_line;
  const auto last = first + static_cast<line_number>((offset + piece.bytes - 1) / shape_.line_bytes());
  for (auto line = first + static_cast<line_number>(offset / shape_.line_bytes()); line <= last; ++line) {
    const cycles at = window.next();
    const cycles cost = prefetcher_ ? line_with_prefetch(core, line, next_page, how, at)
                                    : caches_->demand(core, line, how, at);
    window.asked(at, at + cost);
  }
}

cycles memory_system::line_with_prefetch(std::size_t core, line_number line, line_number next_page,
                                         access how, cycles now) {
  const cycles arrives = prefetcher_->arrival(core, line);
  const bool missed = !caches_->holds(shape_.cache_of(0, core), line);
  cycles cost = caches_->demand(core, line, how, now);
  if (arrives > now) cost = std::max(cost, arrives - now);
  prefetcher_->accessed(core, line, next_page, missed, now);
  return cost;
}

std::span<const cache_counters> memory_system::caches(std::size_t level) const noexcept {
  if (!caches_) return {};
  return caches_->counters().subspan(shape_.first_cache(level), shape_.caches_of(level));
}

cache_counters memory_system::sum_of(std::size_t level) const noexcept {
  cache_counters sum;
  for (const cache_counters& one : caches(level)) {
    sum.hits += one.hits;
    sum.demand_misses += one.demand_misses;
    sum.prefetch_misses += one.prefetch_misses;
    sum.evictions += one.evictions;
    sum.back_invalidations += one.back_invalidations;
    sum.invalidations += one.invalidations;
    sum.write_backs += one.write_backs;
  }
  return sum;
}

std::vector<transfer_counters> memory_system::transfers() const {
  std::vector<transfer_counters> all;
  for (std::size_t d = 0; d < shape_.distances(); ++d)
    all.push_back({shape_.distance_name(d), words_.transfers()[d], caches_ ? caches_->transfers()[d] : 0});
  return all;
}

}  // namespace skua::simulator
