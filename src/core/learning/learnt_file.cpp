#include "core/learning/learnt_file.hpp"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/environment.hpp"
#include "base/made_once.hpp"
#include "base/whole_file.hpp"

namespace skua::core {

namespace {

constexpr std::string_view of_any_version = "skua learnt ", first_line = "skua learnt 2";
/// A negative number is read as a large one.
constexpr std::uint64_t too_much = std::uint64_t{1} << 62;
constexpr std::uint32_t too_many = std::uint32_t{1} << 31;

std::optional<std::pair<std::string, learnt_region>> region_in(std::istringstream& words) {
  std::string name;
  learnt_region seen;
  if (!(words >> name >> seen.input_bytes >> seen.branching >> seen.depth) || seen.branching < 2 ||
      seen.input_bytes >= too_much)
    return std::nullopt;
  for (std::uint64_t bytes = 0; words >> bytes;) seen.bytes_by_level.push_back(bytes);
  if (!words.eof()) return std::nullopt;
  return std::pair(std::move(name), std::move(seen));
}

std::optional<std::pair<std::string, learnt_choice>> choice_in(std::istringstream& words) {
  std::string place, policy, more;
  std::uint32_t number = 0;
  double ns = 0, deviation = 0;
  if (!(words >> place >> policy >> number >> ns >> deviation) || words >> more) return std::nullopt;
  if (number < 2 || number >= too_many || !(ns > 0) || !(deviation >= 0 && deviation < 1e3 * ns))
    return std::nullopt;
  return std::pair(std::move(place), learnt_choice{std::move(policy), samples(number, ns, deviation)});
}

void complain_once(const std::string& path, const std::string& what) {
  static constinit std::atomic<bool> complained{false};
  if (!complained.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "skua: file '%s' (SKUA_LEARNT)%s\n", path.c_str(), what.c_str());
}

}  // namespace

learnt_file& learnt_file::of_process() {
  static constinit base::made_once<learnt_file> one;  // regions may run until the process ends
  return one.get([] { return learnt_file(std::string(base::variable("SKUA_LEARNT"))); });
}

void learnt_file::say_if_unusable() noexcept {
  static constinit std::atomic<bool> looked{false};
  if (looked.exchange(true, std::memory_order_relaxed)) return;
  try {
    const std::string path(base::variable("SKUA_LEARNT"));
    std::error_code ignored;
    // A file that can only be read is of use. A folder can be opened, too.
    const bool readable = std::ifstream(path).is_open() && !std::filesystem::is_directory(path, ignored);
    if (path.empty() || readable || base::can_be_written(path)) return;
    complain_once(path, " cannot be written, and nothing is kept; allowed: a file in a folder that exists");
  } catch (...) {  // no memory for a warning
  }
}

learnt_file::learnt_file(std::string path) : path_(std::move(path)) { known_ = read(); }

learnt_file::contents learnt_file::read() {
  std::ifstream file(path_);
  std::string line;
  if (path_.empty() || !file || !std::getline(file, line)) return {};  // nothing learnt yet
  if (line != first_line) {
    const bool ours = line.starts_with(of_any_version);
    if (!ours) state_ = state::foreign;
    complain_once(path_,
                  ours ? " is of another version of skua and is ignored"
                       : " was not written by skua and is left alone; what this process learns is not kept");
    return {};
  }
  contents all;
  for (std::size_t number = 2; std::getline(file, line); ++number) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    bool good = false;
    if (kind == "region")
      if (auto one = region_in(words)) good = all.regions.insert(std::move(*one)).second;
    if (kind == "policy")
      if (auto one = choice_in(words)) good = all.choices.insert(std::move(*one)).second;
    if (good) continue;
    complain_once(path_, " is damaged in line " + std::to_string(number) + " and is ignored");
    return {};
  }
  return all;
}

std::optional<learnt_region> learnt_file::region(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.regions.find(name);
  return found == known_.regions.end() ? std::nullopt : std::optional(found->second);
}

std::optional<learnt_choice> learnt_file::choice(const std::string& place) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.choices.find(place);
  return found == known_.choices.end() ? std::nullopt : std::optional(found->second);
}

void learnt_file::keep(const std::string& name, const learnt_region& seen) {
  const std::lock_guard lock(mutex_);
  known_.regions.insert_or_assign(name, seen);  // leaves no name without a value when there is no memory
  if (path_.empty()) return;
  own_.regions.insert_or_assign(name, seen);
  write();
}

void learnt_file::keep(const std::string& place, const learnt_choice& chosen) {
  const std::lock_guard lock(mutex_);
  known_.choices.insert_or_assign(place, chosen);
  if (path_.empty()) return;
  own_.choices.insert_or_assign(place, chosen);
  write();
}

/// What this process has learnt, what other processes have written meanwhile, and what was there before, in this order.
void learnt_file::write() {
  contents others = read();
  if (state_ == state::foreign) return;
  contents all = own_;
  for (contents* const older : {&others, &known_}) {
    all.regions.merge(older->regions);
    all.choices.merge(older->choices);
  }
  known_ = std::move(all);
  std::ostringstream text;
  text.precision(17);
  text << first_line << '\n';
  for (const auto& [name, seen] : known_.regions) {
    text << "region " << name << ' ' << seen.input_bytes << ' ' << seen.branching << ' ' << seen.depth;
    for (const std::uint64_t bytes : seen.bytes_by_level) text << ' ' << bytes;
    text << '\n';
  }
  for (const auto& [place, chosen] : known_.choices)
    text << "policy " << place << ' ' << chosen.policy << ' ' << chosen.measured.number() << ' '
         << chosen.measured.mean() << ' ' << chosen.measured.deviation() << '\n';
  if (!base::write_whole(path_, text.str()))
    complain_once(path_, " cannot be written; what this process learns is lost when it ends");
}

}  // namespace skua::core
