// depth_aware: of some random victims, the one whose next task has the smallest depth in the recursion.
#include <limits>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class smallest_depth final : public steal_policy {
 public:
  smallest_depth(std::size_t candidates, amount how_much) : candidates_(candidates), how_much_(how_much) {}

  stolen acquire(thief& self) override {
    worker_id target = self.id();
    std::int64_t min = 0;
    for (const worker_id candidate : self.random_workers(candidates_)) {
      const std::optional<hint> seen = self.peek(candidate);
      if (!seen) continue;  // a failed peek is no candidate
      const std::int64_t its_depth = depth_of(*seen);
      if (target != self.id() && its_depth >= min) continue;
      target = candidate;
      min = its_depth;
    }
    if (target == self.id()) return {};
    const auto no_deeper = [&](const hint& of_task) { return depth_of(of_task) <= min; };
    return self.try_steal(target, how_much_, no_deeper);
  }

 private:
  // A task without a depth comes last.
  static std::int64_t depth_of(const hint& of_task) {
    const auto said = of_task.as<depth>();
    return said ? said->value : std::numeric_limits<std::int64_t>::max();
  }

  const std::size_t candidates_;
  const amount how_much_;
};

constexpr policy_option depth_aware_options[] = {
    {policy_option::whole, "candidates", "2", "the number of random victims to look at", {}, 1, 4096},
    half_option};

constexpr std::string_view depth_aware_drawing = R"(
(0) ──┬── peek ───► 3    its next task: depth 6
      └── peek ───► 5    its next task: depth 2, the smallest
(0) ───── steal ──► 5    unless its next task is now a deeper one
)";

}  // namespace

const builtin depth_aware{
    {.name = "depth_aware",
     .summary = "of some random victims, the one whose next task has the smallest skua::depth",
     .what = "The thief peeks at the hints of a few random victims' next tasks. It steals the "
             "task with the smallest depth, unless a deeper task has replaced it meanwhile. Tasks without "
             "a depth come last.",
     .helps = "Divide and conquer: a shallow task is a large one, so fewer steals move more work.",
     .hurts = "Each look at a hint is a remote read. The policy ignores distance. Where the "
              "recursion is not balanced, depth says nothing about size.",
     .cost = "nothing without hints; a fork with a hint writes two words and the hint into its "
             "frame: no difference in fib (`build/release/bench/policy_costs`)",
     .paper = "user-defined stealing, depth-aware",
     .options = depth_aware_options,
     .drawing = depth_aware_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<smallest_depth>(static_cast<std::size_t>(given.number("candidates")),
                                              amount_of(given));
    }};

}  // namespace skua::policy
