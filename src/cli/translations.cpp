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

/// What a worker sends that every manager above has asked to feed each of its other parts.
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

/// Whom each thread sends something.
class listener {
 public:
  explicit listener(const manager_tree& tree) : tree_(tree), spoken_to_(tree.workers()) {
    for (std::uint32_t worker = 0; worker < tree_.workers(); ++worker)
      for (const envelope& sent : asked_worker(tree_, worker).sent) hear(sent.from, sent.to);
    for (level_id level = 0; level < tree_.levels(); ++level)
      for (std::uint32_t i = 0; i < tree_.managers(level); ++i) speak_as(manager_party(level, i));
  }

  const std::set<std::uint32_t>& spoken_to(std::uint32_t thread) const { return spoken_to_[thread]; }

 private:
  void hear(party from, party to) {
    const std::uint32_t speaker = tree_.thread_of(from, 0), hearer = tree_.thread_of(to, 0);
    if (speaker != hearer) spoken_to_[speaker].insert(hearer);
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
  std::size_t max = 0;
  for (std::uint32_t first = 0; first < tree.workers(); first += threads_a_core) {
    std::set<std::uint32_t> known;
    for (std::uint32_t i = first; i < std::min(first + threads_a_core, tree.workers()); ++i)
      known.insert(all.spoken_to(i).begin(), all.spoken_to(i).end());
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
