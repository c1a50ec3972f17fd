// round_robin: all workers in turn, from where the last round ended.
#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class round_robin_victim final : public steal_policy {
 public:
  explicit round_robin_victim(amount how_much) : how_much_(how_much) {}

  stolen acquire(thief& self) override {
    const std::size_t workers = self.workers();
    if (next_ == none) next_ = self.id() + 1;
    for (std::size_t tried = 1; tried < workers; ++next_) {
      const auto victim = static_cast<worker_id>(next_ % workers);
      if (victim == self.id()) continue;
      ++tried;
      if (stolen task = self.try_steal(victim, how_much_)) return task;  // the next round begins with it
    }
    return {};
  }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  const amount how_much_;
  std::size_t next_ = none;
};

constexpr policy_option round_robin_options[] = {half_option};

constexpr std::string_view round_robin_drawing = R"(
┌────────────────────────────────────────────────┐
└─► 0 ──► 1    (2)──► 3 ──► 4 ──► 5 ──► 6 ──► 7 ─┘
                      ▲           ▲
        the first round           had a task:
        begins here               the next round begins here
)";

}  // namespace

const builtin round_robin{
    {.name = "round_robin",
     .summary = "all workers in turn, from where the last round ended",
     .what = "The thief tries victims in the order of their numbers, beginning after its own. The "
             "next round begins with the victim that had a task.",
     .helps = "Programs whose work moves slowly from worker to worker; runs without random "
              "numbers.",
     .hurts = "Thieves that start together stay in step and queue at the same victim. The policy "
              "ignores distance.",
     .cost = no_cost,
     .paper = "ADM (victim selection of its software baseline)",
     .options = round_robin_options,
     .drawing = round_robin_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      return std::make_unique<round_robin_victim>(amount_of(given));
    }};

}  // namespace skua::policy
