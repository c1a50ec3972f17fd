// What the model of memory takes for granted beside what a machine's file says, all in one place and with reasons.
// Nothing here was chosen to meet a figure. The numbers can be changed in a run; the rules below are what the code does.
//
// - Coherence is MOESI on every machine, as the files' transfers are measured from cache to cache anyway: who holds a
//   modified line passes it on and stays responsible for writing it back. Only where a cache that both share has the line
//   too is it written back there at once, as inclusive caches do. (MESI machines would also write it to memory; that
//   traffic is missing.)
// - A line that nobody has modified comes from the nearest cache that has it, or for a reader from memory where memory
//   is nearer: no machine asks a far cache for what lies in the memory beside it.
// - Writing costs the transfer or, where others share the line, the file's upgrade_shared if that is more: copies are
//   invalidated while the line is on its way. The file has one number for it, so sharers nearby cost what far ones do.
// - Of a line that several wait for (the runtime's words only), transfers to a writer and from one who modified it follow
//   each other; readers of a clean line are served at the same time, as a directory answers them in a few cycles.
// - The runtime's words are never thrown out of the caches by data: they are a few kilobytes that are used all the time.
// - Replacement is least recently used. A line that is written back or thrown out to a cache which has it already keeps
//   its place there, since nobody asked for it.
// - Lines of one declared range do not depend on each other: a core asks for one a cycle, until as many are on their way as
//   its file's misses_at_once says (miss_window.hpp). So it is for ranges that are declared one after another; whatever else
//   follows waits for the last. Ranges in which each line's address stands in the one before (lists, say) are therefore too fast when
//   declared as one, as fast as they are when each is declared by itself.
// - A core that waits for one line at a time pays a hit in its first cache once a line, about what loading 64 bytes in words
//   takes; others overlap these too, since what a leaf computes with all data at hand is in the cycles it declares.
// - Computing and fetching follow each other, except for the file's overlap_percent of the shorter one: of cycles that are
//   declared after ranges, with nothing else of the thread between.
// - Pages are 4 KiB, those of the machines' operating systems. They lie in a cache's sets in the order of their numbers
//   (address_space.hpp).
// - A line takes the shortest way through the packages, over the lowest ones where there are several; the files say how
//   many hops there are, not how lines are routed. Requests, invalidations and acknowledgements take no bandwidth.
// - On a machine with one memory and several packages a package has one link, its front-side bus, in both directions,
//   and lines between packages pass both buses.
// - What a machine's file does not say costs what is next to it: a clean line from below a shared cache that has it too
//   that cache's latency, from below a victim cache what a modified one does; threads of one core the first cache's
//   latency.
#pragma once

#include <cstddef>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

inline constexpr std::size_t page_bytes = 4096;

inline constexpr unsigned max_lines_ahead = 256;

struct memory_assumptions {
  /// The prefetcher follows so many streams a core and runs so far ahead of each, inside its page: both as Intel's
  /// optimisation manual gives them for the streamer of its cores from Sandy Bridge on. Others publish no figures. A
  /// machine's file may say how far ahead, and that it goes on to the page that follows.
  unsigned streams = 32;
  unsigned lines_ahead = 20;
  /// Neighbouring lines in ascending order that make a stream: the least by which a direction can be told.
  unsigned lines_before_a_stream = 2;
  /// Bandwidth is handed out in slices of so many cycles: accesses that come in another order than their times share
  /// what a slice has left. Short beside every memory's latency, so that bursts still queue.
  cycles slice = 64;
};

}  // namespace skua::simulator
