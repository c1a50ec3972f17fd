#include "topology/affinity.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "base/environment.hpp"

namespace skua::detail {
namespace {

// Wheels of Python carry copies under names such as libgomp-a34b3233.so.1.0.0.
std::string path_of_libgomp() {
  std::string path;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const std::string_view name(library->dlpi_name);
        if (name.substr(name.rfind('/') + 1).starts_with("libgomp")) *static_cast<std::string*>(found) = name;
        return static_cast<std::string*>(found)->empty() ? 0 : 1;
      },
      &path);
  return path;
}

/// A library that is already in this process.
class loaded_library {
 public:
  explicit loaded_library(const std::string& path)
      : handle_(path.empty() ? nullptr : dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}
  ~loaded_library() {
    if (handle_) dlclose(handle_);
  }
  loaded_library(const loaded_library&) = delete;
  loaded_library& operator=(const loaded_library&) = delete;

  template <class Function>
  Function* function(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_;
};

bool says_no(std::string_view value) {
  return std::ranges::equal(value, std::string_view("false"),
                            [](char a, char b) { return a == b || a == b - 'a' + 'A'; });
}

}  // namespace

std::string openmp_binding() {
  if (says_no(base::variable("OMP_PROC_BIND"))) return {};
  for (const char* name : {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"})
    if (const std::string_view value = base::variable(name); !value.empty())
      return std::string(name) + " is '" + std::string(value.substr(0, 200)) + "'";
  return {};
}

openmp_cpus cpus_of_openmp() {
  if (openmp_binding().empty()) return {};
  const loaded_library libgomp(path_of_libgomp());
  auto* const count = libgomp.function<int()>("omp_get_num_procs");
  auto* const places = libgomp.function<int()>("omp_get_num_places");
  auto* const size_of = libgomp.function<int(int)>("omp_get_place_num_procs");
  auto* const read = libgomp.function<void(int, int*)>("omp_get_place_proc_ids");
  if (!count || !places || !size_of || !read) return {};
  openmp_cpus found{.count = static_cast<std::size_t>(std::max(0, count())), .places = {}};
  for (int place = 0; place < places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, size_of(place))));
    read(place, ids.data());
    for (const int id : ids)
      if (id >= 0) found.places.push_back(static_cast<std::uint32_t>(id));
  }
  return found;
}

}  // namespace skua::detail
