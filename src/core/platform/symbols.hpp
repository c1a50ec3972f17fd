// Addresses of code: the functions and files of the process that hold them, and the callers of a function.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

/// A name for an address of the program that is the same in each process that runs the same build, wherever it is loaded:
/// "BUILD_ID+0xOFFSET" in the loaded file that holds the address. Empty: no file does, or the file has no build id.
std::string place_in_build(std::uint64_t address) noexcept;

/// Fills `to` with the return address `from`, which is on the stack of this thread, and with those of the calls outside of
/// it; zeros where there are no more. About 100 ns for each; no allocation.
void find_callers(const void* from, std::span<std::uint64_t> to) noexcept;

}  // namespace skua::core
