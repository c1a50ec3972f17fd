// managers: stealing by messages; who has too few tasks is fed by who has most, as their manager says.
#include <algorithm>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class by_messages final : public steal_policy {
 public:
  by_messages(const management_options& how, std::size_t patience) : how_(how), patience_(patience) {}

  std::optional<management_options> managed() const override { return how_; }

  stolen acquire(thief& self) override {
    self.act_on_messages();
    if (self.load(self.id()) != 0) return found({});  // what they have brought is this worker's own now
    if (!how_.rescue || is_dedicated(self)) return {};
    if (++fruitless_ < patience_ && !self.forces()) return {};
    return found(by_force(self));
  }

 private:
  stolen found(stolen task) {
    fruitless_ = 0;
    return task;
  }
  bool is_dedicated(const thief& self) const {
    const std::size_t workers = self.machine().workers();
    return self.id() + std::min<std::size_t>(how_.dedicated, workers - 1) >= workers;
  }
  // The last resort: whoever has something has not answered for long.
  static stolen by_force(thief& self) {
    for (std::size_t level = 0; level < self.levels(); ++level)
      for (const worker_id victim : self.at_distance(level))
        if (self.load(victim) != 0)
          if (stolen task = self.try_steal(victim)) return task;
    return {};
  }

  const management_options how_;
  const std::size_t patience_;
  std::size_t fruitless_ = 0;  // rounds
};

constexpr std::string_view amounts[] = {"half", "one"};

constexpr policy_option options[] = {
    {policy_option::whole,
     "radix",
     "8",
     "workers, or managers, under one manager; as many as there are workers: a single manager",
     {},
     2,
     4096},
    {policy_option::choice, "steal", "half", "what the fullest gives: half of what it has more, or one task",
     amounts},
    {policy_option::whole,
     "underflow",
     "1",
     "a worker is fed while it has fewer tasks, the running one included",
     {},
     1,
     1000},
    {policy_option::whole,
     "dedicated",
     "0",
     "so many of the last workers run managers and ask for no tasks; one worker is left for tasks",
     {},
     0,
     1024},
    {policy_option::flag, "rescue", "yes",
     "take by force, nearest first, from who has not answered for long; no: nobody ever touches another "
     "one's queue"},
    {policy_option::whole, "patience", "64", "fruitless rounds before that", {}, 1, 1e6}};

constexpr std::string_view drawing = R"(
                   manager 1.0
          ┌─────────────┴─────────────┐
      manager 0.0                 manager 0.1
 ┌──────┬─┴────┬──────┐      ┌──────┬─┴────┬──────┐
(0)     1      2      3      4      5      6      7
 ▲      │
 └ TASK ┘     up:   UPDATE<0 tasks> of 0, UPDATE<8 tasks> of 1
              down: STEAL<4 tasks, for 0> to 1
)";

}  // namespace

const builtin managers{
    {.name = "managers",
     .summary = "by messages only: managers tell full workers to feed the blocked ones",
     .what = "Queues belong to their owners. A worker tells its manager how many tasks it has when that has "
             "doubled or halved, "
             "and when it has none; the manager tells the fullest to send some to who has too few, and "
             "managers of "
             "managers do the same for whole parts of the machine, whose i-th workers feed each other. A "
             "manager is no "
             "thread: whoever posts to one runs it, unless workers are dedicated to them. Workers read their "
             "messages when they fork, wait or end "
             "a task; one in "
             "a long task does not answer, so after some microseconds the next fullest is asked. The last "
             "resort, unless "
             "rescue=no: a thief that has waited some tens of microseconds takes by force as other policies "
             "do. With "
             "rescue=no no queue is ever written but by its owner, and what lies privately below a long task "
             "waits for its "
             "end.",
     .helps = "Many workers, and tasks that fork often: a thief never looks at other workers' queues, and is "
              "sent to the "
              "one that has most.",
     .hurts = "A steal takes about four messages and the victim's own time, so with few workers every other "
              "policy is quicker; "
              "long tasks that do not fork answer late.",
     .cost = "nothing while a queue neither doubles nor is asked for; each of these is one call that acts on "
             "the messages; 3.2 ns a fork in fib on one worker, where nearest takes 3.0 "
             "(`build/release/bench/policy_costs`)",
     .paper = "ADM, task stealing with direct messages: software runtime, hierarchical managers",
     .options = options,
     .drawing = drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      const management_options how{.radix = static_cast<std::uint32_t>(given.number("radix")),
                                   .how_much = given.text("steal") == "one" ? amount::one : amount::half,
                                   .underflow = static_cast<std::uint64_t>(given.number("underflow")),
                                   .rescue = given.flag("rescue"),
                                   .dedicated = static_cast<std::uint32_t>(given.number("dedicated"))};
      return std::make_unique<by_messages>(how, static_cast<std::size_t>(given.number("patience")));
    }};

}  // namespace skua::policy
