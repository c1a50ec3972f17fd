// Policies by name: the built-in ones, and those that users register.

#include <algorithm>
#include <mutex>

#include "base/made_once.hpp"
#include "base/nearest_name.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/symbols.hpp"
#include "policies/builtins.hpp"

namespace skua {

namespace {

struct registered {
  const policy_info* info;
  std::unique_ptr<steal_policy> (*make)();
};

/// The policies of users, which may register before main. Never destroyed: a scheduler may be made during static
/// destruction.
class user_policies {
 public:
  static user_policies& all() {
    static constinit base::made_once<user_policies> one;
    return one.get();
  }
  void add(registered policy) {
    std::lock_guard lock(mutex_);
    list_.push_back(policy);
  }
  std::vector<registered> list() {
    std::lock_guard lock(mutex_);
    return list_;
  }

 private:
  core::fork_safe_lock mutex_;
  std::vector<registered> list_;
};

bool known(std::string_view name) {
  return std::ranges::any_of(policies(), [&](const policy_info* info) { return info->name == name; });
}

std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, max = 0;
  for (const char c : text) {
    if (c == '(') max = std::max(max, ++depth);
    if (c == ')' && depth > 0) --depth;
  }
  return max;
}

[[noreturn]] void refuse(std::string_view name) {
  std::vector<std::string_view> names;
  for (const policy_info* info : policies()) names.push_back(info->name);
  throw bad_input("policy '" + std::string(name) +
                  "' does not exist; allowed: " + base::list_of_names(names) + base::or_nearest(name, names));
}

}  // namespace

sequence<const policy_info*> policies() {
  sequence<const policy_info*> list;
  for (const policy::builtin* policy : policy::builtins) list.push_back(&policy->info);
  for (const registered& policy : user_policies::all().list()) list.push_back(policy.info);
  return list;
}

void register_policy(const policy_info& info, std::unique_ptr<steal_policy> (*make)()) {
  if (info.name.empty() || info.name.find_first_of("(), =") != std::string_view::npos)
    throw bad_input("policy '" + std::string(info.name) +
                    "' cannot be registered; a name has no blanks, commas, "
                    "parentheses or equals signs");
  if (known(info.name))
    throw bad_input("policy '" + std::string(info.name) + "' exists already; choose another name");
  user_policies::all().add({&info, make});
  core::keep_loaded(reinterpret_cast<const void*>(make));
}

policy::parsed_policy policy::parse_policy(std::string_view text) {
  constexpr std::size_t deepest = 6;  // bounds the recursion
  if (const std::size_t depth = depth_of(text); depth > deepest)
    throw bad_input("policy '" + std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : "") +
                    "' has policies inside policies, " + std::to_string(depth) +
                    " deep; allowed: " + std::to_string(deepest) + "; nearest: " + std::to_string(deepest));
  const auto [name, inside] = split_name(text);
  for (const builtin* one : builtins)
    if (one->info.name == name)
      return {one->info, one->make, nullptr, arguments(name, inside, one->info.options)};
  for (const registered& one : user_policies::all().list())
    if (one.info->name == name) return {*one.info, nullptr, one.make, arguments(name, inside, {})};
  refuse(name);
}

std::unique_ptr<steal_policy> policy::parsed_policy::make() const {
  if (make_builtin) return make_builtin(given);
  if (auto made = make_registered()) return made;
  throw bad_input("policy '" + std::string(info.name) + "': the function that makes it returned no policy");
}

std::unique_ptr<steal_policy> make_policy(std::string_view text) { return policy::parse_policy(text).make(); }

void check_policy(std::string_view text) { static_cast<void>(policy::parse_policy(text)); }

}  // namespace skua
