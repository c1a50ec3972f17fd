// A prefetcher for each core, as in hardware. It observes ascending lines that miss the first cache and fetches the
// next lines of the page before they are requested. Prefetches take bandwidth. A core waits for one only if it requests
// the line before its arrival. assumptions.hpp has the numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/memory_types.hpp"
#include "simulator/memory/cache_hierarchy.hpp"

namespace skua::simulator {

class stream_prefetcher {
 public:
  stream_prefetcher(cache_hierarchy& caches, std::size_t cores, std::size_t lines_a_page,
                    const memory_assumptions& assumed);

  /// Called before the core's access to the line. Returns when the line arrives if it was prefetched, else 0.
  cycles arrival(std::size_t core, line_number line) const noexcept;
  /// Called after the access. Continues the line's stream or begins one. At the end of its page the stream continues on
  /// the page with the first line `next_page`; with no_line it ends there.
  void accessed(std::size_t core, line_number line, line_number next_page, bool missed, cycles now);

 private:
  struct stream {
    line_number page = no_line;
    std::uint32_t run = 0;  // ascending lines so far
    line_number last = 0;   // the last of them
    line_number begin = 0,
                end = 0;     // the prefetched lines; the arrivals of the latest are kept
    std::uint32_t slot = 0;  // the index of the arrivals
  };

  stream* find(std::size_t core, line_number page) noexcept;
  stream& begin(std::size_t core, line_number page) noexcept;
  cycles& arrival_of(std::size_t core, const stream& s, line_number line) noexcept {
    return arrivals_[(core * streams_ + s.slot) * ahead_ + line % ahead_];
  }
  void run_ahead(std::size_t core, stream& s, line_number next_page, cycles now);
  void run_to(std::size_t core, stream& s, line_number end, cycles now);

  cache_hierarchy& caches_;
  std::size_t lines_a_page_, streams_, ahead_;
  std::uint32_t min_run_;
  std::vector<stream> table_;     // by core, most recently used first
  std::vector<cycles> arrivals_;  // by core, slot, and line
};

}  // namespace skua::simulator
