// skynet: sums the numbers of the leaves of a tree in which every inner node has ten children.
//
// Tasks: every node is a task, without a cut-off. Leaves only return their number. `form` selects how a node runs its
// ten children: `loop`, a parallel_for that fills an array; `reduce`, a parallel_reduce; `group`, ten tasks that are
// added to a task_group one by one.
// Paper: none. It is Alexander Temerev's benchmark of many tiny tasks, 2016, which goes up to 10^6 leaves.
#include <array>
#include <numeric>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"

namespace workloads {
namespace {

using child_sums = std::array<std::int64_t, 10>;
std::int64_t add(const child_sums& of) { return std::accumulate(of.begin(), of.end(), std::int64_t{0}); }

std::int64_t skynet_sequential(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  std::int64_t sum = 0;
  for (int i = 0; i < 10; ++i) sum += skynet_sequential(first + i * (leaves / 10), leaves / 10);
  return sum;
}

std::int64_t skynet_loop(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  child_sums children;
  skua::parallel_for(0, 10, [&children, first, part = leaves / 10](int i) {
    children[static_cast<std::size_t>(i)] = skynet_loop(first + i * part, part);
  });
  return add(children);
}

std::int64_t skynet_reduce(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  return skua::parallel_reduce(
      0, 10, std::int64_t{0},
      [first, part = leaves / 10](int i) { return skynet_reduce(first + i * part, part); }, std::plus<>{});
}

std::int64_t skynet_group(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  child_sums children;
  skua::task_group tasks;
  for (std::int64_t i = 0; std::int64_t& child : children)
    tasks.run(
        [&child, from = first + leaves / 10 * i++, part = leaves / 10] { child = skynet_group(from, part); });
  tasks.wait();
  return add(children);
}

class skynet_program : public program {
 public:
  explicit skynet_program(const parameters& asked)
      : form_(asked.choice("form", {"loop", "reduce", "group"})) {
    for (std::int64_t k = asked.number("k", asked.pick(6, 7, 6), 0, 9); k > 0; --k) leaves_ *= 10;
  }
  void prepare() override { answer_ = -1; }
  void sequential() override { answer_ = skynet_sequential(0, leaves_); }
  void parallel() override {
    if (form_ == "loop") answer_ = skynet_loop(0, leaves_);
    if (form_ == "reduce") answer_ = skynet_reduce(0, leaves_);
    if (form_ == "group") answer_ = skynet_group(0, leaves_);
  }
  answer_check verify() override {
    const std::int64_t expected = leaves_ * (leaves_ - 1) / 2;
    const std::string text = "0 + ... + " + std::to_string(leaves_ - 1) + " = ";
    if (answer_ == expected) return {true, text + std::to_string(answer_)};
    return {false, text + std::to_string(expected) + ", but the answer was " + std::to_string(answer_)};
  }
  void flip_one() override { answer_ ^= 1; }

 private:
  std::string form_;
  std::int64_t leaves_ = 1;
  std::int64_t answer_ = -1;
};

}  // namespace

extern const workload skynet_workload{
    .name = "skynet",
    .summary = "a tree with ten children at each node, every node a task: millions of tiny tasks",
    .ci = "10^6 leaves (next to no memory)",
    .med = "10^7 leaves",
    .paper = "10^6 leaves (next to no memory)",
    .options = {{"k", "0 .. 9", "10^k leaves"},
                {"form", "loop|reduce|group",
                 "how a node runs its children: parallel_for, parallel_reduce or task_group"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<skynet_program>(asked);
    }};

}  // namespace workloads
