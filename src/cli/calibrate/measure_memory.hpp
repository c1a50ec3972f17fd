// Microbenchmarks of one core's clock, its caches and its way to memory. Nothing here knows of workloads.
//
//   latency   one chain of dependent loads through all lines of a region in random order, on large pages if there are
//   overlap   loads from random lines whose addresses do not depend on each other
//   streams   one load a line in ascending order, on pages of the usual size, as programs have them
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "simulator/machine/machine_model.hpp"

namespace skua::cli {

struct memory_found {
  double cycle_ns = 0;                 // of the clock at which the core ran
  std::vector<double> hit_ns;          // by level of cache
  std::uint64_t last_cache_bytes = 0;  // of the last level, that were ours: others may share it
  double miss_ns = 0;                  // of a load that finds nothing
  double independent_miss_ns = 0;      // each, of many
  double line_ns = 0;                  // of a stream from memory
  double line_ns_shuffled = 0;         // the same with pages in random order
  double line_ns_together = 0;         // while all cores do so, of one of them
  double overlap = 0;  // of computing and streaming: 0 one after the other, 1 at the same time
};

/// Some 10 s: several passes over all, as others may disturb one of them for as long as it takes. `progress` hears the share done. Binds the calling thread to the machine's first core.
memory_found measure_memory(const simulator::machine_model& machine,
                            const std::function<void(double)>& progress);

}  // namespace skua::cli
