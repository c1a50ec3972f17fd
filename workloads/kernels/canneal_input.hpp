// Reads circuits in PARSEC's format: a line "ELEMENTS X Y", then a line "NAME TYPE INPUT ... END" for each element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "workloads/common/text_file.hpp"
#include "workloads/kernels/canneal.hpp"

namespace workloads {

inline constexpr std::uint32_t canneal_max_elements = 10'000'000;

/// Elements are numbered in the order of their first mention, as an input or as an element. Throws skua::bad_input.
class canneal_reader {
 public:
  explicit canneal_reader(const std::string& name) : file_(name) {}

  canneal_circuit read() {
    std::string line;
    if (!file_.next_filled(line)) file_.refuse_end("a line with the numbers of elements, columns and rows");
    expect_sizes(line);
    while (file_.next_filled(line)) add_element(line);
    if (described_.size() < elements_)
      file_.refuse_end(std::to_string(elements_) + " elements, found " + std::to_string(described_.size()));
    for (std::size_t id = 0; id < described_.size(); ++id)
      if (!described_[id]) file_.refuse_end("a line for each element that is an input");
    return canneal_wired(elements_, nx_, ny_, wires_);
  }

 private:
  void expect_sizes(const std::string& line) {
    text_words words(line);
    if (!words.number(elements_) || !words.number(nx_) || !words.number(ny_) || !words.at_end())
      file_.refuse("the numbers of elements, columns and rows", "'" + line + "'");
    if (elements_ == 0 || elements_ > canneal_max_elements || nx_ == 0 || nx_ > 65535 || ny_ == 0 ||
        ny_ > 65535 || std::uint64_t{nx_} * ny_ <= elements_ ||
        std::uint64_t{nx_} * ny_ > 4ull * canneal_max_elements)
      file_.refuse("1 to " + std::to_string(canneal_max_elements) +
                       " elements, and more places than elements, at most " +
                       std::to_string(4ull * canneal_max_elements),
                   "'" + line + "'");
  }

  void add_element(const std::string& line) {
    text_words words(line);
    const std::uint32_t element = number_of(words.next());
    int type = 0;
    if (!words.number(type)) file_.refuse("a name, a type, inputs and END", "'" + line + "'");
    if (described_[element]) file_.refuse("one line for each element", "a second one");
    described_[element] = true;
    for (std::string_view input = words.next(); input != "END"; input = words.next()) {
      if (input.empty()) file_.refuse("END after the inputs", "nothing");
      wires_.emplace_back(element, number_of(input));
    }
    if (!words.at_end()) file_.refuse("nothing after END", "more");
  }

  std::uint32_t number_of(std::string_view name) {
    const auto [at, added] =
        numbers_.try_emplace(std::string(name), static_cast<std::uint32_t>(numbers_.size()));
    if (added) {
      if (numbers_.size() > elements_)
        file_.refuse("no more than " + std::to_string(elements_) + " elements",
                     "another one, '" + std::string(name) + "'");
      described_.push_back(false);
    }
    return at->second;
  }

  text_file file_;
  std::uint32_t elements_ = 0, nx_ = 0, ny_ = 0;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<bool> described_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> wires_;
};

}  // namespace workloads
