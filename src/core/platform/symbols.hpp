// The names of functions by address, which src/host reads from the program's files.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace skua::core {

/// What is mapped now, for all addresses of one report: each file is read when it is first asked for, and only what names
/// its functions. It may be large, and goes with this. One thread's; no lock should be held meanwhile.
class symbols {
 public:
  symbols();
  ~symbols();
  symbols(const symbols&) = delete;
  symbols& operator=(const symbols&) = delete;

  /// The demangled name of the function that holds the address, also of one that no other file may use; where the file has
  /// been stripped of it, "program+0x12ab".
  std::string function_at(std::uint64_t address);
  /// "program+0x12ab", as addr2line and the disassemblers number it.
  std::string location_at(std::uint64_t address);

 private:
  struct files;
  std::unique_ptr<files> files_;
};

}  // namespace skua::core
