// The list of workloads. To add one, add a file to this folder and its name here.
#include <algorithm>

#include "workloads/common/workload.hpp"

namespace workloads {

#ifdef WORKLOADS_FROM  // a subset, for a program that is not linked with all of them
#include WORKLOADS_FROM
#else
#define WORKLOADS(each)                                                                                    \
  each(fib) each(queens) each(heat) each(mergesort) each(matmul) each(uts) each(skynet)                    \
      each(wordcount_files) each(fft) each(ck) each(cholesky) each(sor) each(gauss) each(cg) each(ep)      \
          each(is) each(sgemm) each(triad) each(canneal) each(maxflow) each(canny) each(cg16) each(gtfold) \
              each(hashjoin) each(blackscholes) each(fluidanimate) each(streamcluster) each(swaptions)     \
                  each(hull) each(quicksort) each(strassen) each(floyd_warshall) each(wordcount)
#endif

#define DECLARED(name) extern const workload name##_workload;
WORKLOADS(DECLARED)
#undef DECLARED

std::span<const workload* const> all() {
#define LISTED(name) &name##_workload,
  static constexpr const workload* list[] = {WORKLOADS(LISTED)};
#undef LISTED
  return list;
}

const workload* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, [](const workload* w) { return w->name; });
  return found == all().end() ? nullptr : *found;
}

}  // namespace workloads
