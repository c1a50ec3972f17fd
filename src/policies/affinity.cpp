// affinity: steals the task with the highest affinity for this worker.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class largest_affinity final : public steal_policy {
 public:
  largest_affinity(std::size_t candidates, bool strict) : candidates_(candidates), min_(strict ? 1 : 0) {}

  stolen acquire(thief& self) override {
    worker_id target = self.id();
    std::int32_t max = 0;
    for (const worker_id candidate : self.random_workers(candidates_)) {
      const std::optional<hint> seen = self.peek(candidate);
      if (!seen) continue;  // a failed peek is no candidate
      const std::int32_t wants = seen->wants(self.id());
      if (wants < min_ || (target != self.id() && wants <= max)) continue;
      target = candidate;
      max = wants;
    }
    if (target == self.id()) return {};
    return self.try_steal(target, [&](const hint& of_task) { return of_task.wants(self.id()) >= max; });
  }

 private:
  const std::size_t candidates_;
  const std::int32_t min_;
};

constexpr policy_option affinity_options[] = {
    {policy_option::whole, "candidates", "31", "the number of random victims to look at", {}, 1, 4096},
    {policy_option::flag, "strict", "no",
     "never steal a task without an affinity for this worker, instead of best effort"}};

constexpr std::string_view affinity_drawing = R"(
(0) ──┬── peek ───► 1    next task's affinity:  0   9   0   0
      ├── peek ───► 2                           4   0   0   1   highest for 0
      └── peek ───► 3                           1   1   7   0
(0) ───── steal ──► 2    unless its next task now has a lower affinity for 0
)";

}  // namespace

const builtin affinity{
    {.name = "affinity",
     .summary = "the task with the highest affinity for this worker (skua::affinity)",
     .what = "The thief peeks at the hints of its victims' next tasks. It steals the task with "
             "the highest affinity for its own worker. Best effort also steals a task with an affinity of "
             "zero; strict never does. A thief never steals a task with a negative affinity for its "
             "worker.",
     .helps = "Repeated sweeps over the same data: a task with an affinity for the worker that "
              "ran it last finds its data in that worker's cache.",
     .hurts = "Each look at a hint is a remote read. A worker's own tasks run on it whatever "
              "their affinity. With strict, a program without hints runs on the worker that began it.",
     .cost = "nothing without hints; a fork with a hint writes two words and the hint into its "
             "frame: no difference in fib (`build/release/bench/policy_costs`)",
     .paper = "user-defined stealing, affinity-aware",
     .options = affinity_options,
     .drawing = affinity_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<largest_affinity>(static_cast<std::size_t>(given.number("candidates")),
                                                given.flag("strict"));
    }};

}  // namespace skua::policy
