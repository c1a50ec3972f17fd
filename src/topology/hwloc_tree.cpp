#include "topology/hwloc_tree.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <system_error>
#include <vector>

#include "base/nearest_name.hpp"
#include "topology/affinity.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

namespace fs = std::filesystem;
constexpr std::uintmax_t max_bytes = 64 << 20;  // the largest known file, of 384 CPUs, has 0.5 MB

hwloc_tree new_tree() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw std::bad_alloc();
  return hwloc_tree(raw);
}

std::size_t pus_of(const hwloc_tree& tree) {
  const int count = hwloc_get_nbobjs_by_type(tree.get(), HWLOC_OBJ_PU);
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& because) {
  throw bad_input("topology file '" + path + "' " + because);
}

// The saved machine whose name looks most like the missing one, if its folder has any.
std::string nearest_file(const fs::path& missing) {
  std::vector<std::string> found;
  std::error_code failed;
  const fs::path folder = missing.has_parent_path() ? missing.parent_path() : fs::path(".");
  for (fs::directory_iterator file(folder, failed), end; !failed && file != end && found.size() < 1000;
       file.increment(failed)) {
    if (file->path().extension() == ".xml") found.push_back(file->path().filename().string());
  }
  const std::vector<std::string_view> names(found.begin(), found.end());
  const std::string_view nearest = base::nearest_name(missing.stem().string(), names);
  return nearest.empty() ? "" : "; did you mean '" + std::string(nearest) + "'?";
}

std::string read_file(const std::string& path) {
  std::error_code failed;
  if (!fs::exists(path, failed)) refuse_file(path, "does not exist" + nearest_file(path));
  if (!fs::is_regular_file(path, failed)) refuse_file(path, "is not a regular file; it must be hwloc XML");
  if (fs::file_size(path, failed) > max_bytes) refuse_file(path, "is larger than 64 MB");
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) refuse_file(path, "cannot be read");
  if (text.empty()) refuse_file(path, "is empty; it must be hwloc XML, as `lstopo file.xml` writes it");
  return text;
}

// hwloc 3 writes <topology version="3.0">, which hwloc 2 refuses without a reason.
bool is_version_3(const std::string& text) {
  const auto at = text.find("<topology version=\"");
  return at != std::string::npos && text.compare(at + 19, 2, "3.") == 0;
}

}  // namespace

hwloc_tree load_file(const std::string& path) {
  const std::string text = read_file(path);
  if (is_version_3(text)) {
    refuse_file(path,
                "is hwloc XML of version 3; allowed are versions 1 and 2, which hwloc 3 can export, too");
  }
  hwloc_tree tree = new_tree();
  const auto load = [&] {
    return hwloc_topology_set_xmlbuffer(tree.get(), text.c_str(), static_cast<int>(text.size() + 1)) == 0 &&
           hwloc_topology_load(tree.get()) == 0;
  };
  if (!survives_rehearsal(load, "hwloc has encountered") || !load())
    refuse_file(path, "is damaged or not hwloc XML; write one with `lstopo file.xml`");
  if (pus_of(tree) == 0) refuse_file(path, "contains no CPU that may be used");
  if (pus_of(tree) > max_cpus) refuse_file(path, "has more than 8192 CPUs");
  return tree;
}

hwloc_tree load_synthetic(const std::string& description) {
  check_synthetic(description);
  hwloc_tree tree = new_tree();
  const bool loaded = hwloc_topology_set_synthetic(tree.get(), description.c_str()) == 0 &&
                      hwloc_topology_load(tree.get()) == 0;
  if (!loaded || pus_of(tree) == 0) refuse_synthetic(description);
  return tree;
}

hwloc_tree load_host(std::string& why) {
  hwloc_tree tree = new_tree();
  // hwloc would otherwise move this thread over all CPUs to ask each about itself.
  hwloc_topology_set_flags(tree.get(), HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  if (hwloc_topology_load(tree.get()) != 0) {
    why = "hwloc cannot read this machine";
    return nullptr;
  }
  if (!hwloc_topology_is_thissystem(tree.get())) {
    why =
        "HWLOC_XMLFILE, HWLOC_SYNTHETIC or HWLOC_FSROOT makes hwloc describe another machine (use "
        "SKUA_TOPOLOGY)";
    return nullptr;
  }
  const hwloc_set allowed(hwloc_bitmap_alloc());
  for (std::uint32_t cpu : cpus_at_start()) hwloc_bitmap_set(allowed.get(), cpu);
  if (hwloc_topology_restrict(tree.get(), allowed.get(), 0) != 0 || pus_of(tree) == 0) {
    why = "hwloc does not find any CPU that this process may use";
    return nullptr;
  }
  return tree;
}

}  // namespace skua::detail
