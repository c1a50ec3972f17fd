#include "cli/report_records.hpp"

#ifdef SKUA_HAS_LIBDW

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <sys/stat.h>

#include <charconv>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace skua::cli {

namespace {

struct source_line {
  std::string file;
  int line = 0;

  bool is_of_program() const {
    if (line <= 0 || file.empty() || file.starts_with("include/skua/")) return false;
    for (const std::string_view folder : {"/include/skua/", "/c++/"})
      if (file.find(folder) != std::string::npos) return false;
    return true;
  }
};
using maybe_line = std::optional<source_line>;

maybe_line line_of_program(const char* file, int line) {
  source_line at{file ? file : "", line};
  if (!at.is_of_program()) return std::nullopt;
  return at;
}

bool follow(Dwarf_Die& from, unsigned attribute, Dwarf_Die& to) {
  Dwarf_Attribute found;
  return dwarf_attr(&from, attribute, &found) && dwarf_formref_die(&found, &to);
}

/// By two attributes of the entry. dwarf_decl_file() does not know the first file of DWARF 5, which has the number 0.
maybe_line line_in(Dwarf_Die& entry, unsigned file_attribute, unsigned line_attribute) {
  Dwarf_Attribute attribute;
  Dwarf_Word file = 0, line = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  std::size_t number = 0;
  if (dwarf_formudata(dwarf_attr(&entry, file_attribute, &attribute), &file) != 0 ||
      dwarf_formudata(dwarf_attr(&entry, line_attribute, &attribute), &line) != 0 ||
      !dwarf_diecu(&entry, &unit, nullptr, nullptr) || dwarf_getsrcfiles(&unit, &files, &number) != 0)
    return std::nullopt;
  return line_of_program(dwarf_filesrc(files, file, nullptr, nullptr), static_cast<int>(line));
}

/// The functions that hold the address, those inlined last. False if there is none.
bool add_functions(Dwarf_Die& parent, Dwarf_Addr address, std::vector<Dwarf_Die>& all) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0) return false;
  do {
    switch (dwarf_tag(&child)) {
      case DW_TAG_subprogram:
      case DW_TAG_inlined_subroutine:
        if (dwarf_haspc(&child, address) > 0) {
          all.push_back(child);
          add_functions(child, address, all);
          return true;
        }
        [[fallthrough]];  // functions of a class in a function lie elsewhere
      case DW_TAG_lexical_block:
      case DW_TAG_namespace:
      case DW_TAG_class_type:
      case DW_TAG_structure_type:
        if (add_functions(child, address, all)) return true;
        break;
      default:
        break;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

maybe_line line_of_arguments(Dwarf_Die instance, int depth);

maybe_line line_of_type(Dwarf_Die type, int depth) {
  while (dwarf_tag(&type) != DW_TAG_structure_type && dwarf_tag(&type) != DW_TAG_class_type)
    if (!follow(type, DW_AT_type, type)) return std::nullopt;  // of a reference, a pointer or a const type
  if (auto found = line_in(type, DW_AT_decl_file, DW_AT_decl_line)) return found;
  return line_of_arguments(type, depth + 1);
}

/// The first type among the arguments of a template, or in theirs, that the program declares: the body of a loop, say.
maybe_line line_of_arguments(Dwarf_Die instance, int depth) {
  constexpr int deep = 8;
  Dwarf_Die child, other;
  if (depth > deep) return std::nullopt;
  if (dwarf_child(&instance, &child) == 0) do {
      const int tag = dwarf_tag(&child);
      maybe_line found;
      if (tag == DW_TAG_GNU_template_parameter_pack)
        found = line_of_arguments(child, depth + 1);
      else if (tag == DW_TAG_template_type_parameter && follow(child, DW_AT_type, other))
        found = line_of_type(other, depth);
      if (found) return found;
    } while (dwarf_siblingof(&child, &child) == 0);
  for (const unsigned origin : {DW_AT_abstract_origin, DW_AT_specification})
    if (follow(instance, origin, other))
      if (auto found = line_of_arguments(other, depth + 1)) return found;
  return std::nullopt;
}

maybe_line line_of_address(Dwarf_Die& unit, Dwarf_Addr address) {
  Dwarf_Line* const at = dwarf_getsrc_die(&unit, address);
  int line = 0;
  if (!at || dwarf_lineno(at, &line) != 0) return std::nullopt;
  return line_of_program(dwarf_linesrc(at, nullptr, nullptr), line);
}

/// One file with its debug information, which may lie in a file of its own.
class debug_information {
 public:
  explicit debug_information(const std::string& path) : all_(dwfl_begin(&callbacks), &dwfl_end) {
    if (!all_) return;
    Dwfl_Module* const module = dwfl_report_offline(all_.get(), "", path.c_str(), -1);
    dwfl_report_end(all_.get(), nullptr, nullptr);
    Dwarf_Addr moved_by = 0;
    if (module) dwarf_ = dwfl_module_getdwarf(module, &moved_by);
  }

  maybe_line at(Dwarf_Addr address) {
    Dwarf_Die unit;
    if (!dwarf_ || !find_unit(address, unit)) return std::nullopt;
    if (auto line = line_of_address(unit, address)) return line;
    std::vector<Dwarf_Die> functions;
    add_functions(unit, address, functions);
    for (auto one = functions.rbegin(); one != functions.rend(); ++one)
      if (auto line = line_in(*one, DW_AT_call_file, DW_AT_call_line)) return line;
    for (auto one = functions.rbegin(); one != functions.rend(); ++one)
      if (auto line = line_of_arguments(*one, 0)) return line;
    return std::nullopt;
  }

 private:
  // Not by dwarf_addrdie(): clang writes no table of addresses.
  bool find_unit(Dwarf_Addr address, Dwarf_Die& unit) const {
    Dwarf_CU* one = nullptr;
    while (dwarf_get_units(dwarf_, one, &one, nullptr, nullptr, &unit, nullptr) == 0)
      if (dwarf_haspc(&unit, address) > 0) return true;
    return false;
  }

  static inline char* debug_path = nullptr;  // the usual folders
  static inline const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                               .find_debuginfo = dwfl_standard_find_debuginfo,
                                               .section_address = dwfl_offline_section_address,
                                               .debuginfo_path = &debug_path};

  std::unique_ptr<Dwfl, void (*)(Dwfl*)> all_;
  Dwarf* dwarf_ = nullptr;
};

/// Whether the file was written after the run: its lines may be others now.
bool is_newer(const std::string& file, const std::string& when) {
  std::tm ended{};
  struct stat about;
  if (!strptime(when.c_str(), "%Y-%m-%d %H:%M:%S", &ended) || stat(file.c_str(), &about) != 0) return true;
  return about.st_mtime > timegm(&ended);
}

class line_finder {
 public:
  explicit line_finder(const std::string& when) : when_(when) {}

  /// `site`: a call_site_record or a lock_record.
  void add_to(auto& site) {
    const std::size_t number = site.address.rfind("+0x");
    if (site.file.empty() || number == std::string::npos || is_newer(site.file, when_)) return;
    std::uint64_t address = 0;
    const char* const end = site.address.data() + site.address.size();
    if (std::from_chars(site.address.data() + number + 3, end, address, 16).ptr != end || address == 0)
      return;
    // The byte before, since a return address may belong to the next line.
    const auto found = files_.try_emplace(site.file, site.file).first->second.at(address - 1);
    if (found)
      site.line = std::filesystem::path(found->file).filename().string() + ":" + std::to_string(found->line);
  }

 private:
  const std::string& when_;
  std::map<std::string, debug_information> files_;
};

}  // namespace

void add_source_lines(observe::run_record& run) {
  line_finder lines(run.when);
  if (run.work_span)
    for (observe::call_site_record& site : run.work_span->sites) lines.add_to(site);
  for (observe::lock_record& lock : run.locks) lines.add_to(lock);
}

}  // namespace skua::cli

#else

namespace skua::cli {

void add_source_lines(observe::run_record&) {}

}  // namespace skua::cli

#endif
