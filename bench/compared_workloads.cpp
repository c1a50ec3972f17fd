// The workloads that are compared with other runtimes, in place of workloads/registry.cpp.
#include <algorithm>

#include "workloads/common/workload.hpp"

namespace workloads {

#define COMPARED(each)                                                                         \
  each(queens) each(heat) each(mergesort) each(matmul) each(sor) each(gauss) each(cg) each(ep) \
      each(blackscholes) each(streamcluster) each(swaptions) each(quicksort) each(strassen)    \
          each(floyd_warshall) each(wordcount) each(fluidanimate)

#define DECLARED(name) extern const workload name##_workload;
COMPARED(DECLARED)
#undef DECLARED

std::span<const workload* const> all() {
#define LISTED(name) &name##_workload,
  static constexpr const workload* list[] = {COMPARED(LISTED)};
#undef LISTED
  return list;
}

const workload* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, [](const workload* w) { return w->name; });
  return found == all().end() ? nullptr : *found;
}

}  // namespace workloads
