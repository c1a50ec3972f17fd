// The caches, the coherence and the memory of a modelled machine: what an access costs, and the counters of every
// cache.
//
//   const machine_model machine = find_machine("opteron-8380-4s");
//   memory_system memory(machine, detail_level::caches);
//   cycles busy = memory.touch(thread, memory.space().word_line(&queue.top), access::atomic, now);
//   busy += memory.stream(thread, {address_of(row), row_bytes}, access::read, now + busy);
//
// There are two kinds of memory. The runtime's own shared words are modelled from detail_level::lines on, in caches of
// unlimited size, but with waiting for lines that other threads get: coherent_lines.hpp. Data that tasks declare are
// modelled from detail_level::caches on: cache_hierarchy.hpp. address_space.hpp says where both must lie for a
// repeatable run, assumptions.hpp what the model assumes.
//
// Calls come in the order of their times, as an engine makes them. A stream moves all its lines at once, so what other
// threads do meanwhile comes after it. Divide long streams into pieces, of some microseconds say, and let time pass in
// between. A result depends only on the calls; nothing is random. Only one thread at a time may call.
//
// Speed on one core of a busy two-core EPYC with 16 to 256 threads (tests/unit/simulator/memory_speed_test.cpp prints
// it), in millions per second: 8 to 26 touches; at detail_level::caches 17 to 63 lines that stay in the first cache, 8
// to 25 in the second, 5 to 11 beyond; with bandwidth 12 to 47, 3.5 to 14, and 3 to 6.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulator/machine/assumptions.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/machine/machine_shape.hpp"
#include "simulator/machine/memory_types.hpp"
#include "simulator/memory/address_space.hpp"
#include "simulator/memory/cache_hierarchy.hpp"
#include "simulator/memory/coherent_lines.hpp"
#include "simulator/memory/interconnect.hpp"
#include "simulator/memory/stream_prefetcher.hpp"

namespace skua::simulator {

// ---- misses of a core

/// Limits the outstanding misses of a core in one declared range: its out-of-order window, as memory sees it.
///
/// A line is requested one cycle after the line before it, but only while fewer than `at_once` are outstanding. The
/// oldest one makes room first, as in miss buffers that are filled in order. With at_once = 1 every line waits for the
/// one before.
///
///   miss_window window(machine.memory.misses_at_once, now);
///   for (line ...) { const cycles at = window.next(); window.asked(at, at + memory.demand(line, at)); }
///   busy = window.end() - now;
class miss_window {
 public:
  /// at_once: 1 to max_misses_at_once.
  miss_window(unsigned at_once, cycles now) : at_once_(at_once), free_(now), end_(now) {
    std::fill_n(arrivals_.begin(), at_once, now);
  }

  /// When the next line can be requested.
  cycles next() const noexcept { return std::max(free_, arrivals_[oldest_]); }
  /// The next line was requested at `at` and arrives at `arrives`.
  void asked(cycles at, cycles arrives) noexcept {
    arrivals_[oldest_] = arrives;
    oldest_ = oldest_ + 1 == at_once_ ? 0 : oldest_ + 1;
    free_ = at + 1;
    end_ = std::max(end_, arrives);
  }
  /// When all lines have arrived.
  cycles end() const noexcept { return end_; }

 private:
  unsigned at_once_, oldest_ = 0;
  cycles free_, end_;
  std::array<cycles, max_misses_at_once> arrivals_;
};

// ---- the memory system

struct memory_options {
  std::optional<page_policy> pages = std::nullopt;  // replaces the machine's policy
  memory_assumptions assumed = {};
};

/// The number of lines from caches at this distance.
struct transfer_counters {
  std::string distance;
  std::uint64_t words, data;
};

class memory_system {
 public:
  /// Throws bad_input if the model does not support the machine's caches (machine_shape.hpp).
  memory_system(const machine_model& machine, detail_level level, const memory_options& options = {});
  memory_system(const memory_system&) = delete;
  memory_system& operator=(const memory_system&) = delete;

  /// One access of a hardware thread (logical order) to a line of space().word_line(). Returns the cycles until it is
  /// done.
  cycles touch(std::size_t thread, line_number line, access how, cycles now);
  /// The line has got a number that another line had before.
  void renew_words(line_number line) { words_.renew(line); }
  /// Accesses data row by row, every line once per row. Returns the cycles until the last access is done.
  cycles stream(std::size_t thread, const data_rows& data, access how, cycles now);
  /// Requests the lines of one piece, within one page. A range is divided into pieces so that other threads can access
  /// memory in between.
  void ask(std::size_t thread, const data_piece& piece, access how, miss_window& window);
  miss_window window(cycles now) const noexcept { return {machine_memory_.misses_at_once, now}; }

  address_space& space() noexcept { return space_; }
  bool deals_out_pages() const noexcept { return space_.deals_out_pages(); }
  const machine_shape& shape() const noexcept { return shape_; }
  detail_level level() const noexcept { return level_; }

  // ---- counters. Spans are empty if the level of detail does not model them

  const word_counters& words() const noexcept { return words_.counters(); }
  /// The counters of the caches of one level (0 is the first), in the order of their cores; and their sum.
  std::span<const cache_counters> caches(std::size_t level) const noexcept;
  cache_counters sum_of(std::size_t level) const noexcept;
  std::span<const node_counters> nodes() const noexcept { return interconnect_.nodes(); }
  std::span<const link_counters> links() const noexcept { return interconnect_.links(); }
  /// The nearest distance comes first.
  std::vector<transfer_counters> transfers() const;

 private:
  cycles line_with_prefetch(std::size_t core, line_number line, line_number next_page, access how,
                            cycles now);

  detail_level level_;
  memory_model machine_memory_;
  machine_shape shape_;
  address_space space_;
  interconnect interconnect_;
  coherent_lines words_;
  std::unique_ptr<cache_hierarchy> caches_;
  std::unique_ptr<stream_prefetcher> prefetcher_;
};

}  // namespace skua::simulator
