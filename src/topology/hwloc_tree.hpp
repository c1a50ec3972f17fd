// Owns hwloc's tree of a machine. No hwloc type is visible outside of this layer.
#pragma once

#include <hwloc.h>

#include <memory>
#include <string>
#include <string_view>

namespace skua::detail {

struct destroy_hwloc {
  void operator()(hwloc_topology_t tree) const { hwloc_topology_destroy(tree); }
  void operator()(hwloc_bitmap_t set) const { hwloc_bitmap_free(set); }
};
using hwloc_tree = std::unique_ptr<hwloc_topology, destroy_hwloc>;
using hwloc_set = std::unique_ptr<hwloc_bitmap_s, destroy_hwloc>;

/// The host, restricted to the CPUs that this process could use at the start. Null when hwloc fails; `why` is the
/// reason.
hwloc_tree load_host(std::string& why);
/// A machine saved as XML. Throws bad_input.
hwloc_tree load_file(const std::string& path);
/// A synthetic machine. Throws bad_input.
hwloc_tree load_synthetic(const std::string& description);

}  // namespace skua::detail
