// The boundary level of CAB, equation 4.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace skua::policy {

/// The smallest k with branching^k >= ratio: ceil(log_branching(ratio)).
inline std::uint32_t levels_for(double ratio, std::size_t branching) {
  std::uint32_t k = 0;
  for (double reached = 1; reached < ratio; reached *= static_cast<double>(branching)) ++k;
  return k;
}

/// Gives enough leaf inter-domain tasks for all domains, each small enough for a domain's cache. On one domain it is 0,
/// which means plain stealing.
inline std::uint32_t boundary_level(std::size_t domains, std::size_t branching, std::size_t input_bytes,
                                    std::size_t cache_bytes) {
  if (domains <= 1) return 0;
  const double per_cache =
      cache_bytes == 0 ? 1 : static_cast<double>(input_bytes) / static_cast<double>(cache_bytes);
  return std::max(levels_for(static_cast<double>(domains), branching), levels_for(per_cache, branching)) + 1;
}

}  // namespace skua::policy
