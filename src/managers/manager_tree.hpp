// The tree of managers: workers are the leaves, and each `radix` adjacent nodes have one manager, up to a single root.
//
//   manager_tree tree(64, 4);          // 16 managers of level 0, 4 of level 1, 1 of level 2
//   tree.parent(worker_party(5));      // manager 0.1, over workers 4 to 7
//
// Workers with adjacent numbers are near each other (placement), so a part of the tree is a part of the machine. A
// radix of at least the number of workers is the centralised form: one manager.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/for_simulator.hpp"

namespace skua::managers {

using level_id = std::uint32_t;

/// A worker or a manager.
struct party {
  // 0: a worker; else one more than the manager's level.
  std::uint32_t height = 0;
  std::uint32_t index = 0;  // among those of this height
  bool operator==(const party&) const = default;
};
inline party worker_party(std::uint32_t index) { return {0, index}; }
inline party manager_party(level_id level, std::uint32_t index) { return {level + 1, index}; }
std::string to_string(party p);

struct worker_range {
  std::uint32_t first;
  std::uint32_t last;  // one past the end
  std::uint32_t size() const { return last - first; }
};

class manager_tree {
 public:
  static constexpr std::uint32_t min_radix = 2;
  static constexpr std::uint32_t max_radix = 4096;  // as many as there may be workers
  static constexpr std::uint32_t max_dedicated = 1024;
  static constexpr std::uint32_t max_underflow = 1'000'000;
  static constexpr std::uint32_t default_radix = 8;  // the paper's; 4 to 16 are alike there

  /// `workers` is 1 or more, `radix` within its bounds.
  SKUA_FOR_SIMULATOR manager_tree(std::uint32_t workers, std::uint32_t radix);

  std::uint32_t workers() const { return counts_.front(); }
  std::uint32_t levels() const { return static_cast<std::uint32_t>(counts_.size()) - 1; }
  std::uint32_t managers(level_id level) const { return counts_[level + 1]; }
  party root() const { return {levels(), 0}; }

  party parent(party p) const { return {p.height + 1, p.index / radix_}; }
  SKUA_FOR_SIMULATOR std::uint32_t children(party manager) const;
  party child(party manager, std::uint32_t which) const {
    return {manager.height - 1, manager.index * radix_ + which};
  }
  std::uint32_t which_child(party p) const { return p.index % radix_; }
  /// Its ancestor of that height, or itself.
  party ancestor(party p, std::uint32_t height) const;
  worker_range workers_below(party p) const;
  /// The worker that `worker` feeds: the i-th worker of the victim part feeds the i-th worker of the thief part.
  party counterpart(party worker, party victims, party thieves) const;

  /// The level of the lowest manager over both; they differ and are of one height.
  level_id common_level(party a, party b) const;

  /// Each party has a number: workers first, then the managers, the root last.
  std::size_t parties() const { return starts_.back(); }
  std::size_t number_of(party p) const { return starts_[p.height] + p.index; }

  /// The thread that runs a party's code. A worker runs its own. A manager runs on a worker, or on one of `dedicated`
  /// threads that only run managers, numbered from workers() on. On a worker, a manager runs at the first worker of its
  /// middle child. So each manager has its own worker, as the paper's 31 translations require. No two are adjacent, so
  /// they share no core. None runs on the first worker, whose program makes the tasks.
  SKUA_FOR_SIMULATOR std::uint32_t thread_of(party p, std::uint32_t dedicated) const;

 private:
  std::uint32_t radix_;
  std::vector<std::uint32_t> counts_;  // by height
  std::vector<std::size_t> starts_;    // by height, and the number of all
};

}  // namespace skua::managers
