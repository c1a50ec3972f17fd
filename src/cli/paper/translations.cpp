// The sizes of translation buffers that a tree of managers needs.
#include <algorithm>
#include <set>
#include <vector>

#include "cli/paper/paper.hpp"
#include "managers/worker_part.hpp"

namespace skua::cli {
namespace {

using namespace managers;

/// Always has another task.
class endless_queue final : public task_queue {
 public:
  std::uint64_t size() const override { return 2; }
  void put(const task_descriptor&) override {}
  task_descriptor take(std::uint64_t, std::uint64_t& taken) override {
    taken = 1;
    return {};
  }
};

/// What a worker sends after all managers above it have asked it for tasks for each of their other parts.
class asked_worker {
 public:
  asked_worker(const manager_tree& tree, std::uint32_t worker) : tree_(tree) {
    endless_queue tasks;
    worker_part asked(tree, worker, tasks);
    asked.begin(sent);
    for (party mine = worker_party(worker); mine != tree.root(); mine = tree.parent(mine))
      ask_for_siblings(asked, worker, mine);
    asked.answer(sent);
  }

  outbox sent;

 private:
  void ask_for_siblings(worker_part& asked, std::uint32_t worker, party mine) {
    const party above = tree_.parent(mine);
    for (std::uint32_t i = 0; i < tree_.children(above); ++i) {
      const party thieves = tree_.child(above, i);
      if (thieves == mine) continue;
      const steal wanted{mine.height, 1, tree_.counterpart(worker_party(worker), mine, thieves)};
      asked.receive({above, worker_party(worker), wanted}, sent);
    }
  }

  const manager_tree& tree_;
};

/// The receivers of each thread's messages.
class message_log {
 public:
  explicit message_log(const manager_tree& tree) : tree_(tree), receivers_(tree.workers()) {
    for (std::uint32_t worker = 0; worker < tree_.workers(); ++worker)
      for (const envelope& sent : asked_worker(tree_, worker).sent) add(sent.from, sent.to);
    for (level_id level = 0; level < tree_.levels(); ++level)
      for (std::uint32_t i = 0; i < tree_.managers(level); ++i) add_messages_of(manager_party(level, i));
  }

  const std::set<std::uint32_t>& receivers(std::uint32_t thread) const { return receivers_[thread]; }

 private:
  void add(party from, party to) {
    const std::uint32_t sender = tree_.thread_of(from, 0), receiver = tree_.thread_of(to, 0);
    if (sender != receiver) receivers_[sender].insert(receiver);
  }

  /// STEAL and UNBLOCK go down the tree, updates go up.
  void add_messages_of(party manager) {
    for (std::uint32_t i = 0; i < tree_.children(manager); ++i) add(manager, tree_.child(manager, i));
    if (manager != tree_.root()) add(manager, tree_.parent(manager));
  }

  const manager_tree& tree_;
  std::vector<std::set<std::uint32_t>> receivers_;  // by thread
};

}  // namespace

std::size_t translations_needed(const manager_tree& tree, std::uint32_t threads_a_core) {
  const message_log all(tree);
  std::size_t max = 0;
  for (std::uint32_t first = 0; first < tree.workers(); first += threads_a_core) {
    std::set<std::uint32_t> known;
    for (std::uint32_t i = first; i < std::min(first + threads_a_core, tree.workers()); ++i)
      known.insert(all.receivers(i).begin(), all.receivers(i).end());
    max = std::max(max, known.size());
  }
  return max;
}

std::size_t translations_needed_anywhere(const manager_tree& tree) {
  std::size_t of_worker = 0, of_manager = 0;
  for (std::uint32_t worker = 0; worker < tree.workers(); ++worker) {
    std::set<std::size_t> parties;
    for (const envelope& sent : asked_worker(tree, worker).sent) parties.insert(tree.number_of(sent.to));
    of_worker = std::max(of_worker, parties.size());
  }
  for (level_id level = 0; level < tree.levels(); ++level)
    for (std::uint32_t i = 0; i < tree.managers(level); ++i) {
      const party one = manager_party(level, i);
      of_manager = std::max<std::size_t>(of_manager, tree.children(one) + (one == tree.root() ? 0 : 1));
    }
  return of_worker + of_manager;
}

}  // namespace skua::cli
