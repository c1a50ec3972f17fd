// Measuring strands, for the program and for the core.
#include <skua/detail/strand.hpp>

#include <utility>

#include "core/record/strands.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

namespace core {

detail::strand& current_strand() noexcept {
  stack* const here = current_stack();
  return here ? here->strand : strand_clock_here()->own_strand();
}

bool divides_loop() noexcept { return detail::measures() && current_strand().divides; }

void strand_divides::begin() noexcept {
  if (!detail::measures()) return;
  strand_ = &current_strand();
  outer_ = std::exchange(strand_->divides, true);
}

}  // namespace core

namespace detail {

bool measures() noexcept { return core::strand_clock_here() != nullptr; }

std::uint64_t name_of_next(beginning what) noexcept {
  if (!measures() || !core::current_strand().runs) return 0;
  strand next = core::current_strand();
  ++next.step;
  return next.name_of(what);
}

void strand_here::begin(const strand& next) noexcept {
  if (!measures()) return;
  strand_ = &core::current_strand();
  around_ = std::exchange(*strand_, next);
  strand_->runs = true;
  core::strand_clock_here()->strand_runs();
}

void strand_here::begin(beginning what) noexcept {
  if (measures() && !core::divides_loop()) begin({.task = core::current_strand().name_of(what)});
}

void strand_here::end() noexcept {
  core::strand_clock_here()->strand_stops(*strand_, true);
  *strand_ = around_;
  core::strand_clock_here()->strand_runs();
}

void strand_pauses::begin(bool next_step) noexcept {
  if (!measures() || !core::current_strand().runs) return;
  strand_ = &core::current_strand();
  core::strand_clock_here()->strand_stops(*strand_, next_step);
  strand_->runs = false;
  if (!next_step) return;
  ++strand_->step;
  strand_->part = 0;
}

void strand_pauses::end() noexcept {
  strand_->runs = true;
  core::strand_clock_here()->strand_runs();
}

}  // namespace detail

namespace core {

namespace {

void run_named(detail::task& t, task_context* w) {
  const named_task its = strand_clock_here()->named_tasks.at(&t);
  if (!w) return its.run(t, w);
  const detail::strand_here measured(its.name);
  its.run(t, w);
}

}  // namespace

std::uint64_t name_of_next_root() noexcept {
  strand_clock* const clock = strand_clock_here();
  return clock ? clock->next_root() : 0;
}

void name_task(detail::task& t) noexcept {
  const std::uint64_t name = detail::name_of_next(detail::beginning::group_task);
  if (name == 0) return;
  try {
    strand_clock_here()->named_tasks[&t] = {name, t.run};
    t.run = &run_named;
  } catch (const std::bad_alloc&) {  // then its time counts for the strand that runs it
  }
}

// A fork that divides a loop has no name, and its record may lie where a named one lay.
void name_child(const stolen_side& side) noexcept {
  strand_clock* const clock = strand_clock_here();
  if (!clock) return;
  const std::uint64_t name = detail::name_of_next(detail::beginning::second_child);
  if (name == 0) return static_cast<void>(clock->named_children.erase(&side));
  try {
    clock->named_children[&side] = name;
  } catch (const std::bad_alloc&) {
  }
}

task_code code_before_name(const detail::task& t, task_code run) noexcept {
  return run == &run_named ? strand_clock_here()->named_tasks.at(&t).run : run;
}

std::uint64_t name_of_child(const stolen_side& side) noexcept {
  strand_clock* const clock = strand_clock_here();
  if (!clock) return 0;
  const auto found = clock->named_children.find(&side);
  return found == clock->named_children.end() ? 0 : found->second;
}

}  // namespace core
}  // namespace skua
