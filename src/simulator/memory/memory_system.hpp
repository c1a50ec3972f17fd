// The caches, the coherence and the memory of a modelled machine: what an access costs, and what every cache did.
//
//   const machine_model machine = find_machine("opteron-8380-4s");
//   memory_system memory(machine, detail_level::caches);
//   cycles busy = memory.touch(thread, memory.space().word_line(&queue.top), access::atomic, now);
//   busy += memory.stream(thread, {address_of(row), row_bytes}, access::read, now + busy);
//
// There are two kinds of memory. The runtime's own shared words are modelled from detail_level::lines on, in caches
// without end but with waiting for lines that others get: coherent_lines.hpp. Data that tasks declare are modelled from
// detail_level::caches on: cache_hierarchy.hpp. address_space.hpp says how both must lie for a run to be repeatable,
// memory_assumptions.hpp what is taken for granted.
//
// Calls come in the order of their times, as an engine makes them. A stream moves all its lines at once, so what others do
// meanwhile comes after it: cut long ones into pieces, of some microseconds say, and let time pass in between.
// Nothing here is random or depends on anything but the calls. Not for several threads at a time.
// Speed on one core of a busy two-core EPYC, printed by tests/unit/simulator/memory_speed_test.cpp, 16 to 256 threads: 8 to 26 million
// touches a second; of lines at detail_level::caches 17 to 63 million where they stay in the first cache, 8 to 25 in the
// second, 5 to 11 beyond; with bandwidth 12 to 47, 3.5 to 14, and 3 to 6.
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

// How many lines of one declared range a core waits for at a time: its out-of-order window, as far as memory sees it.
//
// A line is asked for a cycle after the one before it, but only when fewer than `at_once` are on their way; the oldest makes
// room first, as buffers for missing lines do that are filled in order. With at_once = 1 every line waits for the one
// before it.
//
//   miss_window window(machine.memory.misses_at_once, now);
//   for (line ...) { const cycles at = window.next(); window.asked(at, at + memory.demand(line, at)); }
//   busy = window.end() - now;

class miss_window {
 public:
  /// From 1 to most_misses_at_once.
  miss_window(unsigned at_once, cycles now) : at_once_(at_once), free_(now), end_(now) {
    std::fill_n(comes_.begin(), at_once, now);
  }

  /// When the next line can be asked for.
  cycles next() const noexcept { return std::max(free_, comes_[oldest_]); }
  /// It has been, at that time, and comes at another.
  void asked(cycles at, cycles comes) noexcept {
    comes_[oldest_] = comes;
    oldest_ = oldest_ + 1 == at_once_ ? 0 : oldest_ + 1;
    free_ = at + 1;
    end_ = std::max(end_, comes);
  }
  /// When all have come.
  cycles end() const noexcept { return end_; }

 private:
  unsigned at_once_, oldest_ = 0;
  cycles free_, end_;
  std::array<cycles, max_misses_at_once> comes_;
};

struct memory_options {
  std::optional<page_policy> pages = std::nullopt;  // instead of the machine's
  memory_assumptions assumed = {};
};

/// Lines that came from caches of that distance.
struct transfer_counters {
  std::string distance;
  std::uint64_t words, data;
};

class memory_system {
 public:
  /// Throws bad_input where the machine's caches are none that the model knows (machine_shape.hpp).
  memory_system(const machine_model& machine, detail_level level, const memory_options& options = {});
  memory_system(const memory_system&) = delete;
  memory_system& operator=(const memory_system&) = delete;

  /// One access of a hardware thread (logical order) to a line of space().word_line(): cycles until it is done.
  cycles touch(std::size_t thread, line_number line, access how, cycles now);
  /// That line's number was another one's before.
  void renew_words(line_number line) { words_.renew(line); }
  /// Accesses to data, every line once a row, row by row: cycles until the last is done.
  cycles stream(std::size_t thread, const data_rows& data, access how, cycles now);
  /// The same in pieces, each inside of one page, so that others come in between: asks for the lines of one. Whether the
  /// range goes on where the piece ends.
  void ask(std::size_t thread, const data_piece& piece, access how, miss_window& window);
  miss_window window(cycles now) const noexcept { return {machine_memory_.misses_at_once, now}; }

  address_space& space() noexcept { return space_; }
  bool deals_out_pages() const noexcept { return space_.deals_out_pages(); }
  const machine_shape& shape() const noexcept { return shape_; }
  detail_level level() const noexcept { return level_; }

  // ---- what happened. Spans may be empty where the level of detail has no such thing

  const word_counters& words() const noexcept { return words_.counters(); }
  /// Of the caches of one level (index 0 is the first), in the order of their cores; and all of them together.
  std::span<const cache_counters> caches(std::size_t level) const noexcept;
  cache_counters sum_of(std::size_t level) const noexcept;
  std::span<const node_counters> nodes() const noexcept { return between_.nodes(); }
  std::span<const link_counters> links() const noexcept { return between_.links(); }
  /// The nearest first.
  std::vector<transfer_counters> transfers() const;

 private:
  cycles line_with_prefetch(std::size_t core, line_number line, line_number next_page, access how,
                            cycles now);

  detail_level level_;
  memory_model machine_memory_;
  machine_shape shape_;
  address_space space_;
  interconnect between_;
  coherent_lines words_;
  std::unique_ptr<cache_hierarchy> caches_;
  std::unique_ptr<stream_prefetcher> prefetcher_;
};

}  // namespace skua::simulator
