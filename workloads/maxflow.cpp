// maxflow: computes the maximum flow through a network from a source to a sink; every arc has a capacity.
//
// Tasks: push-relabel, in rounds of two phases each. In the first phase a task discharges one active node, which makes
// other nodes active. The order of pushes does not matter and no locks are needed: only a node's own task takes from
// its excess and from the residual capacity of its arcs, and other tasks only add to them. The second phase sets all
// heights to distances again, by breadth-first search backwards from the sink, then from the source; a task is a node
// whose neighbours may get labels. A round ends when no node is active, or after as many lifts as there are nodes. The
// next round deals out the active nodes in runs of neighbours, so that workers seldom push to each other's nodes. The
// flow depends on the schedule, its value does not.
// Paper: ADM (a network of the same kind with 4K nodes, about 600 cycles a task). Push-relabel is by Goldberg and
// Tarjan, 1988; the version without locks is Hong's, "A lock-free multi-threaded algorithm for the maximum flow
// problem", 2008.
#include <skua/skua.hpp>

#include "workloads/common/output.hpp"
#include "workloads/common/workload.hpp"
#include "workloads/kernels/maxflow.hpp"
#include "workloads/kernels/maxflow_file.hpp"
#include "workloads/kernels/maxflow_picture.hpp"
#include "workloads/maxflow_rounds.hpp"

namespace workloads {
namespace {

flow_problem flow_input(const parameters& asked) {
  const auto rows = static_cast<std::uint32_t>(asked.number("rows", asked.pick(16, 256, 64), 3, 4096));
  const auto levels = static_cast<std::uint32_t>(asked.number("levels", asked.pick(16, 256, 64), 1, 4096));
  const auto max_capacity = static_cast<std::uint64_t>(asked.number("capacity", 10000, 1, 1'000'000'000));
  const std::string file = asked.text("input", "");
  return file.empty() ? flow_levels(rows, levels, max_capacity, asked.seed.value_or(42))
                      : read_flow_problem(file);
}

class maxflow_program : public program {
 public:
  explicit maxflow_program(const parameters& asked)
      : order_(asked.choice("order", {"fifo", "lifo"}) == "lifo" ? skua::order::lifo : skua::order::fifo),
        heights_once_(asked.choice("heights", {"rounds", "once"}) == "once"),
        times_(asked.number("times", asked.pick(1, 6, 1), 1, 1000)),
        output_(checked_output(asked)),
        problem_(flow_input(asked)),
        network_(problem_),
        known_(flow_known(flow_hash(problem_))) {}

  void prepare() override { network_.reset(); }
  void sequential() override {
    for (std::int64_t i = 0; i < times_; ++i) {
      network_.reset();
      flow_sequential(network_).solve();
    }
  }
  void parallel() override {
    for (std::int64_t i = 0; i < times_; ++i) {
      share().set(i, times_);
      network_.reset();
      flow_parallel(network_, order_, heights_once_).solve();
    }
  }
  answer_check verify() override {
    std::string wrong;
    const std::int64_t value = network_.value(wrong);
    if (value < 0) return {false, wrong};
    const std::string text = std::to_string(value) + " is the maximum flow through " +
                             std::to_string(network_.size()) + " nodes and " +
                             std::to_string(problem_.edges.size()) + " arcs";
    if (known_ >= 0 && value != known_)
      return {false, text + ", but the published value is " + std::to_string(known_)};
    if (!output_.empty()) write_output(output_, flow_picture(problem_, network_));
    return {true, text + (known_ >= 0 ? "; as published" : "") +
                      (output_.empty() ? "" : "; drawing in " + output_)};
  }
  void flip_one() override {
    if (problem_.edges.empty()) nothing_to_damage("for no arcs", "a network with at least one arc");
    ++network_.arcs(problem_.edges[0].from)[0].residual;
  }

 private:
  skua::order order_;
  bool heights_once_;
  std::int64_t times_;
  std::string output_;
  flow_problem problem_;
  flow_network network_;
  std::int64_t known_;
};

}  // namespace

extern const workload maxflow_workload{
    .name = "maxflow",
    .summary = "maximum flow through a network by push-relabel: one task for each active node",
    .ci = "16 x 16 nodes",
    .med = "256 x 256 nodes, 6 times; also rows=64 levels=64 times=10",
    .paper = "64 x 64 nodes (1 MB)",
    .options =
        {{"rows", "3 .. 4096", "nodes in each level of the random network"},
         {"levels", "1 .. 4096", "levels of the random network"},
         {"capacity", "1 .. 1000000000", "maximum capacity of an arc of the random network"},
         {"input", "FILE", "read a network in DIMACS format instead"},
         {"output", "FILE", "write an SVG drawing of the flow and the minimum cut to this file"},
         {"order", "fifo|lifo", "order in which a worker takes its active nodes"},
         {"heights", "rounds|once",
          "reset heights to distances in each round, or only once at the start of a single long round"},
         {"times", "1 .. 1000", "number of repetitions"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<maxflow_program>(asked);
    }};

}  // namespace workloads
