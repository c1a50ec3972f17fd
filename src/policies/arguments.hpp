// The options in the parentheses of a policy's name: "most_loaded(list, refresh=5, scope=domain)".
//
//   arguments given("nearest", text, options);   // checks names and values
//   bool heads = given.flag("heads");
//
// Every option is declared (policy_option). The same table serves for parsing, explaining and refusing. A value
// without a name sets the flag of that name if there is one. Otherwise it sets the first option that is not given yet
// and allows the value. A policy in a policy is parsed with the option that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skua/steal_policy.hpp>

namespace skua::policy {

/// The parts of "name(a, b=c)": the name, and the text between the outermost parentheses. Throws bad_input.
struct named_text {
  std::string_view name, inside;
};
named_text split_name(std::string_view text);

struct parsed_policy;

class arguments {
 public:
  /// Throws bad_input for an option that does not exist, is given twice, or has a value that is not allowed.
  arguments(std::string_view policy, std::string_view inside, std::span<const policy_option> options);
  arguments(arguments&&) noexcept;
  ~arguments();

  /// The given value, or the default. `name` must be declared.
  bool flag(std::string_view name) const { return text(name) == "yes"; }
  std::int64_t number(std::string_view name) const;
  double fraction(std::string_view name) const;
  std::string text(std::string_view name) const;
  std::unique_ptr<steal_policy> policy(std::string_view name) const;

 private:
  struct given_option {
    const policy_option* option;
    std::string text;
    std::unique_ptr<parsed_policy> nested;  // where the option is a policy
  };

  void take(std::string_view word);
  void set(const policy_option& option, std::string_view value);
  const policy_option* find(std::string_view name) const;
  const policy_option* first_that_allows(std::string_view value) const;
  const policy_option* first_policy() const;  // that is not given yet
  const policy_option* first_number() const;
  bool given(const policy_option& option) const;

  std::string policy_;
  std::span<const policy_option> options_;
  std::vector<given_option> values_;
};

/// The text of a policy whose name exists and whose options are allowed. make() may be called more than once.
struct parsed_policy {
  /// Throws bad_input if the function of a registered policy returns none.
  std::unique_ptr<steal_policy> make() const;

  const policy_info& info;
  std::unique_ptr<steal_policy> (*make_builtin)(const arguments&);  // null for a registered policy
  std::unique_ptr<steal_policy> (*make_registered)();               // null for a built-in policy
  arguments given;
};

/// The only place where the text of a policy is parsed. It makes no policy. Throws bad_input as make_policy does. Defined
/// where registered policies are known (core/start/policy_registry.cpp).
parsed_policy parse_policy(std::string_view text);

}  // namespace skua::policy
