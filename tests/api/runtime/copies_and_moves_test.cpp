// Which public types can be copied and moved, as their headers say. The compiler checks this. Objects that were moved from
// stay usable.
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skua/skua.hpp>

namespace copies_and_moves_test {
namespace {

using namespace skua;  // NOLINT: a table of names

template <class T>
inline constexpr bool stays_in_place = !std::is_copy_constructible_v<T> && !std::is_move_constructible_v<T> &&
                                       !std::is_copy_assignable_v<T> && !std::is_move_assignable_v<T>;
template <class T>
inline constexpr bool only_moves =
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
template <class T>
inline constexpr bool copies =
    std::is_copy_constructible_v<T> && std::is_copy_assignable_v<T> &&
    std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>;
/// Copies need memory, so they may throw.
template <class T>
inline constexpr bool copies_with_memory =
    copies<T> && !std::is_nothrow_copy_constructible_v<T> && !std::is_nothrow_copy_assignable_v<T>;
template <class T>
inline constexpr bool is_plain = copies<T> && std::is_trivially_copyable_v<T>;

static_assert(stays_in_place<scheduler>);
static_assert(stays_in_place<task_group>);
static_assert(stays_in_place<skua::mutex>);
static_assert(stays_in_place<per_worker<int>>);
static_assert(stays_in_place<phase<long>>);
static_assert(stays_in_place<loop_memo>);
static_assert(stays_in_place<trace_span>);

static_assert(only_moves<stolen>);

static_assert(copies<topology> && std::is_nothrow_copy_constructible_v<topology>);  // copies a pointer
static_assert(copies<placement> && std::is_nothrow_copy_constructible_v<placement>);
static_assert(copies<task_result<int>> && std::is_nothrow_copy_constructible_v<task_result<int>>);
static_assert(copies<loop_hint> && std::is_nothrow_copy_constructible_v<loop_hint>);
static_assert(copies<loop>);

static_assert(copies_with_memory<sequence<int>>);
static_assert(copies_with_memory<sequence<std::string>>);
static_assert(copies_with_memory<scheduler_options>);
static_assert(copies_with_memory<simulation>);
static_assert(copies_with_memory<report>);
static_assert(copies_with_memory<simulation_report>);
static_assert(copies_with_memory<learnt_shape>);
static_assert(copies_with_memory<learnt_region>);
static_assert(copies_with_memory<skua::hint>);
static_assert(copies_with_memory<peeked>);

static_assert(is_plain<depth> && is_plain<priority> && is_plain<affinity<4>> && is_plain<affinity_to>);
static_assert(is_plain<region_shape> && is_plain<loop_placement> && is_plain<confirmation>);
static_assert(is_plain<seat> && is_plain<phase_options> && is_plain<management_options>);
static_assert(is_plain<announce_thresholds> && is_plain<queue_rates> && is_plain<simulation_progress>);
static_assert(is_plain<blocked_range<int>> && is_plain<subrange<long>>);

static_assert(std::is_nothrow_copy_constructible_v<bad_input>);  // each exception must be so

TEST(copies_and_moves, a_value_that_was_moved_from_stays_usable) {
  topology machine = topology::synthetic("core:4 pu:1");
  const topology same = std::move(machine);
  EXPECT_EQ(machine.cores(), same.cores());  // NOLINT: this is the test
  placement seats = same.place(2);
  const placement same_seats = std::move(seats);
  EXPECT_EQ(seats.workers(), same_seats.workers());  // NOLINT

  sequence<std::string> texts{"one", "two"};
  sequence<std::string> others;
  others = std::move(texts);
  EXPECT_TRUE(texts.empty());  // NOLINT
  auto& itself = others;
  others = std::move(itself);
  EXPECT_EQ(others, (sequence<std::string>{"one", "two"}));
  texts = others;
  EXPECT_EQ(texts, others);

  task_group tasks;
  auto result = tasks.run_returning([] { return 5; });
  auto kept = std::move(result);
  tasks.wait();
  EXPECT_EQ(kept.get(), 5);
  EXPECT_THROW(result.get(), std::logic_error);  // NOLINT
}

}  // namespace
}  // namespace copies_and_moves_test
