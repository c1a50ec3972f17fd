// Owns hwloc's tree of a machine, and checks what hwloc reads. No other layer uses hwloc.
#pragma once

#include <hwloc.h>

#include <functional>
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

/// The host, restricted to the CPUs that this process could use at the start. Null if hwloc fails; `why` gives the reason.
hwloc_tree load_host(std::string& why);
/// A machine saved as XML. Throws bad_input.
hwloc_tree load_file(const std::string& path);
/// A synthetic machine. Throws bad_input.
hwloc_tree load_synthetic(const std::string& description);

// synthetic.cpp checks descriptions ("package:4 core:4 pu:1") before hwloc reads them: hwloc gives no reason for refusing one, and
// has no limit on the size.

/// Throws bad_input for an unknown type (with the nearest one), a count of 0, a missing pu at the end, and too many CPUs.
void check_synthetic(const std::string& description);

/// Throws bad_input for an error that only hwloc found.
[[noreturn]] void refuse_synthetic(const std::string& description);

// rehearsal.cpp: hwloc trusts its input. Some damaged XML files make it crash, others make it print errors on stderr and continue.
// So a file is first loaded in a child process.

/// Runs `act` in a copy of this process. Returns whether it returns true within 20 seconds without a crash and without
/// printing `complaint`. Its effects and output stay in the copy. Also true if no process can be created.
bool survives_rehearsal(const std::function<bool()>& act, const char* complaint);

}  // namespace skua::detail
