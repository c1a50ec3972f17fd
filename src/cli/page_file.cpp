#include "cli/page_file.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include <skua/topology.hpp>

#include "base/whole_file.hpp"
#include "base/nearest_name.hpp"

namespace skua::cli {

page_file::page_file(const std::string& path, std::initializer_list<std::string_view> endings) : path_(path) {
  if (path.empty()) return;
  if (path == "-")
    throw bad_input(
        "'-' is no name of a file; allowed: a file in a folder that exists; nearest: /dev/stdout");
  const bool fits = std::ranges::any_of(endings, [&](std::string_view one) { return path.ends_with(one); });
  if (!fits && endings.size() != 0)
    throw bad_input("'" + path +
                    "' would hold another kind of file than it says; allowed: a name that ends in " +
                    detail::list_of_names({endings.begin(), endings.end()}) +
                    "; nearest: " + std::filesystem::path(path).replace_extension(*endings.begin()).string());
  if (!observe::can_be_written(path))
    throw bad_input("'" + path + "' cannot be written; allowed: a file in a folder that exists");
}

void page_file::write(const std::function<std::string()>& text) {
  if (path_.empty()) return;
  if (!observe::write_whole(path_, text())) throw std::runtime_error("'" + path_ + "' could not be written");
}

}  // namespace skua::cli
