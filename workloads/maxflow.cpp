// maxflow: how much can flow through a network from a source to a sink, when every arc has a capacity?
//
// Tasks: push-relabel, in rounds of two phases each. In the first a task discharges one active node, which
// makes other nodes active, and so on; who pushes when is left to chance, and no locks are needed: only its own
// task takes from a node's excess and from what its arcs can still carry, the others add. The second sets all
// heights to distances again, by breadth-first search backwards from the sink, then from the source: a task is
// a node whose neighbours may get labels. A round ends when nobody is active, or after as many lifts as there
// are nodes. The next one deals out who is still active in runs of neighbours, so that workers seldom push to
// each other's nodes. The flow depends on the schedule, its value does not.
// Paper: ADM (a network of 4K nodes of the same kind, some 600 cycles a task). Push-relabel is Goldberg and
// Tarjan's, 1988; without locks Hong's, "A lock-free multi-threaded algorithm for the maximum flow problem",
// 2008.
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
  const auto most = static_cast<std::uint64_t>(asked.number("capacity", 10000, 1, 1'000'000'000));
  const std::string file = asked.text("input", "");
  return file.empty() ? flow_levels(rows, levels, most, asked.seed.value_or(42)) : read_flow_problem(file);
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
      share().is(i, times_);
      network_.reset();
      flow_parallel(network_, order_, heights_once_).solve();
    }
  }
  verdict verify() override {
    std::string wrong;
    const std::int64_t value = network_.value(wrong);
    if (value < 0) return {false, wrong};
    const std::string says = std::to_string(value) + " through " + std::to_string(network_.size()) +
                             " nodes and " + std::to_string(problem_.edges.size()) +
                             " arcs, and no more is possible";
    if (known_ >= 0 && value != known_)
      return {false, says + ", but published are " + std::to_string(known_)};
    if (!output_.empty()) write_output(output_, flow_picture(problem_, network_));
    return {true,
            says + (known_ >= 0 ? "; as published" : "") + (output_.empty() ? "" : "; drawn in " + output_)};
  }
  void flip_one() override {
    if (problem_.edges.empty()) nothing_to_damage("for no arcs", "a network with one arc or more");
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
    .summary = "the largest flow through a network, by push-relabel: a task for each active node",
    .ci = "16 x 16 nodes",
    .med = "256 x 256 nodes, 6 times; also rows=64 levels=64 times=10",
    .paper = "64 x 64 nodes (1 MB)",
    .options = {{"rows", "3 .. 4096", "nodes of a level of the random network"},
                {"levels", "1 .. 4096", "its levels"},
                {"capacity", "1 .. 1000000000", "the most that one of its arcs carries"},
                {"input", "FILE", "a network in DIMACS format instead"},
                {"output", "FILE", "draws the flow and its bottleneck as SVG"},
                {"order", "fifo|lifo", "which of its active nodes a worker takes next"},
                {"heights", "rounds|once",
                 "set to distances in each round, or at the start only, and one long round"},
                {"times", "1 .. 1000", "how often"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<maxflow_program>(asked);
    }};

}  // namespace workloads
