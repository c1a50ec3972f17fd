#include "cli/kept_runs.hpp"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include <skua/topology.hpp>

namespace skua::cli {

using nlohmann::ordered_json;

namespace {
constexpr std::string_view beginning = "{\"command\":";  // of each line
}  // namespace

kept_runs::kept_runs(const std::string& path) {
  if (path.empty()) return;
  read(path);
  file_.open(path, std::ios::app);
  if (!file_)
    throw bad_input(
        fmt::format("cannot write '{}': {}; allowed: a file in a folder that there is; nearest: runs.jsonl",
                    path, std::strerror(errno)));
}

// A line without an end is of a series that was stopped while it was written: it goes. Of another file nothing may.
void kept_runs::read(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::uintmax_t whole = 0;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (file.eof() && line.starts_with(beginning)) {
      std::error_code refused;  // then it cannot be written to either
      return std::filesystem::resize_file(path, whole, refused);
    }
    take(line, path, number);
    whole += line.size() + 1;
  }
}

void kept_runs::take(const std::string& line, const std::string& path, std::size_t number) try {
  const ordered_json kept = ordered_json::parse(line);
  before_[kept.at("command").get<arguments>()] = {
      .output = kept.at("output"), .complaint = {}, .seconds = kept.at("seconds")};
} catch (const ordered_json::exception&) {
  throw bad_input(fmt::format(
      "line {} of '{}' is no run that was kept; allowed: a file that --keep has written; nearest: a new one",
      number, path));
}

const own_run* kept_runs::find(const arguments& command) const {
  const auto found = before_.find(command);
  return found == before_.end() ? nullptr : &found->second;
}

void kept_runs::add(const arguments& command, const own_run& ran) {
  if (!file_.is_open() || !ran.complaint.empty()) return;
  file_ << ordered_json{{"command", command}, {"output", ran.output}, {"seconds", ran.seconds}}.dump() << '\n'
        << std::flush;
}

}  // namespace skua::cli
