#include "cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace skua::cli {

option& option::required() {
  parsed_->required();
  return *this;
}

option& option::check(const value_check& check) {
  parsed_->check(CLI::Validator(check.complaint, check.shown));
  return *this;
}

option& option::transform(const std::function<std::string(std::string)>& function) {
  parsed_->transform(function);
  return *this;
}

option& option::excludes(const option& other) {
  parsed_->excludes(other.parsed_);
  return *this;
}

option& option::needs(const option& other) {
  parsed_->needs(other.parsed_);
  return *this;
}

option& option::separated_by_commas() {
  parsed_->delimiter(',');
  return *this;
}

option& option::describe(const std::string& about) {
  parsed_->description(about);
  return *this;
}

option& option::hidden() {
  parsed_->group("");
  return *this;
}

template <class T>
option command::option(const std::string& names, T& value, const std::string& about) {
  return cli::option(app_->add_option(names, value, about));
}
template option command::option(const std::string&, std::string&, const std::string&);
template option command::option(const std::string&, std::vector<std::string>&, const std::string&);
template option command::option(const std::string&, std::vector<int>&, const std::string&);
template option command::option(const std::string&, int&, const std::string&);
template option command::option(const std::string&, unsigned&, const std::string&);
template option command::option(const std::string&, std::uint64_t&, const std::string&);
template option command::option(const std::string&, double&, const std::string&);
template option command::option(const std::string&, std::optional<std::int64_t>&, const std::string&);
template option command::option(const std::string&, std::optional<std::uint64_t>&, const std::string&);
template option command::option(const std::string&, std::optional<double>&, const std::string&);

option command::flag(const std::string& names, bool& value, const std::string& about) {
  return cli::option(app_->add_flag(names, value, about));
}

void command::heading(const std::string& heading) { app_->option_defaults()->group(heading); }

option command::named(const std::string& name) { return cli::option(app_->get_option(name)); }

std::size_t command::count(const std::string& name) const { return app_->count(name); }

std::string command::first_given_below(const std::string& heading) const {
  for (const CLI::Option* one : app_->get_options())
    if (one->get_group() == heading && one->count() != 0) return one->get_name();
  return {};
}

void command::footer(const std::string& text) { app_->footer(text); }

void command::action(const std::function<int()>& run) {
  app_->callback([run, exit_code = exit_code_] { *exit_code = run(); });
}

command command_set::add(const std::string& name, const std::string& about) {
  return command(*app_.add_subcommand(name, about), exit_code_);
}

}  // namespace skua::cli
