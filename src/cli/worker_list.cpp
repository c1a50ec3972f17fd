#include "cli/worker_list.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <set>
#include <string>

#include <skua/topology.hpp>

#include "cli/refusals.hpp"

namespace skua::cli {
namespace {

constexpr std::size_t few = 12;

class reader {
 public:
  reader(std::string_view text, std::size_t most_useful) : text_(text), most_useful_(most_useful) {}

  std::vector<std::size_t> all() {
    for (std::size_t begin = 0; begin <= text_.size();) {
      const std::size_t end = std::min(text_.find(',', begin), text_.size());
      read(text_.substr(begin, end - begin));
      begin = end + 1;
    }
    return {numbers_.begin(), numbers_.end()};
  }

 private:
  [[noreturn]] void refuse() const {
    throw bad_input(
        fmt::format("--workers '{}' is no list of numbers of workers; allowed: numbers from 1 to {}, or N, "
                    "ranges and steps, "
                    "as 1..8, 1,2,4,8 and 1..24:4; nearest: 1..{}",
                    text_, max_workers, most_useful_));
  }

  std::size_t number(std::string_view word) const {
    if (word == "N") return most_useful_;
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc{} || end != word.data() + word.size()) refuse();
    if (value < 1 || value > static_cast<std::size_t>(max_workers)) refuse();
    return value;
  }

  void read(std::string_view part) {
    const std::size_t dots = part.find("..");
    if (dots == std::string_view::npos) {
      numbers_.insert(number(part));
      return;
    }
    const std::size_t colon = part.find(':', dots);
    const std::size_t first = number(part.substr(0, dots)),
                      last = number(part.substr(dots + 2, colon == std::string_view::npos
                                                              ? std::string_view::npos
                                                              : colon - dots - 2)),
                      step = colon == std::string_view::npos ? 1 : number(part.substr(colon + 1));
    if (first > last) refuse();
    for (std::size_t one = first; one < last; one += step) numbers_.insert(one);
    numbers_.insert(last);
  }

  const std::string_view text_;
  const std::size_t most_useful_;
  std::set<std::size_t> numbers_;
};

}  // namespace

std::vector<std::size_t> worker_list(std::string_view text, std::size_t most_useful) {
  return reader(text, most_useful).all();
}

std::vector<std::size_t> usual_workers(std::size_t most_useful) {
  std::vector<std::size_t> all;
  if (most_useful <= few)
    for (std::size_t one = 1; one < most_useful; ++one) all.push_back(one);
  else
    for (std::size_t one = 1; one < most_useful; one *= 2) all.push_back(one);
  all.push_back(most_useful);
  return all;
}

}  // namespace skua::cli
