// Joins and loops, with and without exceptions.
#include <fmt/core.h>

#include <functional>
#include <vector>

#include <skua/hint.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/parallel_reduce.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

struct halves {
  tasks left, right;
  halves(tasks all, dice& by) {
    const auto cut = static_cast<std::uint32_t>(by.below(all.size - 1) + 1);
    left = {all.first, cut};
    right = {all.first + cut, all.size - cut};
  }
};

}  // namespace

program::sum program::by_join(tasks all, const surroundings& where, dice& by) {
  const halves of(all, by);
  const auto [a, b] = join([&] { return run(of.left, where); }, [&] { return run(of.right, where); });
  return a + b;
}

program::sum program::by_join_of_three(tasks all, const surroundings& where, dice&) {
  const auto third = [&](std::uint64_t i) { return [&, i] { return run(all.piece(i, 3), where); }; };
  const auto [a, b, c] = join(third(0), third(1), third(2));
  return a + b + c;
}

program::sum program::by_hinted_join(tasks all, const surroundings& where, dice& by) {
  const halves of(all, by);
  const auto with = [&](const auto& its_hint) {
    const auto [a, b] =
        join([&] { return run(of.left, where); }, hinted(its_hint, [&] { return run(of.right, where); }));
    return a + b;
  };
  switch (by.below(3)) {
    case 0:
      return with(depth{where.depth});
    case 1:
      return with(affinity_to{static_cast<worker_id>(by.below(pool_.workers()))});
    default:
      return with(priority{static_cast<std::int64_t>(by.below(8))});
  }
}

program::sum program::made_up_for(tasks all, const surroundings& where) {
  if (book_.none_ran(all)) return run(all, where);
  if (!book_.all_ran(all))
    book_.complain(
        fmt::format("task {} had begun before another task of its join or group threw, "
                    "and was not run to its end",
                    all.first));
  return book_.sum(all);
}

// A join throws the leftmost exception after all started tasks have ended. The other tasks never start.
program::sum program::by_join_that_throws(tasks all, const surroundings& where, dice& by) {
  const halves of(all, by);
  const std::uint64_t throwers = by.below(3) + 1;
  const bool left_throws = throwers & 1, right_throws = throwers & 2;
  const auto part = [&](tasks which, bool throws) {
    return [&, which, throws] {
      run(which, where);
      if (throws) throw failure{which.first};
    };
  };
  const std::uint32_t expected = left_throws ? of.left.first : of.right.first;
  try {
    join(part(of.left, left_throws), part(of.right, right_throws));
    book_.complain("a join threw no exception although one of its tasks did");
  } catch (const failure& thrown) {
    if (thrown.task != expected)
      book_.complain(fmt::format("a join threw the exception of task {}, not the leftmost one, of task {}",
                                 thrown.task, expected));
  }
  if (!book_.all_ran(of.left)) book_.complain("the first task of a join did not run to its end");
  return book_.sum(of.left) + made_up_for(of.right, where);
}

program::sum program::by_loop(tasks all, const surroundings& where, dice& by) {
  const std::size_t pieces = where.depth < 20 ? pieces_for(all, by, 16) : all.size;
  std::vector<sum> sums(pieces);
  const auto body = [&](std::size_t i) { sums[i] = run(all.piece(i, pieces), where); };
  if (by.one_in(4)) {
    loop_memo memo;
    parallel_for(std::size_t{0}, pieces, body, {.placement = same_as_last(memo)});
  } else {
    parallel_for(std::size_t{0}, pieces, body, {.grain = static_cast<std::int64_t>(by.below(3))});
  }
  sum whole = 0;
  for (const sum one : sums) whole += one;
  return whole;
}

program::sum program::by_reduction(tasks all, const surroundings& where, dice& by) {
  const std::size_t pieces = pieces_for(all, by, 16);
  return parallel_reduce(
      std::size_t{0}, pieces, sum{0}, [&](std::size_t i) { return run(all.piece(i, pieces), where); },
      std::plus<>{});
}

}  // namespace skua::cli::fuzz
