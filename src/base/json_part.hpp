// A part of a JSON file with its name, so that a refusal can say which value of which file is wrong.
//
// Only .cpp files include nlohmann-json itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/for_simulator.hpp"

namespace skua::base {

class json_part {
 public:
  /// A whole file. Throws bad_input with the line, and what is allowed, if the text is not a JSON object. The parts refer
  /// to `parsed`.
  SKUA_FOR_SIMULATOR static json_part whole(std::string_view file, std::string_view text,
                                            nlohmann::json& parsed,
                                            std::string_view allowed = "a machine as in machines/*.json");

  /// A required and an optional member.
  SKUA_FOR_SIMULATOR json_part member(std::string_view key) const;
  SKUA_FOR_SIMULATOR std::optional<json_part> find(std::string_view key) const;
  /// Throws bad_input if there is any other member.
  SKUA_FOR_SIMULATOR void allow_only(std::span<const std::string_view> keys) const;

  SKUA_FOR_SIMULATOR std::vector<json_part> list() const;
  /// The members of an object, ordered by name.
  std::vector<std::pair<std::string, json_part>> members() const;
  SKUA_FOR_SIMULATOR std::string text() const;
  /// A text, or a number as it is written, or "yes" or "no".
  std::string word() const;
  SKUA_FOR_SIMULATOR bool yes_or_no() const;
  bool is_text() const;
  bool is_number() const;
  bool is_list() const;
  SKUA_FOR_SIMULATOR std::uint64_t whole_number(std::uint64_t min, std::uint64_t max) const;
  SKUA_FOR_SIMULATOR double number(double min, double max) const;
  template <class T = unsigned>
  T whole(std::uint64_t min, std::uint64_t max) const {
    return static_cast<T>(whole_number(min, max));
  }

  /// A square of numbers, one row and column for each `of`: `itself` on the diagonal, elsewhere from `min` to `max`.
  SKUA_FOR_SIMULATOR std::vector<std::vector<unsigned>> square(std::size_t size, const std::string& of,
                                                               unsigned itself, unsigned min,
                                                               unsigned max) const;

  /// Throws bad_input: "machines/x.json: caches[0].ways is 0; allowed: 1 to 1024; nearest: 1".
  [[noreturn]] SKUA_FOR_SIMULATOR void refuse(const std::string& is, const std::string& allowed) const;
  const std::string& name() const noexcept { return name_; }

 private:
  json_part(std::string_view file, std::string name, const nlohmann::json& value)
      : file_(file), name_(std::move(name)), value_(&value) {}
  /// The value without the note on its source.
  const nlohmann::json& bare() const;
  std::string shown() const;
  std::string name_of(std::string_view key) const;

  std::string file_, name_;
  const nlohmann::json* value_;
};

}  // namespace skua::base
