// The list of workloads that are compared with other runtimes, for workloads/registry.cpp.
#pragma once

#define WORKLOADS(each)                                                                        \
  each(queens) each(heat) each(mergesort) each(matmul) each(sor) each(gauss) each(cg) each(ep) \
      each(blackscholes) each(streamcluster) each(swaptions) each(quicksort) each(strassen)    \
          each(floyd_warshall) each(wordcount) each(fluidanimate)
