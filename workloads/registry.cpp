// The list of workloads: a new one is a file beside this one, and one line here.
#include <algorithm>
#include <charconv>

#include "workloads/common/workload.hpp"

namespace workloads {

extern const workload fib_workload, queens_workload, heat_workload, mergesort_workload, matmul_workload,
    uts_workload, skynet_workload, wordcount_files_workload, gtfold_workload, cg16_workload, canneal_workload,
    fluidanimate_workload;

std::span<const workload* const> all() {
  static constexpr const workload* list[] = {
      &fib_workload,    &queens_workload, &heat_workload,    &mergesort_workload,
      &matmul_workload, &uts_workload,    &skynet_workload,  &wordcount_files_workload,
      &gtfold_workload, &cg16_workload,   &canneal_workload, &fluidanimate_workload};
  return list;
}

const workload* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, [](const workload* w) { return w->name; });
  return found == all().end() ? nullptr : *found;
}

std::string parameters::text(std::string_view option, std::string_view otherwise) const {
  const auto given = options.find(option);
  return given == options.end() ? std::string(otherwise) : given->second;
}

std::string parameters::choice(std::string_view option,
                               std::initializer_list<std::string_view> allowed) const {
  const std::string value = text(option, *allowed.begin());
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  std::string list;
  for (std::string_view a : allowed) list.append(list.empty() ? "" : ", ").append(a);
  throw skua::bad_input(std::string(option) + " is '" + value + "'; allowed: " + list);
}

std::int64_t parameters::number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                                std::int64_t most) const {
  const std::string value = text(option, std::to_string(otherwise));
  const char* const end = value.data() + value.size();
  std::int64_t number = 0;
  const auto [stopped, error] = std::from_chars(value.data(), end, number);
  if (error == std::errc() && stopped == end && number >= least && number <= most) return number;
  if (error == std::errc::result_out_of_range) number = value.front() == '-' ? least : most;
  const std::int64_t nearest =
      error == std::errc::invalid_argument ? otherwise : std::clamp(number, least, most);
  throw skua::bad_input(std::string(option) + " is '" + value + "'; allowed: a whole number from " +
                        std::to_string(least) + " to " + std::to_string(most) +
                        "; nearest: " + std::to_string(nearest));
}

}  // namespace workloads
