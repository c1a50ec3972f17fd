// An SVG picture of a flow: the nodes in columns by their distance from the source in arcs, the flow through the arcs,
// and the minimum cut, which proves that the flow is the maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/kernels/maxflow.hpp"

namespace workloads {

namespace detail {

struct flow_point {
  double x, y;
};

/// Nodes in the order of a breadth-first search from the source, along arcs of any capacity. Nodes that are not reached
/// come last.
inline std::vector<std::vector<std::uint32_t>> flow_columns(const flow_problem& problem) {
  std::vector<std::vector<std::uint32_t>> next(problem.nodes), columns = {{problem.source}};
  for (const flow_edge& e : problem.edges) next[e.from].push_back(e.to);
  std::vector<bool> seen(problem.nodes);
  seen[problem.source] = true;
  for (std::vector<std::uint32_t> column = columns[0]; !column.empty();) {
    std::vector<std::uint32_t> found;
    for (const std::uint32_t u : column)
      for (const std::uint32_t v : next[u])
        if (!seen[v]) seen[v] = true, found.push_back(v);
    std::ranges::sort(found);
    column = found;
    if (!found.empty()) columns.push_back(std::move(found));
  }
  std::vector<std::uint32_t> others;
  for (std::uint32_t u = 0; u < problem.nodes; ++u)
    if (!seen[u]) others.push_back(u);
  if (!others.empty()) columns.push_back(std::move(others));
  return columns;
}

}  // namespace detail

/// Arcs with a flow are blue, with a width proportional to the flow; arcs across the minimum cut, which are full, are
/// red. Nodes that the source can still push to are black, the others white.
inline std::string flow_picture(const flow_problem& problem, const flow_network& solved) {
  constexpr double width = 1600, height = 1000, margin = 20;
  const auto columns = detail::flow_columns(problem);
  std::vector<detail::flow_point> at(problem.nodes);
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t r = 0; r < columns[c].size(); ++r)
      at[columns[c][r]] = {margin + (width - 2 * margin) * (static_cast<double>(c) + 0.5) /
                                        static_cast<double>(columns.size()),
                           margin + (height - 2 * margin) * (static_cast<double>(r) + 0.5) /
                                        static_cast<double>(columns[c].size())};
  std::int64_t max = 1;
  for (const flow_edge& e : problem.edges) max = std::max(max, e.capacity);
  const std::vector<bool> near = solved.reachable();
  std::string svg =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1600 1000\">\n"
      "<rect width=\"1600\" height=\"1000\" fill=\"white\"/>\n";
  const auto number = [](double x) { return std::to_string(x).substr(0, std::to_string(x).find('.') + 2); };
  solved.each_flow([&](std::uint32_t from, std::uint32_t to, std::int64_t flow) {
    const bool across = near[from] && !near[to];
    svg += "<line x1=\"" + number(at[from].x) + "\" y1=\"" + number(at[from].y) + "\" x2=\"" +
           number(at[to].x) + "\" y2=\"" + number(at[to].y) + "\" stroke=\"" +
           (across ? "red" : "steelblue") + "\" stroke-width=\"" +
           number(0.3 + 5 * static_cast<double>(flow) / static_cast<double>(max)) + "\"/>\n";
  });
  const double radius = std::clamp(200 / std::sqrt(static_cast<double>(problem.nodes) + 1), 1.0, 8.0);
  for (std::uint32_t u = 0; u < problem.nodes; ++u)
    svg += "<circle cx=\"" + number(at[u].x) + "\" cy=\"" + number(at[u].y) + "\" r=\"" + number(radius) +
           "\" stroke=\"black\" fill=\"" + (near[u] ? "black" : "white") + "\"/>\n";
  return svg + "</svg>\n";
}

}  // namespace workloads
