// Groups of tasks: filled by one task, filled by their own tasks, and cancelled.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include <skua/hint.hpp>
#include <skua/task_group.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {

program::sum program::by_group(tasks all, const surroundings& where, dice& by) {
  const std::size_t pieces = pieces_for(all, by, 24);
  std::vector<sum> sums(pieces);
  std::vector<task_result<sum>> results;
  task_group group;
  for (std::size_t i = 0; i < pieces; ++i) {
    const auto part = [&, i] { return run(all.piece(i, pieces), where); };
    const auto keep = [&, i] { sums[i] = run(all.piece(i, pieces), where); };
    switch (by.below(4)) {
      case 0:
        results.push_back(group.run_returning(part));
        break;
      case 1:
        group.run(hinted(priority{static_cast<std::int64_t>(by.below(8))}, keep));
        break;
      case 2:
        group.run(hinted(affinity_to{static_cast<worker_id>(by.below(pool_.workers()))}, keep));
        break;
      default:
        group.run(keep);
    }
  }
  group.wait();
  sum whole = std::accumulate(sums.begin(), sums.end(), sum{0});
  for (task_result<sum>& one : results) whole += one.get();
  return whole;
}

// Each task adds the next one to the group, before or after its own part.
program::sum program::by_growing_group(tasks all, const surroundings& where, dice& by) {
  const std::size_t pieces = pieces_for(all, by, 12);
  const std::uint64_t before = by.seed();
  std::vector<sum> sums(pieces);
  task_group group;
  const auto link = [&](const auto& self, std::size_t i) -> void {
    const auto go_on = [&] {
      if (i + 1 < pieces) group.run([&self, i] { self(self, i + 1); });
    };
    const bool first = before >> (i % 31) & 1;
    if (first) go_on();
    sums[i] = run(all.piece(i, pieces), where);
    if (!first) go_on();
  };
  group.run([&] { link(link, 0); });
  group.wait();
  return std::accumulate(sums.begin(), sums.end(), sum{0});
}

// After a cancellation, tasks that have not started never start, and the group waits for the others.
program::sum program::by_cancelled_group(tasks all, const surroundings& where, dice& by) {
  const std::size_t pieces = pieces_for(all, by, 12), thrower = by.below(pieces);
  const bool throws = by.one_in(2);
  surroundings inner = where;
  inner.cancellable = true;
  bool came_out = false;
  try {
    task_group group;
    for (std::size_t i = 0; i < pieces; ++i)
      group.run([&, i] {
        const tasks mine = all.piece(i, pieces);
        run(mine, inner);
        if (i == thrower && throws) throw failure{mine.first};
        if (i == thrower) group.cancel();
      });
    group.wait();
  } catch (const failure& thrown) {
    came_out = thrown.task == all.piece(thrower, pieces).first;
  }
  if (came_out != throws)
    book_.complain(throws ? "a group did not throw the exception of its task"
                          : "a group threw although none of its tasks did");
  sum whole = 0;
  for (std::size_t i = 0; i < pieces; ++i) whole += made_up_for(all.piece(i, pieces), where);
  return whole;
}

}  // namespace skua::cli::fuzz
