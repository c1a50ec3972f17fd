#include "policies/arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>
#include <utility>

#include "base/list_text.hpp"
#include "base/nearest_name.hpp"
#include "base/number_text.hpp"

namespace skua::policy {

namespace {

using base::trimmed;

template <class Number>
bool reads(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool reads_bytes(std::string_view text, std::int64_t& value) {
  const auto number = base::byte_number(text);
  value = number.value_or(0);
  return number.has_value();
}

bool looks_like_number(std::string_view text) {
  double value = 0;
  return reads(text, value);
}

/// The shortest text that reads back as the same value.
std::string words_for(double value) {
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

bool allows(const policy_option& option, std::string_view value) {
  double number = 0;
  std::int64_t whole = 0;
  switch (option.kind) {
    case policy_option::flag:
      return value == "yes" || value == "no";
    case policy_option::choice:
      return std::ranges::find(option.allowed, value) != option.allowed.end();
    case policy_option::whole:
      return reads(value, whole) && static_cast<double>(whole) >= option.min &&
             static_cast<double>(whole) <= option.max;
    case policy_option::bytes:
      return reads_bytes(value, whole) && static_cast<double>(whole) >= option.min &&
             static_cast<double>(whole) <= option.max;
    case policy_option::fraction:
      return reads(value, number) && number >= option.min && number <= option.max;
    case policy_option::policy:
      break;  // parsing it is the check
  }
  return false;
}

bool is_number(const policy_option& option) {
  return option.kind == policy_option::whole || option.kind == policy_option::fraction ||
         option.kind == policy_option::bytes;
}

/// "heads", "deal=never|large|always", "refresh (whole numbers from 1 to 1000)".
std::string with_values(const policy_option& option) {
  std::string text(option.name);
  if (option.kind == policy_option::flag) return text;
  if (option.kind != policy_option::choice) return text + " (" + allowed_values(option) + ")";
  char mark = '=';
  for (const std::string_view value : option.allowed) {
    text += mark;
    text += value;
    mark = '|';
  }
  return text;
}

/// The nearest value that is allowed; empty if there is none.
std::string nearest_value(const policy_option& option, std::string_view value) {
  double number = 0;
  if (!option.allowed.empty()) return std::string(base::nearest_name(value, option.allowed));
  if (!is_number(option) || !reads(value, number) || std::isnan(number)) return {};
  number = std::clamp(number, option.min, option.max);
  return words_for(option.kind == policy_option::fraction ? number : std::round(number));
}

}  // namespace

named_text split_name(std::string_view text) {
  text = trimmed(text);
  const auto open = text.find('(');
  if (open == std::string_view::npos) return {text, {}};
  int depth = 0;
  std::size_t i = open;
  for (; i < text.size(); ++i) {
    depth += (text[i] == '(') - (text[i] == ')');
    if (depth == 0) break;
  }
  if (i + 1 != text.size())
    throw bad_input("policy '" + std::string(text) +
                    "' has parentheses that do not match; write NAME or NAME(option, ...)");
  return {base::name_before_parenthesis(text), text.substr(open + 1, i - open - 1)};
}

arguments::arguments(std::string_view policy, std::string_view inside, std::span<const policy_option> options)
    : policy_(policy), options_(options) {
  if (trimmed(inside).empty()) return;
  for (const std::string_view word : base::split_at_commas(inside)) take(word);
}

arguments::arguments(arguments&&) noexcept = default;
arguments::~arguments() = default;

void arguments::take(std::string_view word) {
  const auto equals = word.find('=');
  const bool named =
      equals != std::string_view::npos && word.substr(0, equals).find('(') == std::string_view::npos;
  if (named) {
    const std::string_view name = trimmed(word.substr(0, equals));
    if (const policy_option* option = find(name)) return set(*option, trimmed(word.substr(equals + 1)));
    word = name;
  } else if (const policy_option* option = find(word); option && option->kind == policy_option::flag) {
    return set(*option, "yes");
  } else if (const policy_option* fitting = first_that_allows(word)) {
    return set(*fitting, word);
  } else if (const policy_option* number = first_number(); number && looks_like_number(word)) {
    return set(*number, word);  // throws the sentence about its bounds
  } else if (const policy_option* nested = first_policy()) {
    return set(*nested, word);
  }
  std::vector<std::string_view> names;
  std::vector<std::string> shown;
  for (const policy_option& option : options_) {
    names.push_back(option.name);
    if (!named) names.insert(names.end(), option.allowed.begin(), option.allowed.end());
    shown.push_back(with_values(option));
  }
  if (names.empty())
    throw bad_input("policy " + policy_ + " has no options, so '" + std::string(word) + "' is not allowed");
  const std::vector<std::string_view> allowed(shown.begin(), shown.end());
  throw bad_input("policy " + policy_ + " has no option '" + std::string(word) +
                  "'; allowed: " + base::list_of_names(allowed) + base::or_nearest(word, names));
}

void arguments::set(const policy_option& option, std::string_view value) {
  const std::string what = "option " + std::string(option.name) + " of policy " + policy_;
  if (given(option)) throw bad_input(what + " is given twice");
  if (option.kind == policy_option::policy) {
    values_.push_back({&option, std::string(value), std::make_unique<parsed_policy>(parse_policy(value))});
    return;
  }
  if (!allows(option, value)) {
    std::string sentence =
        what + " cannot be '" + std::string(value) + "'; allowed: " + allowed_values(option);
    if (const std::string closest = nearest_value(option, value); !closest.empty())
      sentence += "; nearest: " + closest;
    throw bad_input(sentence);
  }
  values_.push_back({&option, std::string(value), nullptr});
}

const policy_option* arguments::find(std::string_view name) const {
  const auto found = std::ranges::find(options_, name, &policy_option::name);
  return found == options_.end() ? nullptr : &*found;
}

const policy_option* arguments::first_that_allows(std::string_view value) const {
  for (const policy_option& option : options_)
    if (option.kind != policy_option::flag && !given(option) && allows(option, value)) return &option;
  return nullptr;
}

const policy_option* arguments::first_policy() const {
  const auto open = [this](const policy_option& o) { return o.kind == policy_option::policy && !given(o); };
  const auto found = std::ranges::find_if(options_, open);
  return found == options_.end() ? nullptr : &*found;
}

const policy_option* arguments::first_number() const {
  const auto open = [this](const policy_option& o) { return is_number(o) && !given(o); };
  const auto found = std::ranges::find_if(options_, open);
  return found == options_.end() ? nullptr : &*found;
}

bool arguments::given(const policy_option& option) const {
  return std::ranges::any_of(values_, [&](const given_option& known) { return known.option == &option; });
}

std::string arguments::text(std::string_view name) const {
  const policy_option& option = *find(name);
  for (const given_option& known : values_)
    if (known.option == &option) return known.text;
  return std::string(option.default_value);
}

std::unique_ptr<steal_policy> arguments::policy(std::string_view name) const {
  const policy_option& option = *find(name);
  for (const given_option& known : values_)
    if (known.option == &option) return known.nested->make();
  return make_policy(option.default_value);
}

std::int64_t arguments::number(std::string_view name) const {
  std::int64_t value = 0;
  if (find(name)->kind == policy_option::bytes)
    reads_bytes(text(name), value);
  else
    reads(text(name), value);
  return value;
}

double arguments::fraction(std::string_view name) const {
  double value = 0;
  reads(text(name), value);
  return value;
}

}  // namespace skua::policy

namespace skua {

std::string allowed_values(const policy_option& option) {
  switch (option.kind) {
    case policy_option::flag:
      return "yes or no";
    case policy_option::choice:
      return base::list_of_names(option.allowed);
    case policy_option::whole:
      return "whole numbers from " + policy::words_for(option.min) + " to " + policy::words_for(option.max);
    case policy_option::fraction:
      return "numbers from " + policy::words_for(option.min) + " to " + policy::words_for(option.max);
    case policy_option::bytes:
      return policy::words_for(option.min) + " to " + policy::words_for(option.max) +
             std::string(base::byte_units);
    case policy_option::policy:
      return "policies";
  }
  return {};
}

}  // namespace skua
