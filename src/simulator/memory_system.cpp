#include "simulator/memory_system.hpp"

#include <algorithm>

namespace skua::simulator {

memory_system::memory_system(const machine_model& machine, detail_level level, const memory_options& options)
    : level_(level),
      assumed_(options.assumed),
      shape_(machine),
      space_(shape_, options.pages.value_or(machine.pages)),
      between_(machine, shape_, level >= detail_level::bandwidth, options.assumed),
      words_(shape_, between_) {
  if (level >= detail_level::caches)
    caches_ = std::make_unique<cache_hierarchy>(machine, shape_, space_, between_);
  if (level >= detail_level::bandwidth)
    prefetcher_ =
        std::make_unique<stream_prefetcher>(*caches_, shape_.cores(), space_.lines_a_page(), assumed_);
}

cycles memory_system::touch(std::size_t thread, line_number line, access how, cycles now) {
  if (level_ < detail_level::lines) return 0;
  between_.advance(now);
  return words_.touch(thread, line, how, now);
}

cycles memory_system::stream(std::size_t thread, const data_rows& data, access how, cycles now) {
  if (level_ < detail_level::caches || data.bytes == 0) return 0;
  between_.advance(now);
  const std::size_t core = shape_.core_of(thread);
  cycles time = now;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const std::uintptr_t begin = data.address + row * data.pitch, end = begin + data.bytes;
    for (std::uintptr_t at = begin; at < end;) {
      const std::uintptr_t number = at / page_bytes, rest = std::min(end, (number + 1) * page_bytes);
      const line_number first = space_.first_line(number, core);
      const auto line_of = [&](std::uintptr_t address) {
        return first + static_cast<line_number>(address % page_bytes / shape_.line_bytes());
      };
      time = page(core, line_of(at), line_of(rest - 1), how, time);
      at = rest;
    }
  }
  return time - now;
}

/// When it is done.
cycles memory_system::page(std::size_t core, line_number first, line_number last, access how, cycles now) {
  const cycles hit = shape_.latency(0);
  for (line_number line = first; line <= last; ++line) {
    const cycles cost =
        prefetcher_ ? line_with_prefetch(core, line, how, now) : caches_->demand(core, line, how, now);
    now += cost <= hit ? cost : hit + (cost - hit) / assumed_.misses_at_once;
  }
  return now;
}

cycles memory_system::line_with_prefetch(std::size_t core, line_number line, access how, cycles now) {
  const cycles arrives = prefetcher_->arrival(core, line);
  const bool missed = !caches_->holds(shape_.cache_of(0, core), line);
  cycles cost = caches_->demand(core, line, how, now);
  if (arrives > now) cost = std::max(cost, arrives - now);
  prefetcher_->accessed(core, line, missed, now);
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
