// most_loaded: the worker with the most tasks, found by a scan or by a list of loads that is refreshed periodically.
#include <algorithm>
#include <vector>

#include "policies/builtins.hpp"

namespace skua::policy {

namespace {

class most_loaded_victim : public steal_policy {
 public:
  explicit most_loaded_victim(const arguments& given)
      : refresh_(static_cast<std::size_t>(given.number("refresh"))),
        inside_(given.text("scope") == "domain"),
        how_much_(amount_of(given)) {}

  void on_start(const thief& self) override {
    for (std::size_t level = 0; level < self.levels(); ++level) {
      const bool outside = self.machine().level_nearness(level) > nearness::same_domain;
      if (inside_ && outside && !self.is_head()) break;
      const auto here = self.at_distance(level);
      victims_.insert(victims_.end(), here.begin(), here.end());
    }
    loads_.resize(self.workers());
  }

 protected:
  const std::size_t refresh_;
  const bool inside_;
  const amount how_much_;
  std::vector<worker_id> victims_;  // nearest first until sorted
  std::vector<std::size_t> loads_;  // by worker, as last seen
};

/// Scans every time, or once in `refresh` attempts with random victims between.
class by_scan final : public most_loaded_victim {
 public:
  by_scan(const arguments& given, bool always) : most_loaded_victim(given), always_(always) {}

  stolen acquire(thief& self) override {
    if (victims_.empty()) return {};
    const bool scan = always_ || attempts_++ % refresh_ == 0;
    return scan ? try_heaviest(self) : self.try_steal(victims_[self.random(victims_.size())], how_much_);
  }

 private:
  stolen try_heaviest(thief& self) const {
    worker_id heaviest = victims_[0];
    std::size_t max = 0;
    for (const worker_id victim : victims_)
      if (const std::size_t load = self.load(victim); load > max) {
        max = load;
        heaviest = victim;
      }
    return max == 0 ? stolen() : self.try_steal(heaviest, how_much_);
  }

  const bool always_;
  std::size_t attempts_ = 0;
};

/// Goes down a list sorted by load, which is refreshed every `refresh` attempts.
class by_list final : public most_loaded_victim {
 public:
  explicit by_list(const arguments& given)
      : most_loaded_victim(given), stays_(given.text("after") == "same") {}

  stolen acquire(thief& self) override {
    for (std::size_t i = 0; i < victims_.size(); ++i)
      if (stolen task = attempt(self)) return task;
    return {};
  }

 private:
  stolen attempt(thief& self) {
    if (attempts_++ % refresh_ == 0) refresh(self);
    if (at_ == victims_.size()) at_ = 0;
    stolen task = self.try_steal(victims_[at_], how_much_);
    if (!task)
      ++at_;
    else if (!stays_)
      at_ = 0;
    return task;
  }

  void refresh(thief& self) {
    for (const worker_id victim : victims_) loads_[victim] = self.load(victim);
    // Insertion sort: the list is short and nearly sorted from the last time, and equal loads keep their order.
    for (std::size_t i = 1; i < victims_.size(); ++i)
      for (std::size_t k = i; k > 0 && loads_[victims_[k - 1]] < loads_[victims_[k]]; --k)
        std::swap(victims_[k - 1], victims_[k]);
    at_ = 0;
  }

  const bool stays_;
  std::size_t attempts_ = 0;
  std::size_t at_ = 0;
};

constexpr std::string_view ways[] = {"always", "sometimes", "list"};
constexpr std::string_view afters[] = {"same", "top"};
constexpr std::string_view scopes[] = {"machine", "domain"};
constexpr policy_option most_loaded_options[] = {
    {policy_option::choice, "how", "list",
     "scan for every attempt; scan for one in `refresh` attempts and take random victims between; or go down "
     "a list sorted by load",
     ways},
    {policy_option::whole,
     "refresh",
     "5",
     "attempts between two scans, or two refreshes of the list",
     {},
     1,
     1000},
    {policy_option::choice, "after", "same",
     "the next victim after a success: the same one (the thesis' policy 1) or the top of the list (policy 2)",
     afters},
    {policy_option::choice, "scope", "machine",
     "all workers; or only those of the domain, except for its head", scopes},
    half_option};

constexpr std::string_view most_loaded_drawing = R"(
worker    0     1    (2)    3     4     5
tasks     1     0           7     2     4      as last seen

          ┌── a task: the same victim again, or the top of the list
          ▼
(2) ────► 3 ────► 5 ────► 4 ────► 0 ────► 1 ───┐
          ▲   a miss: the next one on the list │
          └────────────────────────────────────┘
)";

}  // namespace

const builtin most_loaded{
    {.name = "most_loaded",
     .summary = "the worker with the most tasks, found by a scan or by a list of loads",
     .what = "A worker's load is the number of its tasks, private ones included. Either a scan "
             "finds the victim with the highest load, or each thief keeps a list of the others, sorted by "
             "load, and refreshes it from time to time. After a failure it tries the next worker on the "
             "list, and after the last one the first.",
     .helps = "Uneven programs on many workers, where a random victim seldom has a task. With the "
              "list and the scope domain, streaming programs stay local.",
     .hurts = "Each look at a load is a remote read of a line that its owner writes. Scanning for "
              "every attempt is much slower, and so is refreshing the list often. Large and small tasks "
              "count the same.",
     .cost = no_cost,
     .paper = "the TBB thesis, heaviest-first stealing",
     .options = most_loaded_options,
     .drawing = most_loaded_drawing},
    [](const arguments& given) -> std::unique_ptr<steal_policy> {
      if (given.text("how") == "list") return std::make_unique<by_list>(given);
      return std::make_unique<by_scan>(given, given.text("how") == "always");
    }};

}  // namespace skua::policy
