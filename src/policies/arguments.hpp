// What stands in the parentheses of a policy's name: "most_loaded(list, refresh=5, scope=domain)".
//
//   arguments given("nearest", text, options);   // checks names and values
//   bool heads = given.flag("heads");
//
// Every option is declared (policy_option), so that the same table parses, explains and refuses. A value without a
// name is taken by the option of that name if it is a flag, else by the first option not given yet that allows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <skua/steal_policy.hpp>

namespace skua::policy {

/// "name(a, b=c)" taken apart: the name, and what lies between the outermost parentheses. Throws bad_input.
struct named_text {
  std::string_view name, inside;
};
named_text split_name(std::string_view text);

class arguments {
 public:
  /// Throws bad_input for an option that does not exist, is given twice, or has a value that is not allowed.
  arguments(std::string_view policy, std::string_view inside, std::span<const policy_option> options);

  /// As given, else the default. `name` must be declared.
  bool flag(std::string_view name) const { return text(name) == "yes"; }
  std::int64_t number(std::string_view name) const;
  double fraction(std::string_view name) const;
  std::string text(std::string_view name) const;

 private:
  void take(std::string_view word);
  void set(const policy_option& option, std::string_view value);
  const policy_option* find(std::string_view name) const;
  const policy_option* first_that_allows(std::string_view value) const;
  const policy_option* first_policy() const;  // that is not given yet
  const policy_option* first_number() const;
  bool given(const policy_option& option) const;

  std::string policy_;
  std::span<const policy_option> options_;
  std::vector<std::pair<const policy_option*, std::string>> values_;
};

}  // namespace skua::policy
