#include "cli/output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include <skua/topology.hpp>

#include "base/nearest_name.hpp"
#include "base/whole_file.hpp"

namespace skua::cli {
namespace {

bad_input cannot_write(const std::string& what) {
  return bad_input(fmt::format("{} cannot be written; allowed: a file in a folder that exists", what));
}

}  // namespace

void print_json_text(const nlohmann::ordered_json& all, int indent) {
  fmt::print("{}\n", all.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
}

page_file::page_file(const std::string& path, std::initializer_list<std::string_view> endings) : path_(path) {
  if (path.empty()) return;
  if (path == "-")
    throw bad_input("'-' is not a file name; allowed: a file in a folder that exists; nearest: /dev/stdout");
  const bool fits = std::ranges::any_of(endings, [&](std::string_view one) { return path.ends_with(one); });
  if (!fits && endings.size() != 0)
    throw bad_input(fmt::format("'{}' has the wrong ending; allowed: a name that ends in {}; nearest: {}",
                                path, base::list_of_names({endings.begin(), endings.end()}),
                                std::filesystem::path(path).replace_extension(*endings.begin()).string()));
  if (!base::can_be_written(path)) throw cannot_write(fmt::format("'{}'", path));
}

void page_file::write(const std::function<std::string()>& text) {
  if (path_.empty()) return;
  if (!base::write_whole(path_, text()))
    throw std::runtime_error(fmt::format("'{}' could not be written", path_));
}

void check_can_write(const std::string& option, const std::string& path) {
  if (path == "-")
    throw bad_input(fmt::format(
        "{0} '-' is not a file name; allowed: a file in a folder that exists; nearest: {0} /dev/stdout",
        option));
  if (!base::can_be_written(path)) throw cannot_write(fmt::format("{} '{}'", option, path));
}

void write_file(const std::string& option, const std::string& path, const std::string& text) {
  if (!base::write_whole(path, text)) throw cannot_write(fmt::format("{} '{}'", option, path));
}

}  // namespace skua::cli
