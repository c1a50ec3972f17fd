#include "cli/translations.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "managers/worker_part.hpp"

namespace skua::cli {
namespace {

using namespace managers;

/// Always has another one to give.
class endless_queue final : public task_queue {
 public:
  std::uint64_t size() const override { return 2; }
  void put(const task_descriptor&) override {}
  task_descriptor take(std::uint64_t, std::uint64_t& taken) override {
    taken = 1;
    return {};
  }
};

/// Whom each thread sends something: workers are asked for all that they can be asked for, and answer as they do in a run.
class listener {
 public:
  explicit listener(const manager_tree& tree) : tree_(tree), spoken_to_(tree.workers()) {
    for (std::uint32_t worker = 0; worker < tree_.workers(); ++worker) ask_for_everything(worker);
    for (level_id level = 0; level < tree_.levels(); ++level)
      for (std::uint32_t i = 0; i < tree_.managers(level); ++i) speak_as(manager_party(level, i));
  }

  const std::set<std::uint32_t>& spoken_to(std::uint32_t thread) const { return spoken_to_[thread]; }

 private:
  std::uint32_t thread_of(party p) const { return p.height == 0 ? p.index : tree_.thread_of(p, 0); }
  void hear(party from, party to) {
    if (thread_of(from) != thread_of(to)) spoken_to_[thread_of(from)].insert(thread_of(to));
  }

  /// By each manager above, for each of its parts.
  void ask_for_everything(std::uint32_t worker) {
    endless_queue tasks;
    worker_part asked(tree_, worker, tasks);
    outbox answers;
    asked.begin(answers);
    for (level_id level = 0; level < tree_.levels(); ++level) {
      const party mine = tree_.ancestor(worker_party(worker), level), above = tree_.parent(mine);
      for (std::uint32_t i = 0; i < tree_.children(above); ++i)
        if (const party thieves = tree_.child(above, i); thieves != mine)
          asked.receive({above, worker_party(worker), steal{level, 1, counterpart(worker, mine, thieves)}},
                        answers);
    }
    asked.answer(answers);
    for (const envelope& sent : answers) hear(sent.from, sent.to);
  }

  party counterpart(std::uint32_t worker, party victims, party thieves) const {
    const worker_range from = tree_.workers_below(victims), to = tree_.workers_below(thieves);
    return worker_party(to.first + (worker - from.first) % to.size());
  }

  /// STEAL and UNBLOCK go down, updates up.
  void speak_as(party manager) {
    for (std::uint32_t i = 0; i < tree_.children(manager); ++i) hear(manager, tree_.child(manager, i));
    if (manager != tree_.root()) hear(manager, tree_.parent(manager));
  }

  const manager_tree& tree_;
  std::vector<std::set<std::uint32_t>> spoken_to_;  // by thread
};

}  // namespace

std::size_t translations_needed(const manager_tree& tree, std::uint32_t threads_a_core) {
  const listener all(tree);
  std::size_t most = 0;
  for (std::uint32_t first = 0; first < tree.workers(); first += threads_a_core) {
    std::set<std::uint32_t> known;
    for (std::uint32_t i = first; i < std::min(first + threads_a_core, tree.workers()); ++i)
      known.insert(all.spoken_to(i).begin(), all.spoken_to(i).end());
    most = std::max(most, known.size());
  }
  return most;
}

}  // namespace skua::cli
