// Reads the symbol tables of the files that the process has mapped: .symtab, which has functions with internal linkage too,
// or .dynsym in a stripped file.
#include "core/platform/symbols.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <map>
#include <optional>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <unwind.h>
#include <utility>
#include <vector>

namespace skua::core {

namespace {

struct mapping {
  std::uint64_t begin = 0, end = 0, offset = 0;
  std::string path;
};

std::optional<mapping> read_mapping(const std::string& line) {
  int path_at = 0;
  char rights[8];
  unsigned long long begin, end, offset;
  if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx %*s %*s %n", &begin, &end, rights, &offset, &path_at) < 4)
    return std::nullopt;
  mapping m{begin, end, offset, ""};
  if (path_at > 0 && static_cast<std::size_t>(path_at) < line.size())
    m.path = line.substr(static_cast<std::size_t>(path_at));
  return m;
}

/// By ascending address.
std::vector<mapping> all_mappings() {
  std::vector<mapping> all;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (auto m = read_mapping(line)) all.push_back(std::move(*m));
  return all;
}

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                     &std::free);
  return status == 0 ? plain.get() : name;
}

/// Read in parts. A mapped file would raise SIGBUS if another program rewrites it meanwhile.
class binary_file {
 public:
  explicit binary_file(const std::string& path) : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat about;
    if (descriptor_ >= 0 && ::fstat(descriptor_, &about) == 0)
      size_ = static_cast<std::uint64_t>(about.st_size);
  }
  ~binary_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  binary_file(const binary_file&) = delete;
  binary_file& operator=(const binary_file&) = delete;

  /// So many bytes as objects of type T; empty where the file does not have all of them.
  template <class T>
  std::vector<T> read(std::uint64_t offset, std::uint64_t bytes) const {
    if (offset > size_ || bytes > size_ - offset) return {};
    std::vector<T> objects(bytes / sizeof(T));
    auto* const to = reinterpret_cast<char*>(objects.data());
    const std::size_t wanted = objects.size() * sizeof(T);
    for (std::size_t done = 0; done < wanted;) {
      const ssize_t n = ::pread(descriptor_, to + done, wanted - done, static_cast<off_t>(offset + done));
      if (n <= 0) return {};
      done += static_cast<std::size_t>(n);
    }
    return objects;
  }

 private:
  int descriptor_;
  std::uint64_t size_ = 0;
};

/// The functions of one file, by the addresses that the file uses.
class symbol_table {
 public:
  explicit symbol_table(const std::string& path) {
    const binary_file file(path);
    const auto headers = file.read<ElfW(Ehdr)>(0, sizeof(ElfW(Ehdr)));
    if (headers.empty()) return;
    const ElfW(Ehdr)& header = headers.front();
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header.e_ident[EI_CLASS] != (sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32)) return;
    if (header.e_phentsize == sizeof(ElfW(Phdr)))
      for (const auto& p :
           file.read<ElfW(Phdr)>(header.e_phoff, header.e_phnum * std::uint64_t{sizeof(ElfW(Phdr))}))
        if (p.p_type == PT_LOAD) loads_.push_back(p);
    if (header.e_shentsize != sizeof(ElfW(Shdr))) return;
    const auto sections =
        file.read<ElfW(Shdr)>(header.e_shoff, header.e_shnum * std::uint64_t{sizeof(ElfW(Shdr))});
    for (const unsigned type : {SHT_SYMTAB, SHT_DYNSYM})
      if (functions_.empty()) read_functions(file, sections, type);
    std::ranges::sort(functions_, {}, &function::begin);
  }

  /// The file's address of a byte at that offset.
  std::uint64_t address_of(std::uint64_t offset) const {
    for (const auto& p : loads_)
      if (offset >= p.p_offset && offset < p.p_offset + p.p_filesz) return p.p_vaddr + (offset - p.p_offset);
    return offset;
  }

  std::optional<std::string> find(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &function::begin);
    // Several symbols may begin there, some without a size.
    for (auto f = after; f != functions_.begin();) {
      --f;
      if (address < f->begin + f->size) return demangled(names_.data() + f->name);
      if (f->begin + (1u << 20) < address) break;
    }
    return std::nullopt;
  }

 private:
  struct function {
    std::uint64_t begin, size;
    std::size_t name;  // where it begins in names_
  };

  void read_functions(const binary_file& file, const std::vector<ElfW(Shdr)>& sections, unsigned type) {
    for (const auto& symbols : sections) {
      if (symbols.sh_type != type || symbols.sh_link >= sections.size()) continue;
      const auto& strings = sections[symbols.sh_link];
      const auto names = file.read<char>(strings.sh_offset, strings.sh_size);
      const std::size_t base = names_.size();
      names_.insert(names_.end(), names.begin(), names.end());
      names_.push_back('\0');  // of the last one
      for (const auto& s : file.read<ElfW(Sym)>(symbols.sh_offset, symbols.sh_size))
        if ((s.st_info & 0xf) == STT_FUNC && s.st_shndx != SHN_UNDEF && s.st_name < names.size())
          functions_.push_back({s.st_value, s.st_size, base + s.st_name});
    }
  }

  std::vector<ElfW(Phdr)> loads_;
  std::vector<char> names_;
  std::vector<function> functions_;
};

struct location_in_file {
  const symbol_table* symbols;  // null: the address is in no file
  std::string file;             // its name without folders
  std::uint64_t address;        // in the file's numbering
};

std::string with_offset(std::string_view file, std::uint64_t address) {
  std::ostringstream text;
  text << file << "+0x" << std::hex << address;
  return text.str();
}

}  // namespace

struct symbols::files {
  std::vector<mapping> mappings = all_mappings();
  std::map<std::string, symbol_table> tables;

  /// Null: in no file.
  const mapping* mapping_of(std::uint64_t address) const {
    const auto m = std::ranges::upper_bound(mappings, address, {}, &mapping::end);
    const bool is_in_file =
        m != mappings.end() && address >= m->begin && !m->path.empty() && m->path.front() == '/';
    return is_in_file ? &*m : nullptr;
  }

  location_in_file locate(std::uint64_t address) {
    const mapping* const m = mapping_of(address);
    if (!m) return {nullptr, "", address};
    const symbol_table& symbols = tables.try_emplace(m->path, m->path).first->second;
    return {&symbols, m->path.substr(m->path.rfind('/') + 1),
            symbols.address_of(address - m->begin + m->offset)};
  }
};

symbols::symbols() : files_(std::make_unique<files>()) {}
symbols::~symbols() = default;

std::string symbols::function_at(std::uint64_t address) {
  const location_in_file p = files_->locate(address);
  if (p.symbols)
    if (auto name = p.symbols->find(p.address)) return *name;
  return with_offset(p.file, p.address);
}

std::string symbols::file_at(std::uint64_t address) {
  const mapping* const m = files_->mapping_of(address);
  return m ? m->path : "";
}

std::string symbols::location_at(std::uint64_t address) {
  const location_in_file p = files_->locate(address);
  return with_offset(p.file, p.address);
}

void keep_loaded(const void* address) noexcept {
  Dl_info library{};
  link_map* loaded = nullptr;
  if (dladdr1(address, &library, reinterpret_cast<void**>(&loaded), RTLD_DL_LINKMAP) == 0) return;
  if (loaded->l_name[0] == '\0') return;  // the program itself
  dlopen(loaded->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

namespace {

struct walk {
  std::span<std::uint64_t> to;
  std::size_t found = 1;
  bool begun = false;
  int left = 16;  // functions of the library, before the call is found
};

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* data) {
  walk& all = *static_cast<walk*>(data);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(frame));
  if (all.begun)
    all.to[all.found++] = address;
  else
    all.begun = address == all.to[0];
  return all.found == all.to.size() || --all.left == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void find_callers(const void* from, std::span<std::uint64_t> to) noexcept {
  std::ranges::fill(to, 0);
  to[0] = reinterpret_cast<std::uint64_t>(from);
  walk all{to};
  _Unwind_Backtrace(&visit, &all);
}

}  // namespace skua::core
