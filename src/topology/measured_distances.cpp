#include "topology/measured_distances.hpp"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <unordered_map>
#include <utility>

#include "topology/topology_data.hpp"

namespace skua::detail {
namespace {

using label = std::uint32_t;
using labels_by_cpu = std::unordered_map<std::uint32_t, label>;

// The number of each CPU's core or package on the measured machine.
template <class Label>
labels_by_cpu labels_there(const measured_distances& measured, Label label_of) {
  labels_by_cpu labels;
  for (std::size_t core = 0; core < measured.cores.size(); ++core) {
    for (const std::uint32_t cpu : measured.cores[core].cpus) labels[cpu] = label_of(core);
  }
  return labels;
}

// Numbers may differ between two looks at one machine (fewer CPUs, fewer packages), but not which CPUs share a part.
template <class Label>
std::string parted(const topology& machine, const labels_by_cpu& there, Label here, const char* part) {
  std::unordered_map<label, std::pair<label, std::uint32_t>> here_of, there_of;  // with a CPU of the part
  for (const core_info& core : machine.core_list()) {
    for (const std::uint32_t cpu : core.pus) {
      const label a = there.at(cpu), b = here(core);
      const auto together = here_of.try_emplace(a, b, cpu).first->second;
      const auto apart = there_of.try_emplace(b, a, cpu).first->second;
      const std::string cpus = std::to_string(cpu) + " share a " + part;
      if (together.first != b)
        return "CPUs " + std::to_string(together.second) + " and " + cpus + " there, but not here";
      if (apart.first != a)
        return "CPUs " + std::to_string(apart.second) + " and " + cpus + " here, but not there";
    }
  }
  return {};
}

std::string quoted_or_nameless(std::string_view processor) {
  return processor.empty() ? "nameless" : "'" + std::string(processor) + "'";
}

}  // namespace

measured_distances unmeasured(const topology& machine) {
  measured_distances frame{.processor = std::string(machine.processor()), .cores = {}, .nanoseconds = {}};
  for (const core_info& core : machine.core_list()) frame.cores.push_back({core.package, core.pus});
  frame.nanoseconds.assign(frame.cores.size() * frame.cores.size(), 0.0);
  return frame;
}

std::string file_text(const measured_distances& measured) {
  std::string text = "skua distances 1\nprocessor";
  if (!measured.processor.empty()) text += " " + measured.processor;
  text += "\n";
  for (std::size_t core = 0; core < measured.cores.size(); ++core) {
    text += "core " + std::to_string(core) + " package " + std::to_string(measured.cores[core].package);
    char before = ' ';
    text += " cpus";
    for (const std::uint32_t cpu : measured.cores[core].cpus) {
      text += std::exchange(before, ',') + std::to_string(cpu);
    }
    text += "\n";
  }
  text += "nanoseconds\n";
  for (std::size_t from = 0; from < measured.cores.size(); ++from) {
    for (std::size_t to = 0; to < measured.cores.size(); ++to) {
      char number[32];
      std::snprintf(number, sizeof number, "%s%.6g", to == 0 ? "" : " ", measured.between(from, to));
      text += number;
    }
    text += "\n";
  }
  return text + "end\n";
}

std::string difference(const measured_distances& measured, const topology& machine) {
  if (measured.processor != machine.processor())
    return "its processor is " + quoted_or_nameless(measured.processor) + ", this one's is " +
           quoted_or_nameless(machine.processor());
  const labels_by_cpu core_there = labels_there(measured, [](std::size_t core) { return label(core); });
  for (const core_info& core : machine.core_list()) {
    for (const std::uint32_t cpu : core.pus) {
      if (!core_there.contains(cpu)) return "it has no CPU " + std::to_string(cpu) + ", but this one has";
    }
  }
  const std::string cores =
      parted(machine, core_there, [](const core_info& core) { return core.index; }, "core");
  if (!cores.empty()) return cores;
  const labels_by_cpu package_there =
      labels_there(measured, [&](std::size_t core) { return measured.cores[core].package; });
  return parted(machine, package_there, [](const core_info& core) { return core.package; }, "package");
}

std::vector<double> matrix_for(const measured_distances& measured, const topology& machine) {
  const labels_by_cpu there = labels_there(measured, [](std::size_t core) { return label(core); });
  std::vector<double> matrix;
  for (const core_info& from : machine.core_list()) {
    for (const core_info& to : machine.core_list()) {
      matrix.push_back(measured.between(there.at(from.pus.front()), there.at(to.pus.front())));
    }
  }
  return matrix;
}

std::vector<latency_group> latency_groups(std::vector<double> latencies) {
  std::ranges::sort(latencies);
  std::vector<latency_group> groups;
  for (auto first = latencies.begin(); first != latencies.end();) {
    const auto end = std::upper_bound(first, latencies.end(), *first * (1 + latency_slack));
    const auto count = end - first;
    groups.push_back({.min = *first,
                      .max = *std::prev(end),
                      .middle = (first[(count - 1) / 2] + first[count / 2]) / 2,
                      .count = static_cast<std::size_t>(count)});
    first = end;
  }
  return groups;
}

const latency_group& group_of(const std::vector<latency_group>& groups, double latency) {
  const auto next = std::ranges::upper_bound(groups, latency, {}, &latency_group::min);
  return next == groups.begin() ? *next : *std::prev(next);
}

}  // namespace skua::detail
