#include "core/choosing/kept_choices.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <elf.h>
#include <exception>
#include <link.h>
#include <span>
#include <string_view>
#include <utility>

#include "core/start/settings.hpp"

namespace skua::core {

namespace {

// FNV-1a: the same number in each process.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

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

std::unique_ptr<kept_choices> kept_choices::of(const settings& options) {
  if (!learnt_file::of_process().is_kept()) return nullptr;
  std::string machine = options.machine.draw();
  machine += options.machine.processor();
  if (options.simulate)
    machine += options.simulate->machine + std::to_string(static_cast<int>(options.simulate->level));
  char text[48];
  std::snprintf(text, sizeof text, "%zu,%016llx", options.workers,
                static_cast<unsigned long long>(hash_of(machine)));
  return std::make_unique<kept_choices>(text);
}

/// Empty: it cannot be named.
std::string kept_choices::place_of(const episode_key& key) const {
  file_search search{key.site};
  dl_iterate_phdr(&file_search::look, &search);
  if (search.found.empty()) return {};
  return search.found + ',' + name_of(key.kind) + ',' + std::to_string(key.size_bits) + ',' + machine_;
}

std::optional<learnt_choice> kept_choices::find(const episode_key& key) const noexcept try {
  const std::string place = place_of(key);
  return place.empty() ? std::nullopt : learnt_file::of_process().choice(place);
} catch (const std::exception&) {
  return std::nullopt;
}

void kept_choices::keep(const episode_key& key, const learnt_choice& chosen) const noexcept try {
  if (const std::string place = place_of(key); !place.empty()) learnt_file::of_process().keep(place, chosen);
} catch (const std::exception&) {  // it is learnt again
}

}  // namespace skua::core
