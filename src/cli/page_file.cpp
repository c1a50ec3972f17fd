#include "cli/page_file.hpp"

#include <filesystem>
#include <stdexcept>

#include <skua/topology.hpp>

#include "observe/whole_file.hpp"

namespace skua::cli {

page_file::page_file(const std::string& path, std::string_view ending) : path_(path) {
  if (path.empty()) return;
  if (!path.ends_with(ending))
    throw bad_input(
        "'" + path + "' would hold another kind of file than it says; allowed: a name that ends in " +
        std::string(ending) + "; nearest: " + std::filesystem::path(path).replace_extension(ending).string());
  if (!observe::can_be_written(path))
    throw bad_input("'" + path + "' cannot be written; allowed: a file in a folder that exists");
}

void page_file::write(const std::function<std::string()>& text) {
  if (path_.empty()) return;
  if (!observe::write_whole(path_, text())) throw std::runtime_error("'" + path_ + "' could not be written");
}

}  // namespace skua::cli
