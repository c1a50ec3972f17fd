// The symbol tables of the files that the process has mapped: .symtab where it is left, with functions of one file's own,
// else .dynsym.
#include "core/symbols.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <elf.h>
#include <fstream>
#include <iterator>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <vector>

namespace skua::core {

namespace {

struct mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string path;
};

std::optional<mapping> mapping_of(std::uint64_t address) {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  while (std::getline(maps, line)) {
    mapping m;
    int path_at = 0;
    char rights[8];
    unsigned long long begin, end, offset;
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %*s %n", &begin, &end, rights, &offset, &path_at) <
        4)
      continue;
    if (address < begin || address >= end) continue;
    if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size())
      m.path = line.substr(static_cast<std::size_t>(path_at));
    m.begin = begin;
    m.end = end;
    m.offset = offset;
    return m;
  }
  return std::nullopt;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                     &std::free);
  return status == 0 ? plain.get() : name;
}

/// Of one file: its functions by address, as the file numbers them.
class symbol_table {
 public:
  explicit symbol_table(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    const auto* const header = at<ElfW(Ehdr)>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) return;
    for (unsigned i = 0; i < header->e_phnum; ++i)
      if (const auto* const p = at<ElfW(Phdr)>(header->e_phoff + i * std::uint64_t{header->e_phentsize});
          p && p->p_type == PT_LOAD)
        loads_.push_back(*p);
    for (const auto type : {SHT_SYMTAB, SHT_DYNSYM})
      if (functions_.empty()) read_functions(*header, type);
    std::ranges::sort(functions_, {}, &function::begin);
    bytes_ = {};
  }

  /// Where a byte of the file is, as the file numbers addresses.
  std::uint64_t address_of(std::uint64_t offset) const {
    for (const auto& p : loads_)
      if (offset >= p.p_offset && offset < p.p_offset + p.p_filesz) return p.p_vaddr + (offset - p.p_offset);
    return offset;
  }

  std::optional<std::string> find(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &function::begin);
    // Several may begin there, some without a size.
    for (auto f = after; f != functions_.begin();) {
      --f;
      if (address < f->begin + f->size) return demangled(f->name.c_str());
      if (f->begin + (1u << 20) < address) break;
    }
    return std::nullopt;
  }

 private:
  struct function {
    std::uint64_t begin, size;
    std::string name;
  };

  template <class T>
  const T* at(std::uint64_t offset) const {
    return offset + sizeof(T) <= bytes_.size() && offset % alignof(T) == 0
               ? reinterpret_cast<const T*>(bytes_.data() + offset)
               : nullptr;
  }

  void read_functions(const ElfW(Ehdr) & header, unsigned type) {
    const auto section = [&](std::uint64_t i) {
      return at<ElfW(Shdr)>(header.e_shoff + i * std::uint64_t{header.e_shentsize});
    };
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      const auto* const symbols = section(i);
      if (!symbols || symbols->sh_type != type) continue;
      const auto* const names = section(symbols->sh_link);
      if (!names || names->sh_offset + names->sh_size > bytes_.size()) continue;
      for (std::uint64_t k = 0; k < symbols->sh_size / sizeof(ElfW(Sym)); ++k) {
        const auto* const s = at<ElfW(Sym)>(symbols->sh_offset + k * sizeof(ElfW(Sym)));
        if (!s || (s->st_info & 0xf) != STT_FUNC || s->st_shndx == SHN_UNDEF || s->st_name >= names->sh_size)
          continue;
        const char* const name = bytes_.data() + names->sh_offset + s->st_name;
        functions_.push_back(
            {s->st_value, s->st_size, std::string(name, strnlen(name, names->sh_size - s->st_name))});
      }
    }
  }

  std::vector<char> bytes_;
  std::vector<ElfW(Phdr)> loads_;
  std::vector<function> functions_;
};

const symbol_table& table_of(const std::string& path) {
  static std::mutex guard;
  static auto* const tables = new std::map<std::string, symbol_table>;  // asked when the process ends, too
  const std::lock_guard lock(guard);
  return tables->try_emplace(path, path).first->second;
}

struct place_in_file {
  const symbol_table* symbols;  // null: it is in no file
  std::string file;             // without its folders
  std::uint64_t address;        // as the file numbers it
};

place_in_file place_of(std::uint64_t address) {
  const auto m = mapping_of(address);
  if (!m || m->path.empty() || m->path.front() != '/') return {nullptr, "", address};
  const symbol_table& symbols = table_of(m->path);
  return {&symbols, m->path.substr(m->path.rfind('/') + 1),
          symbols.address_of(address - m->begin + m->offset)};
}

std::string with_offset(std::string_view file, std::uint64_t address) {
  std::ostringstream text;
  text << file << "+0x" << std::hex << address;
  return text.str();
}

}  // namespace

std::string function_at(std::uint64_t address) {
  const place_in_file p = place_of(address);
  if (p.symbols)
    if (auto name = p.symbols->find(p.address)) return *name;
  return with_offset(p.file, p.address);
}

std::string place_at(std::uint64_t address) {
  const place_in_file p = place_of(address);
  return with_offset(p.file, p.address);
}

}  // namespace skua::core
