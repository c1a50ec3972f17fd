// uts: counts the nodes of a tree of unpredictable shape.
//
// Tasks: every node is a task, and all tasks are in one group. A task computes its children, adds them to the group and
// ends without waiting. So the stack does not grow with the depth of the tree. Each worker has its own counts, which
// are added at the end. T1 is bushy to depth 10. T3 is 2000 thin trees, some of them 1500 levels deep; the root does
// not reveal the size of a tree.
// Paper: Olivier et al., "UTS: An Unbalanced Tree Search Benchmark", 2006. It is a standard benchmark of the field, in
// none of skua's papers.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/uts.hpp"

namespace workloads {
namespace {

// Cycles for one node, calibrated on one worker. Most of them are for a SHA-1.
constexpr double node_cycles = 915;

class uts_search {
 public:
  explicit uts_search(const uts_tree& tree) : tree_(tree) {}

  uts_tally count() {
    visit(uts_root(tree_));
    tasks_.wait();
    return tallies_.combine(uts_tally{}, std::plus<>{});
  }

 private:
  void visit(const uts_node& node) {
    const int children = uts_children(tree_, node);
    skua::costs(node_cycles);
    uts_tally& tally = tallies_.local();
    tally = tally + uts_tally{1, children == 0, node.depth};
    for (int i = 0; i < children; ++i) tasks_.run([this, child = uts_child(node, i)] { visit(child); });
  }

  const uts_tree& tree_;
  skua::per_worker<uts_tally> tallies_;
  skua::task_group tasks_;
};

class uts_program : public program {
 public:
  explicit uts_program(const parameters& asked) {
    const std::string tree = asked.choice("tree", {"default", "T1", "T3"});
    if (tree == "default")
      tree_ = asked.pick(uts_t1_short, uts_t1, uts_t3);
    else
      tree_ = tree == "T3" ? uts_t3 : uts_t1;
    if (asked.seed) tree_.seed = static_cast<std::uint32_t>(*asked.seed);
  }

  void prepare() override { tally_ = {}; }
  void sequential() override { tally_ = uts_sequential(tree_, uts_root(tree_)); }
  void parallel() override { tally_ = uts_search(tree_).count(); }
  answer_check verify() override {
    if (expected_.nodes == 0) expected_ = uts_known(tree_);
    if (expected_.nodes == 0) expected_ = uts_sequential(tree_, uts_root(tree_));
    if (tally_ == expected_) return {true, text(tally_)};
    return {false, text(expected_) + ", but the answer was " + text(tally_)};
  }
  void flip_one() override { ++tally_.leaves; }

 private:
  static std::string text(const uts_tally& t) {
    return std::to_string(t.nodes) + " nodes, " + std::to_string(t.leaves) + " leaves, depth " +
           std::to_string(t.depth);
  }

  uts_tree tree_;
  uts_tally tally_, expected_;
};

}  // namespace

extern const workload uts_workload{
    .name = "uts",
    .summary = "count the nodes of an unbalanced tree, which SHA-1 generates",
    .ci = "T1 cut to depth 6, 16000 nodes",
    .med = "T1, 4130071 nodes",
    .paper = "T3, 4112897 nodes, depth 1572 (next to no memory)",
    .options = {{"tree", "default|T1|T3", "tree to search; the default depends on the size"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<uts_program>(asked);
    }};

}  // namespace workloads
