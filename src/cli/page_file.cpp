#include "cli/page_file.hpp"

#include <stdexcept>

#include <skua/topology.hpp>

namespace skua::cli {

page_file::page_file(const std::string& path) : path_(path) {
  if (path.empty()) return;
  file_.open(path);
  if (!file_) throw bad_input("'" + path + "' cannot be written; allowed: a file in a folder that exists");
}

void page_file::write(const std::function<std::string()>& text) {
  if (path_.empty()) return;
  file_ << text();
  file_.close();
  if (!file_) throw std::runtime_error("'" + path_ + "' could not be written");
}

}  // namespace skua::cli
