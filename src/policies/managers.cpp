// managers: stealing by messages. A manager tells the worker with the most tasks to feed a worker with too few.
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
    if (self.load(self.id()) != 0) return found({});  // tasks that the messages brought are in its own queue
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
  // The last resort, when the workers with tasks have not answered for many rounds.
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

constexpr policy_option managers_options[] = {
    {policy_option::whole,
     "radix",
     "8",
     "workers, or managers, under one manager; the number of all workers gives a single manager",
     {},
     2,
     4096},
    {policy_option::choice, "steal", "half",
     "what the fullest worker gives: half of the difference, or one task", amounts},
    {policy_option::whole,
     "underflow",
     "1",
     "a worker is fed while it has fewer tasks than this, the running one included",
     {},
     1,
     1000},
    {policy_option::whole,
     "dedicated",
     "0",
     "the number of last workers that only run managers; at least one worker runs tasks",
     {},
     0,
     1024},
    {policy_option::flag, "rescue", "yes",
     "take by force, nearest first, from a worker that has not answered for long; no: no worker ever touches "
     "another worker's queue"},
    {policy_option::whole, "patience", "64", "fruitless rounds before a rescue", {}, 1, 1e6}};

constexpr std::string_view managers_drawing = R"(
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
     .what = "Only its owner touches a queue. A worker sends its manager the number of its tasks "
             "when that has doubled or halved, and when it has none. The manager tells the fullest "
             "worker to send tasks to one that has too few. Managers of managers do the same for "
             "whole parts of the machine: the i-th worker of one part sends tasks to the i-th "
             "worker of the other. A manager is not a thread: the worker that sends it a message "
             "runs it, unless workers are dedicated to managers. Workers read their messages when "
             "they fork, wait or end a task. A worker in a long task does not answer, so after "
             "some microseconds the manager asks the next fullest. Unless rescue=no, there is a "
             "last resort: a thief that has waited some tens of microseconds takes by force, as "
             "other policies do. With rescue=no only its owner writes a queue, and private tasks "
             "that were forked before a long task wait for its end.",
     .helps = "Many workers, and tasks that fork often: a thief never looks at other workers' "
              "queues, and gets tasks from the worker that has the most.",
     .hurts = "A steal takes about four messages and some of the victim's time, so with few workers "
              "every other policy is faster. A worker in a long task that does not fork answers "
              "late. Messages are allocated. Without memory they use a reserve of 256 KiB, and the "
              "process ends when that is used up for a second.",
     .cost = "nothing while a queue neither doubles nor halves and is not asked for tasks; each "
             "of these events is one call that processes the messages; 3.2 ns a fork in fib on one "
             "worker, where nearest takes 3.0 (`build/release/bench/policy_costs`)",
     .paper = "ADM, task stealing with direct messages: software runtime, hierarchical managers",
     .options = managers_options,
     .drawing = managers_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      const management_options how{.radix = static_cast<std::uint32_t>(given.number("radix")),
                                   .how_much = given.text("steal") == "one" ? amount::one : amount::half,
                                   .underflow = static_cast<std::uint64_t>(given.number("underflow")),
                                   .rescue = given.flag("rescue"),
                                   .dedicated = static_cast<std::uint32_t>(given.number("dedicated"))};
      return std::make_unique<by_messages>(how, static_cast<std::size_t>(given.number("patience")));
    }};

}  // namespace skua::policy
