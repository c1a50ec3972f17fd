// The files that the process has loaded: the names of their functions by address, and which of them stay loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace skua::core {

/// The files that are mapped now, for all addresses of one report. A file is read when an address in it is first looked
/// up, and only the names of its functions. They may be large and are freed with the object. For one thread; hold no
/// lock meanwhile.
class symbols {
 public:
  symbols();
  ~symbols();
  symbols(const symbols&) = delete;
  symbols& operator=(const symbols&) = delete;

  /// The demangled name of the function that holds the address, also of a function with internal linkage. For a stripped
  /// file: "program+0x12ab".
  std::string function_at(std::uint64_t address);
  /// "program+0x12ab", as addr2line and the disassemblers number it.
  std::string location_at(std::uint64_t address);
  /// The file that holds the address, with its folders; empty: none.
  std::string file_at(std::uint64_t address);

 private:
  struct files;
  std::unique_ptr<files> files_;
};

/// Keeps the library that contains this address loaded, also after dlclose().
void keep_loaded(const void* address) noexcept;

}  // namespace skua::core
