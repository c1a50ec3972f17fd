// floyd_warshall: computes the lengths of the shortest paths between all n nodes of a graph.
//
// Tasks: one parallel loop over all rows for each node k, so n loops one after another. A task has at least `rows`
// rows. All tasks read row k, which one task has just written: with more workers, the row travels to more cores.
// Paper: the TBB thesis, 4096 x 4096 (Floyd, 1962; Warshall, 1962), as an example of a program that shares much data.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/floyd_warshall.hpp"

namespace workloads {
namespace {

constexpr double entry_cycles = 0.143, row_cycles = 18;  // of the kernel alone, AVX-512: bench/leaf_costs.cpp

void floyd_warshall(std::int32_t* distances, std::size_t n, std::int64_t rows, run_share& share) {
  for (std::size_t k = 0; k < n; ++k) {
    share.set(k, n);
    skua::parallel_for(skua::blocked(std::size_t{0}, n, rows), [=](std::size_t first, std::size_t last) {
      skua::reads(distances + k * n, n);
      skua::writes(distances + first * n, (last - first) * n);
      skua::costs((row_cycles + entry_cycles * static_cast<double>(n)) * static_cast<double>(last - first));
      floyd_warshall_rows(distances, n, k, first, last);
    });
  }
}

class floyd_warshall_program : public program {
 public:
  explicit floyd_warshall_program(const parameters& asked)
      : n_(static_cast<std::size_t>(asked.number("n", asked.pick(128, 1536, 4096), 1, 16384))),
        rows_(asked.number("rows", 16, 1, 16384)),
        seed_(asked.seed.value_or(42)),
        edges_(random_graph(seed_, n_)) {}

  void prepare() override { distances_ = edges_; }
  void sequential() override { floyd_warshall_sequential(distances_.data(), n_); }
  void parallel() override { floyd_warshall(distances_.data(), n_, rows_, share()); }
  answer_check verify() override {
    for (const std::size_t source : {std::size_t{0}, n_ / 2, n_ - 1})
      if (!std::ranges::equal(distances_from(edges_, n_, source),
                              std::span(distances_).subspan(source * n_, n_)))
        return {false, "the distances from node " + std::to_string(source) + " differ from Dijkstra's"};
    const distances_known found = distances_tally(distances_);
    const std::string text =
        "sum of distances " + std::to_string(found.sum) + ", largest " + std::to_string(found.largest);
    const distances_known published = seed_ == 42 ? distances_published(n_) : distances_known();
    if (published.sum != 0 ? found != published : found != sequential_tally())
      return {false, text + ", not the " + (published.sum != 0 ? "published" : "sequential") + " answer"};
    return {true, text + (published.sum != 0 ? ", as published" : "")};
  }
  void flip_one() override { distances_[n_ * n_ / 2] ^= 1; }

 private:
  const distances_known& sequential_tally() {
    if (!sequential_tally_) {
      std::vector<std::int32_t> distances = edges_;
      floyd_warshall_sequential(distances.data(), n_);
      sequential_tally_ = distances_tally(distances);
    }
    return *sequential_tally_;
  }

  std::size_t n_;
  std::int64_t rows_;
  std::uint64_t seed_;
  std::vector<std::int32_t> edges_, distances_;
  std::optional<distances_known> sequential_tally_;
};

}  // namespace

extern const workload floyd_warshall_workload{
    .name = "floyd_warshall",
    .summary = "shortest paths between all nodes: n loops over all rows, one after another",
    .ci = "128 nodes",
    .med = "1536 nodes",
    .paper = "4096 nodes (128 MB)",
    .options = {{"n", "1 .. 16384", "nodes"}, {"rows", "1 .. 16384", "minimum number of rows of one task"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<floyd_warshall_program>(asked);
    }};

}  // namespace workloads
