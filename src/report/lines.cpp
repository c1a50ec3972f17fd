#include "report/lines.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

namespace skua::reports {

namespace {

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string shortened(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  const std::size_t kept = max - std::min<std::size_t>(max, 3), front = kept - kept / 2;
  return std::string(text.substr(0, front)) + "..." + std::string(text.substr(text.size() - kept / 2));
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width(row[c]));
  }
  if (widths.empty()) return "";
  std::size_t others = 2;
  for (std::size_t c = 1; c < widths.size(); ++c) others += widths[c] + 2;
  widths[0] = std::min(widths[0], columns - std::min(columns - 10, others));
  std::string all;
  for (const auto& row : rows) {
    std::string line = "  ";
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = c == 0 ? shortened(row[c], widths[0]) : row[c];
      const std::string room(widths[c] - std::min(widths[c], width(cell)), ' ');
      line += c == 0 ? cell + room : "  " + room + cell;
    }
    all += without_trailing_spaces(line);
  }
  return all;
}

namespace {

bool is_same_place(const observe::call_site_record& a, const observe::call_site_record& b) {
  return a.kind == b.kind && a.name == b.name && a.file == b.file && a.line == b.line && !a.line.empty();
}
bool is_same_place(const observe::lock_record& a, const observe::lock_record& b) {
  return a.name == b.name && a.file == b.file && a.line == b.line && !a.line.empty();
}

void add(observe::call_site_record& to, const observe::call_site_record& one) {
  to.span_ns += one.span_ns;
  to.work_ns += one.work_ns;
  to.times += one.times;
  to.inside += one.inside;
  if (one.calls == 0) return;
  to.min_positions = to.calls == 0 ? one.min_positions : std::min(to.min_positions, one.min_positions);
  to.max_positions = std::max(to.max_positions, one.max_positions);
  to.calls += one.calls;
  to.positions += one.positions;
}

void add(observe::lock_record& to, const observe::lock_record& one) {
  to.times += one.times;
  to.in_line += one.in_line;
  to.spun_ns += one.spun_ns;
  to.waited_ns += one.waited_ns;
}

template <class Record, class Weight>
void merge(std::vector<Record>& all, Weight weight) {
  std::vector<Record> merged;
  for (Record& one : all) {
    const auto same =
        std::ranges::find_if(merged, [&](const Record& other) { return is_same_place(one, other); });
    if (same == merged.end())
      merged.push_back(std::move(one));
    else
      add(*same, one);
  }
  if (merged.size() < all.size()) std::ranges::stable_sort(merged, std::greater{}, weight);
  all = std::move(merged);
}

}  // namespace

void merge_equal_lines(observe::run_record& run) {
  if (run.work_span) merge(run.work_span->sites, &observe::call_site_record::span_ns);
  merge(run.locks, [](const observe::lock_record& lock) { return lock.spun_ns + lock.waited_ns; });
}

}  // namespace skua::reports
