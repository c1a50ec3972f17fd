#include "base/number_list.hpp"

#include <cstddef>
#include <string_view>

namespace skua::base {
namespace {

// The length of the run from `begin` on whose numbers have the step of the first two.
std::size_t run_length(std::span<const std::uint32_t> numbers, std::size_t begin) {
  std::size_t end = begin + 1;
  if (end == numbers.size() || numbers[end] <= numbers[begin]) return 1;
  const std::uint32_t step = numbers[end] - numbers[begin];
  while (end < numbers.size() && numbers[end] > numbers[end - 1] && numbers[end] - numbers[end - 1] == step)
    ++end;
  return end - begin;
}

}  // namespace

std::string number_list(std::span<const std::uint32_t> numbers) {
  std::string text;
  const auto add = [&](std::string_view between, std::uint32_t number) {
    text += between;
    text += std::to_string(number);
  };
  for (std::size_t i = 0; i < numbers.size();) {
    add(i > 0 ? "," : "", numbers[i]);
    const std::size_t length = run_length(numbers, i);
    const bool dense = length > 1 && numbers[i + 1] == numbers[i] + 1;
    const bool run = length > 3 || (dense && length > 2);
    if (run && !dense) add(",", numbers[i + 1]);
    if (run) add(dense ? "-" : "..", numbers[i + length - 1]);
    i += run ? length : 1;
  }
  return text;
}

}  // namespace skua::base
