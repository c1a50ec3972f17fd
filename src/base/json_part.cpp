#include "base/json_part.hpp"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <skua/topology.hpp>

#include "base/nearest_name.hpp"

namespace skua::base {

using nlohmann::json;

namespace {

std::string as_text(double number) { return json(number).dump(); }
std::string as_text(std::uint64_t number) { return std::to_string(number); }

template <class T>
std::string range(T min, T max) {
  return as_text(min) + " to " + as_text(max);
}

std::size_t line_of(std::string_view text, std::size_t byte) {
  return 1 +
         static_cast<std::size_t>(std::count(
             text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size())), '\n'));
}

}  // namespace

json_part json_part::whole(std::string_view file, std::string_view text, json& parsed,
                           std::string_view allowed) {
  try {
    parsed = json::parse(text);
  } catch (const json::parse_error& e) {
    throw bad_input(std::string(file) + ":" + std::to_string(line_of(text, e.byte)) +
                    ": this is not JSON; allowed: " + std::string(allowed));
  }
  const json_part all(file, "", parsed);
  if (!parsed.is_object()) all.refuse(all.shown(), std::string(allowed));
  return all;
}

std::optional<json_part> json_part::find(std::string_view key) const {
  const json& here = bare();
  const auto at = here.is_object() ? here.find(key) : here.end();
  if (at == here.end()) return std::nullopt;
  return json_part(file_, name_of(key), *at);
}

std::string json_part::name_of(std::string_view key) const {
  return (name_.empty() ? "" : name_ + ".") + std::string(key);
}

json_part json_part::member(std::string_view key) const {
  if (const auto found = find(key)) return *found;
  throw bad_input(file_ + ": " + name_of(key) + " is missing");
}

void json_part::allow_only(std::span<const std::string_view> keys) const {
  for (const auto& [key, value] : bare().items())
    if (std::ranges::find(keys, key) == keys.end())
      throw bad_input(file_ + ": " + name_of(key) + " is not known here; allowed: " + list_of_names(keys) +
                      or_nearest(key, keys));
}

std::vector<json_part> json_part::list() const {
  const json& here = bare();
  if (!here.is_array() || here.empty()) refuse(shown(), "a list of one or more");
  std::vector<json_part> parts;
  for (std::size_t i = 0; i < here.size(); ++i)
    parts.push_back(json_part(file_, name_ + "[" + std::to_string(i) + "]", here[i]));
  return parts;
}

std::vector<std::pair<std::string, json_part>> json_part::members() const {
  if (!bare().is_object()) refuse(shown(), "an object");
  std::vector<std::pair<std::string, json_part>> parts;
  for (const auto& [key, value] : bare().items())
    parts.emplace_back(key, json_part(file_, name_of(key), value));
  return parts;
}

std::string json_part::word() const {
  if (is_text()) return text();
  if (bare().is_boolean()) return yes_or_no() ? "yes" : "no";
  if (!is_number()) refuse(shown(), "a text, a number, true or false");
  return bare().dump();
}

bool json_part::yes_or_no() const {
  if (!bare().is_boolean()) refuse(shown(), "true or false");
  return bare().get<bool>();
}

bool json_part::is_text() const { return bare().is_string(); }
bool json_part::is_number() const { return bare().is_number(); }
bool json_part::is_list() const { return bare().is_array(); }

std::string json_part::text() const {
  if (!bare().is_string()) refuse(shown(), "a text");
  return bare().get<std::string>();
}

std::uint64_t json_part::whole_number(std::uint64_t min, std::uint64_t max) const {
  const json& here = bare();
  if (here.is_number_unsigned() && here.get<std::uint64_t>() >= min && here.get<std::uint64_t>() <= max)
    return here.get<std::uint64_t>();
  std::string nearest;
  if (here.is_number())
    nearest = "; nearest: " + std::to_string(std::llround(std::clamp(
                                  here.get<double>(), static_cast<double>(min), static_cast<double>(max))));
  refuse(shown(), "whole numbers from " + range(min, max) + nearest);
}

double json_part::number(double min, double max) const {
  const json& here = bare();
  if (!here.is_number()) refuse(shown(), range(min, max));
  const double given = here.get<double>();
  if (!(given >= min && given <= max))
    refuse(shown(), range(min, max) + "; nearest: " + as_text(std::clamp(given, min, max)));
  return given;
}

std::vector<std::vector<unsigned>> json_part::square(std::size_t size, const std::string& of, unsigned itself,
                                                     unsigned min, unsigned max) const {
  const auto cells_of = [&](const json_part& part) {
    std::vector<json_part> cells = part.list();
    if (cells.size() != size)
      part.refuse(std::to_string(cells.size()) + " long", std::to_string(size) + ", one for each " + of);
    return cells;
  };
  std::vector<std::vector<unsigned>> rows;
  for (const json_part& row : cells_of(*this)) {
    rows.emplace_back();
    for (const json_part& cell : cells_of(row)) {
      const bool own = rows.back().size() + 1 == rows.size();
      rows.back().push_back(cell.whole(own ? itself : min, own ? itself : max));
    }
  }
  return rows;
}

void json_part::refuse(const std::string& is, const std::string& allowed) const {
  throw bad_input(file_ + ": " + (name_.empty() ? "the file" : name_) + " is " + is +
                  "; allowed: " + allowed);
}

const json& json_part::bare() const {
  return value_->is_object() && value_->contains("v") ? value_->at("v") : *value_;
}

std::string json_part::shown() const {
  const std::string all = bare().dump(-1, ' ', false, json::error_handler_t::replace);
  return all.size() > 60 ? all.substr(0, 60) + "..." : all;
}

}  // namespace skua::base
