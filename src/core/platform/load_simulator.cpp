// Loads libskua_simulator.so when a program first simulates. A static library does without this file: there the simulator
// itself defines these two functions (src/simulator/engine_machine.cpp).
#include <dlfcn.h>

#include <string>
#include <string_view>

#include "base/made_once.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/platform/simulator_library.hpp"

namespace skua::core {

namespace {

constexpr std::string_view file_name = SKUA_SIMULATOR_FILE;

/// The folder of this library, with a slash at its end; empty if it is not known.
std::string own_folder() {
  Dl_info library{};
  if (dladdr(reinterpret_cast<const void*>(&make_simulated_machine), &library) == 0 || !library.dli_fname)
    return "";
  const std::string_view file = library.dli_fname;
  return std::string(file.substr(0, file.rfind('/') + 1));
}

[[noreturn]] void refuse(const simulation& wanted, const std::string& why) {
  throw bad_input("the simulated machine '" + wanted.machine + "' needs " + std::string(file_name) +
                  ", and " + why +
                  "; allowed: no simulation, or that library from the same build of skua (" SKUA_VERSION
                  ") beside " SKUA_LIBRARY_FILE);
}

/// Why the loader did not load it; called after a dlopen() that failed.
std::string loader_says() {
  const char* const said = dlerror();
  return said ? said : "the loader gives no reason";
}

const simulator_library* load(const simulation& wanted) {
  const std::string beside = own_folder() + std::string(file_name);
  constexpr int how = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
  // A program may be linked with it, and it may be where the loader looks for libraries.
  void* loaded = dlopen(file_name.data(), how | RTLD_NOLOAD);
  std::string reason;
  if (!loaded && beside != file_name) {
    loaded = dlopen(beside.c_str(), how);
    if (!loaded) reason = loader_says();
  }
  if (!loaded) loaded = dlopen(file_name.data(), how);
  if (!loaded) refuse(wanted, "it cannot be loaded: " + (reason.empty() ? loader_says() : reason));
  const auto* const entry = static_cast<const simulator_library*>(dlsym(loaded, simulator_entry_name));
  if (!entry) refuse(wanted, "another library has that name");
  if (entry->version != std::string_view(SKUA_VERSION))
    refuse(wanted, "the one that was found has version " + std::string(entry->version));
  return entry;
}

constinit base::made_once<const simulator_library*> simulator;

const simulator_library& simulator_for(const simulation& wanted) {
  return *simulator.get([&] { return load(wanted); });
}

}  // namespace

std::shared_ptr<simulated_machine> make_simulated_machine(const simulation& wanted, std::uint64_t seed) {
  return simulator_for(wanted).make_machine(wanted, seed);
}

topology simulated_topology(const simulation& wanted) { return simulator_for(wanted).topology_of(wanted); }

}  // namespace skua::core
