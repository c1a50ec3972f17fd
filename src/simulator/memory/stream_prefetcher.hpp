// A prefetcher a core, as hardware has them: it sees ascending lines that miss the first cache, and brings the next ones
// of the page before they are asked for. What it brings takes bandwidth and is not waited for, unless it is still on its
// way when it is asked for. Its numbers: memory_assumptions.hpp.
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

  /// Before the core's access to that line: when the line arrives if it was prefetched, else 0.
  cycles arrival(std::size_t core, line_number line) const noexcept;
  /// After it: goes on with the line's stream, or begins one. At the end of its page the stream goes on to the page whose
  /// first line is `next_page`; with no_line it ends there.
  void accessed(std::size_t core, line_number line, line_number next_page, bool missed, cycles now);

 private:
  struct stream {
    line_number page = no_line;
    std::uint32_t run = 0;  // lines in ascending order so far
    line_number last = 0;   // of them
    line_number begin = 0,
                end = 0;     // lines that were prefetched: the latest of them have their arrivals kept
    std::uint32_t slot = 0;  // where these are
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
  std::uint32_t enough_;
  std::vector<stream> table_;     // by core, the latest used first
  std::vector<cycles> arrivals_;  // by core, slot, and line
};

}  // namespace skua::simulator
