// Reads exactly what file_text() writes: a file that was truncated, joined or edited by mistake must not determine the order
// of victims.
#include <charconv>
#include <cmath>
#include <system_error>
#include <unordered_set>

#include "base/whole_file.hpp"
#include "topology/measured_distances.hpp"
#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

constexpr std::string_view first_line = "skua distances 1";
constexpr double max_nanoseconds = 1e9;  // a second for one line is not a valid measurement

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

class reader {
 public:
  reader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  measured_distances read() {
    measured_distances found;
    if (next() != first_line) refuse("'" + std::string(first_line) + "'");
    std::string_view line = next();
    if (!take(line, "processor")) refuse("'processor NAME'");
    take(line, " ");
    found.processor = line;
    while (next() != "nanoseconds") read_core(found);
    if (found.cores.empty()) refuse("'core 0 package NUMBER cpus NUMBER,NUMBER...'");
    for (std::size_t row = 0; row < found.cores.size(); ++row) read_row(found, row);
    if (next() != "end") refuse("'end'");
    if (!rest_.empty()) {
      next();
      refuse("nothing after 'end'");
    }
    return found;
  }

 private:
  std::string_view next() {
    ++number_;
    ended_ = rest_.empty();
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line_;
  }

  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string found =
        ended_ ? "the file ends" : "there is '" + std::string(line_.substr(0, 60)) + "'";
    throw bad_input(name_ + " is not a file of skua topo --measure --output: in line " +
                    std::to_string(number_) + " " + found + "; expected: " + expected);
  }

  void read_core(measured_distances& found) {
    const std::string number = std::to_string(found.cores.size());
    const std::string expected = "'core " + number + " package NUMBER cpus NUMBER,NUMBER...'" +
                                 (found.cores.empty() ? "" : " or 'nanoseconds'");
    std::string_view line = line_;
    measured_core core{};
    std::uint32_t cpu = 0;
    if (!take(line, "core " + number + " package ") || !take_number(line, core.package) ||
        !take(line, " cpus "))
      refuse(expected);
    do {
      if (!take_number(line, cpu)) refuse(expected);
      if (!cpus_.insert(cpu).second) refuse("each CPU once, but " + std::to_string(cpu) + " is repeated");
      core.cpus.push_back(cpu);
    } while (take(line, ","));
    if (!line.empty()) refuse(expected);
    if (cpus_.size() > max_cpus) refuse("at most " + std::to_string(max_cpus) + " CPUs");
    found.cores.push_back(std::move(core));
  }

  void read_row(measured_distances& found, std::size_t row) {
    const std::size_t cores = found.cores.size();
    std::string_view line = next();
    for (std::size_t column = 0; column < cores; ++column) {
      double value = -1;
      const bool read = (column == 0 || take(line, " ")) && take_number(line, value);
      const bool sound = read && (row == column ? value == 0 : value > 0 && value <= max_nanoseconds);
      if (!sound || std::isnan(value)) refuse(row_of(cores, row));
      if (column < row && value != found.between(column, row))
        refuse("the same time from core " + std::to_string(row) + " to " + std::to_string(column) +
               " as back");
      found.nanoseconds.push_back(value);
    }
    if (!line.empty()) refuse(row_of(cores, row));
  }

  static std::string row_of(std::size_t cores, std::size_t row) {
    return std::to_string(cores) + " numbers of nanoseconds, only number " + std::to_string(row + 1) +
           " of them 0";
  }

  std::string_view rest_, line_;
  const std::string& name_;
  std::size_t number_ = 0;
  bool ended_ = false;
  std::unordered_set<std::uint32_t> cpus_;
};

}  // namespace

measured_distances distances_from_text(std::string_view text, const std::string& name) {
  return reader(text, name).read();
}

measured_distances distances_from_file(const std::string& path) {
  return distances_from_text(base::text_of_file(path, "a file that skua topo --measure --output wrote"),
                             path);
}

}  // namespace skua::detail
