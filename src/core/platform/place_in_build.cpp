#include "core/platform/symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <exception>
#include <link.h>
#include <span>
#include <utility>

namespace skua::core {

namespace {

std::string hexadecimal(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

/// Of the notes of a loaded segment; empty: there is none.
std::span<const std::uint8_t> build_id_in(std::span<const std::uint8_t> notes) noexcept {
  const auto padded = [](std::size_t size) { return (size + 3) & ~std::size_t{3}; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes.data(), sizeof note);
    const std::size_t name_at = sizeof note, id_at = name_at + padded(note.n_namesz);
    if (id_at + note.n_descsz > notes.size()) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(&notes[name_at], "GNU", 4) == 0)
      return notes.subspan(id_at, note.n_descsz);
    notes = notes.subspan(std::min(notes.size(), id_at + padded(note.n_descsz)));
  }
  return {};
}

/// Finds the loaded file that holds an address.
struct file_search {
  std::uint64_t address;
  std::string found = {};  // "BUILD_ID+0xOFFSET"

  static int look(dl_phdr_info* info, std::size_t, void* search) noexcept {
    return static_cast<file_search*>(search)->is_in(*info);
  }
  bool is_in(const dl_phdr_info& file) noexcept try {
    const std::span segments(file.dlpi_phdr, file.dlpi_phnum);
    bool holds = false;
    for (const auto& one : segments)
      holds |= one.p_type == PT_LOAD && address - file.dlpi_addr - one.p_vaddr < one.p_memsz;
    if (!holds) return false;
    for (const auto& one : segments) {
      if (one.p_type != PT_NOTE) continue;
      const auto* const notes = reinterpret_cast<const std::uint8_t*>(file.dlpi_addr + one.p_vaddr);
      const auto id = build_id_in({notes, one.p_memsz});
      if (id.empty()) continue;
      char offset[24];
      std::snprintf(offset, sizeof offset, "+0x%llx",
                    static_cast<unsigned long long>(address - file.dlpi_addr));
      found = hexadecimal(id) + offset;
      break;
    }
    return true;
  } catch (const std::exception&) {  // no memory: as if there were no build id
    return true;
  }
};

}  // namespace

std::string place_in_build(std::uint64_t address) noexcept {
  file_search search{address};
  dl_iterate_phdr(&file_search::look, &search);
  return std::move(search.found);
}

}  // namespace skua::core
