// Phases: in every order, with every way to steal, with and without a reduction, and stopped by an exception.
#include <algorithm>
#include <functional>

#include <skua/phase.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

/// Four words, to check that all of them arrive.
struct item {
  std::uint64_t first, size, again, sum;
  explicit item(tasks all = {}) : first(all.first), size(all.size), again(~first), sum(first + size) {}
  bool whole() const { return again == ~first && sum == first + size; }
  tasks all() const { return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(size)}; }
  bool operator<(const item& other) const { return first < other.first; }
};

phase_options drawn_options(std::size_t workers, dice& by) {
  constexpr order orders[] = {order::lifo, order::fifo, order::priority};
  phase_options how;
  how.order = orders[by.below(3)];
  if (by.one_in(3)) how.stealing = phase_stealing::messages;
  if (by.one_in(4) && how.order != order::priority) how.stealing = phase_stealing::chase_lev;
  how.radix = static_cast<std::int64_t>(by.magnitude(2, 16));
  if (by.one_in(4))
    how.dedicated_managers = static_cast<std::int64_t>(by.below(std::min<std::size_t>(workers, 4)));
  how.underflow = static_cast<std::int64_t>(by.magnitude(1, 8));
  how.steal = by.one_in(2) ? amount::half : amount::one;
  return how;
}

/// The tasks of a phase run on any participant.
surroundings inside_phase(const surroundings& where) {
  surroundings inner = where;
  inner.home.reset();
  return inner;
}

}  // namespace

program::sum program::by_phase(tasks all, const surroundings& where, dice& by) {
  const surroundings inner = inside_phase(where);
  phase<item> work(drawn_options(pool_.workers(), by));
  const std::size_t pieces = pieces_for(all, by, 8);
  for (std::size_t i = 0; i < pieces; ++i) work.enqueue(item(all.piece(i, pieces)));
  const auto visit = [&](const item& one) -> sum {
    if (!one.whole()) book_.complain("a task of a phase arrived with changed words");
    const tasks mine = one.all();
    dice its = dice_of(mine.first);
    if (mine.size > 1 && its.one_in(8)) return run(mine, inner);  // a body that forks and waits
    const sum got = run_alone(mine.first, inner);
    const std::size_t children = mine.size == 1 ? 0 : pieces_for(mine.rest(), its, 4);
    for (std::size_t i = 0; i < children; ++i) work.enqueue(item(mine.rest().piece(i, children)));
    return got;
  };
  sum whole = 0;
  const auto add = [&](sum one) { whole += one; };
  switch (by.below(3)) {
    case 0:
      work.run([&](item one) { add(visit(one)); });
      return whole;
    case 1:
      work.run([&] {
        for (item one; work.dequeue(one);) add(visit(one));
      });
      return whole;
    default:
      return work.run(
          [&](item one, sum& part) {
            const sum got = visit(one);
            part += got;
          },
          sum{0}, std::plus<>{});
  }
}

program::sum program::by_phase_of_a_range(tasks all, const surroundings& where, dice& by) {
  const surroundings inner = inside_phase(where);
  phase<std::uint32_t> work(drawn_options(pool_.workers(), by));
  const std::size_t ranges = pieces_for(all, by, 3);
  for (std::size_t i = 0; i < ranges; ++i) {
    const tasks one = all.piece(i, ranges);
    work.enqueue_range(one.first, one.end());
  }
  return work.run(
      [&](std::uint32_t task, sum& part) {
        const sum got = run_alone(task, inner);
        part += got;
      },
      sum{0}, std::plus<>{});
}

// Tasks that have not started are dropped. They run after the phase.
program::sum program::by_phase_that_stops(tasks all, const surroundings& where, dice& by) {
  phase<std::uint32_t> work(drawn_options(pool_.workers(), by));
  const auto thrower = static_cast<std::uint32_t>(all.first + by.below(all.size));
  work.enqueue_range(all.first, all.end());
  try {
    work.run([&](std::uint32_t task) {
      run_alone(task, inside_phase(where));
      if (task == thrower) throw failure{task};
    });
    book_.complain("a phase threw no exception although one of its tasks did");
  } catch (const failure& thrown) {
    if (thrown.task != thrower) book_.complain("a phase threw an exception of none of its tasks");
  }
  if (!book_.all_ran({thrower, 1})) book_.complain("a phase was stopped by a task that had not run");
  for (std::uint32_t task = all.first; task != all.end(); ++task)
    if (book_.none_ran({task, 1})) run_alone(task, where);
  return book_.sum(all);
}

}  // namespace skua::cli::fuzz
