// Loads libskua_simulator.so when a program first simulates. A static library does without this file: there the simulator
// itself defines these two functions (src/simulator/engine_machine.cpp).
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

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

/// An open file; closed at the end.
class opened {
 public:
  explicit opened(const std::string& name) : file_(open(name.c_str(), O_RDONLY | O_CLOEXEC)) {}
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() {
    if (file_ >= 0) close(file_);
  }
  /// Zero if there is no such file.
  std::uint64_t size() const {
    struct stat facts{};
    return file_ >= 0 && fstat(file_, &facts) == 0 ? static_cast<std::uint64_t>(facts.st_size) : 0;
  }
  bool read(void* to, std::size_t bytes, std::uint64_t at) const {
    return pread(file_, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
  }

 private:
  const int file_;
};

/// How long the headers of a shared library say that its file is; zero where they cannot be read, so that the loader says why.
std::uint64_t promised_size(const opened& file) {
  ElfW(Ehdr) head{};
  constexpr unsigned char own_class = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  if (!file.read(&head, sizeof head, 0) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != own_class || head.e_phentsize != sizeof(ElfW(Phdr)))
    return 0;
  std::uint64_t end = std::max(std::uint64_t{head.e_phoff} + std::uint64_t{head.e_phnum} * head.e_phentsize,
                               std::uint64_t{head.e_shoff} + std::uint64_t{head.e_shnum} * head.e_shentsize);
  std::vector<ElfW(Phdr)> parts(head.e_phnum);
  if (file.read(parts.data(), parts.size() * sizeof(ElfW(Phdr)), head.e_phoff))
    for (const auto& part : parts)
      if (part.p_type == PT_LOAD)
        end = std::max(end, std::uint64_t{part.p_offset} + std::uint64_t{part.p_filesz});
  return end;
}

/// The loader maps a library that is cut off, and the process then ends with SIGBUS.
void refuse_if_cut_off(const simulation& wanted, const std::string& name) {
  const opened file(name);
  const std::uint64_t size = file.size(), promised = promised_size(file);
  if (size < promised)
    refuse(wanted, name + " is cut off: it has " + std::to_string(size) + " of " + std::to_string(promised) +
                       " bytes");
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
    refuse_if_cut_off(wanted, beside);
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
