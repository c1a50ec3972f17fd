// Reads networks in the format of the first DIMACS challenge: a line "p max NODES ARCS", the source "n NODE s", the
// sink "n NODE t", a line "a FROM TO CAPACITY" for each arc, and comments "c ...". Nodes are numbered from 1.
#pragma once

#include <string>
#include <string_view>

#include "workloads/common/lines.hpp"
#include "workloads/kernels/maxflow.hpp"

namespace workloads {

inline constexpr std::uint32_t flow_max_nodes = 1u << 26;
inline constexpr std::int64_t flow_max_capacity = std::int64_t{1} << 36;

/// Throws skua::bad_input with the file and the line.
inline flow_problem read_flow_problem(const std::string& file) {
  flow_problem problem;
  std::size_t arcs = 0;
  bool has_source = false, has_sink = false;
  line_reader lines(file);
  const auto node = [&] {
    return lines.number<std::uint32_t>("a node, 1 to " + std::to_string(problem.nodes), 1, problem.nodes) - 1;
  };
  while (lines.next()) {
    const std::string_view kind = lines.word();
    if (kind.front() == 'c') continue;
    if ((kind == "p") != (problem.nodes == 0))
      lines.refuse("one line 'p max NODES ARCS' before all others", kind);
    if (kind == "p") {
      if (const std::string_view what = lines.word(); what != "max") lines.refuse("max", what);
      problem.nodes = lines.number<std::uint32_t>("a number of nodes, 2 to 67108864", 2, flow_max_nodes);
      arcs = lines.number<std::size_t>("a number of arcs, 0 to 67108864", 0, flow_max_nodes);
    } else if (kind == "n") {
      const std::uint32_t u = node();
      const std::string_view which = lines.word();
      if (which != "s" && which != "t") lines.refuse("s or t", which);
      (which == "s" ? problem.source : problem.sink) = u;
      if (std::exchange(which == "s" ? has_source : has_sink, true))
        lines.refuse("one source and one sink", which);
    } else if (kind == "a") {
      const std::uint32_t from = node(), to = node();
      problem.edges.push_back(
          {from, to, lines.number<std::int64_t>("a capacity, 0 to 68719476736", 0, flow_max_capacity)});
    } else {
      lines.refuse("a line that begins with c, p, n or a", kind);
    }
    lines.end();
  }
  if (problem.nodes == 0) lines.refuse_end("a line 'p max NODES ARCS'");
  if (!has_source || !has_sink || problem.source == problem.sink)
    lines.refuse_end("lines 'n NODE s' and 'n NODE t' for two different nodes");
  if (problem.edges.size() != arcs)
    lines.refuse_end(std::to_string(arcs) + " arcs in total, not " + std::to_string(problem.edges.size()));
  return problem;
}

}  // namespace workloads
