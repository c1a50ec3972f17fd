#include "cli/run/simulated_text.hpp"

#include <fmt/core.h>

namespace skua::cli {

namespace {

void print_cache(const simulated_cache& one) {
  const std::uint64_t wanted = one.hits + one.demand_misses;
  if (wanted + one.prefetches == 0) return;
  fmt::print("  L{} caches {} hits, {} misses ({:.1f}%), {} lines prefetched\n", one.level, one.hits,
             one.demand_misses,
             wanted == 0 ? 0.0 : 100.0 * static_cast<double>(one.demand_misses) / static_cast<double>(wanted),
             one.prefetches);
}

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) * 1e-6; }

}  // namespace

void print_report(const simulation_report& report) {
  fmt::print("  time      {}\n", to_string(report.times));
  for (const simulated_cache& one : report.caches) print_cache(one);
  simulated_node sum;
  for (const simulated_node& one : report.nodes) {
    sum.bytes_read += one.bytes_read;
    sum.bytes_read_remotely += one.bytes_read_remotely;
    sum.bytes_written += one.bytes_written;
  }
  if (sum.bytes_read + sum.bytes_written != 0)
    fmt::print("  memory    {:.4g} MB read, {:.4g} of them from another package; {:.4g} MB written\n",
               megabytes(sum.bytes_read), megabytes(sum.bytes_read_remotely), megabytes(sum.bytes_written));
}

}  // namespace skua::cli
