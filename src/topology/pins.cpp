#include "topology/pins.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

constexpr std::array<std::string_view, 2> names{"grouped", "dealt"};

// Removes a number from the front of the text.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number >= max_cpus) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) return false;
  text.remove_prefix(1);
  return true;
}

// Empty if the text is not a list.
std::vector<std::uint32_t> numbers_of(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  do {
    const auto first = take_number(text);
    const auto last = first && take(text, '-') ? take_number(text) : first;
    if (!first || !last || *last < *first) return {};
    for (std::uint32_t number = *first; number <= *last; ++number) numbers.push_back(number);
  } while (take(text, ','));
  if (!text.empty()) return {};
  return numbers;
}

}  // namespace

pins pins_of(std::string_view what, std::string_view text) {
  if (text.empty()) return {};
  if (text == names[0]) return {.order = pin_order::grouped, .asked = true};
  if (text == names[1]) return {.order = pin_order::dealt, .asked = true};
  const std::string is = std::string(what) + " is '" + std::string(text.substr(0, 200)) + "'";
  pins found{.cpus = numbers_of(text), .asked = true, .origin = is};
  if (!found.cpus.empty()) return found;
  const bool like_a_list = text.find_first_not_of("0123456789,- ") == std::string_view::npos;
  throw bad_input(
      is + "; allowed: " + base::list_of_names(names) + ", or CPUs as in 0,3,6-8" +
      (like_a_list ? std::string("; nearest: a list like 0,3,6-8") : base::or_nearest(text, names)));
}

placement place_by(const topology& machine, std::size_t workers, const pins& asked) {
  if (asked.cpus.empty()) return machine.place(workers, asked.order);
  if (asked.origin.empty()) return machine.place(workers, asked.cpus);
  return base::of_variable(asked.origin, [&] { return machine.place(workers, asked.cpus); });
}

}  // namespace skua::detail
