// The costs of a simulated machine: computing, data, uses of shared words, the scheduler's own steps, the kernel.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/record/observer.hpp"
#include "core/record/strands.hpp"
#include "simulator/adm/phase_crew.hpp"
#include "simulator/engine_machine.hpp"

namespace skua::simulator {

bool engine_machine::pass_what_was_measured() noexcept {
  detail::strand& here = core::current_strand();
  if (here.runs) strand_stops(here, false);
  return here.runs;
}

void engine_machine::strand_stops(detail::strand& here, bool last) noexcept {
  const std::uint64_t took = computed_ns(here, last);
  if (recorder_) recorder_->write(here, last, took);
  ++here.part;
  ++measured_;
  if (took != 0) compute(in_cycles(took));
}

std::uint64_t engine_machine::computed_ns(const detail::strand& here, bool last) noexcept {
  return replayed_ ? replayed_->next(here, last) : leaf_clock_.stop();
}

void engine_machine::finish_recording() noexcept {
  if (recorder_) recorder_->finish();
}

void engine_machine::leave_for_program() noexcept {
  if (wanted_.measured && !replayed_) leaf_clock_.start_warm();
}

void engine_machine::pass(cycles time, std::uint64_t simulated_times::* activity) noexcept {
  if (here().is_clock) return;
  if (activity != &simulated_times::data) wait_for_data();
  if (activity != &simulated_times::computing && activity != &simulated_times::data) here().fetching = 0;
  times_.*activity += time;
  if (here().above_boundary) above_boundary_ += time;
  pass_once(time);
  while (here().interrupted != 0) pass_once(std::exchange(here().interrupted, 0));
}

void engine_machine::pass_once(cycles time) noexcept {
  if (engine_.pass_alone(time)) return;
  const switched_out meanwhile(*this);
  engine_.pass(time);
}

void engine_machine::touch(const void* word, detail::use how) noexcept {
  const in_library entered(*this);
  virtual_thread& mine = here();
  if (mine.looks || mine.sets_up) return;
  constexpr access as_access[] = {access::read, access::write, access::atomic};
  const cycles taken = wanted_.level == detail_level::steps
                           ? model_.costs.step_cycles
                           : memory_.touch(thread_here(), memory_.space().word_line(word),
                                           as_access[static_cast<int>(how)], engine_.now() + mine.owed);
  // Only of lines at hand: other threads may wait for a line that is on its way, at a time that they have not reached.
  const bool owes =
      mine.probes && how == detail::use::look && taken <= hit_cycles_ && mine.owed < ahead_if_measured;
  if (mine.scans || owes)
    mine.owed += taken;
  else
    pass_in_library(taken + std::exchange(mine.owed, 0), &simulated_times::sharing);
}

void engine_machine::pass_in_library(cycles time, std::uint64_t simulated_times::* activity) noexcept {
  const cycles from = engine_.now();
  pass(time, activity);
  core::passed_in_library(engine_.now() - from, model_.ghz);
}

void engine_machine::pass_owed() noexcept {
  pass_in_library(std::exchange(here().owed, 0), &simulated_times::sharing);
}

void engine_machine::set_charge(core::charge kind, bool begins) noexcept {
  virtual_thread& mine = here();
  switch (kind) {
    case core::charge::policy_look:
      mine.looks = begins && wanted_.free_looks;
      return;
    case core::charge::scan:
      mine.scans = begins;
      if (!begins) pass(std::exchange(mine.owed, 0), &simulated_times::waiting);
      return;
    case core::charge::probe:
      // Without lines, nothing keeps the reader of a word behind its writer.
      mine.probes = begins && engine_.runs_ahead();
      if (mine.owed != 0) pass_owed();
      return;
    case core::charge::setup:
      mine.sets_up = begins;
      return;
    case core::charge::above_boundary:
      mine.above_boundary = begins;
      return;
  }
}

// The thread that makes an object has its lines in its cache, except for lines that were there before.
void engine_machine::new_words(const void* object, std::size_t bytes) noexcept {
  const in_library entered(*this);
  for (const line_number line : memory_.space().new_words(object, bytes)) {
    memory_.renew_words(line);
    if (!here().sets_up) memory_.touch(thread_here(), line, access::write, engine_.now());
  }
}

void engine_machine::spend(core::timed_step taken) noexcept {
  const in_library entered(*this);
  const runtime_costs& costs = model_.costs;
  const auto fast_path = [&](cycles time) {
    if (crew_) crew_->fork_happens();
    pass_in_library(time, &simulated_times::forking);
  };
  switch (taken) {
    case core::timed_step::fork:
      return fast_path(costs.fork_cycles);
    case core::timed_step::group_task:
      return fast_path(costs.group_task_cycles);
    case core::timed_step::loop_chunk:
      return fast_path(costs.loop_chunk_cycles);
    case core::timed_step::relax:
      return pass(costs.relax_cycles, &simulated_times::spinning);
    case core::timed_step::yield:
      return pass_in_kernel(costs.yield_ns);
    case core::timed_step::heavy_fence:
      return pass_in_kernel(costs.membarrier_ns);
  }
}

core::machine_facts engine_machine::facts() const noexcept {
  const runtime_costs& costs = model_.costs;
  return {.fork_ns = static_cast<double>(costs.fork_cycles) / model_.ghz,
          .group_task_ns = static_cast<double>(costs.group_task_cycles) / model_.ghz,
          .memory_bytes_a_cycle = wanted_.level >= detail_level::bandwidth ? model_.memory.bytes_a_cycle : 0,
          .deals_out_pages = memory_.deals_out_pages()};
}

std::int64_t engine_machine::now_ns() noexcept {
  const in_library entered(*this);
  if (here().probes && here().owed != 0) pass_owed();
  return static_cast<std::int64_t>(static_cast<double>(engine_.now()) / model_.ghz);
}

// Page by page, so that other threads run in between. Ranges that follow each other overlap: the thread waits for the last
// data when it does something else.
void engine_machine::declare(const core::declared_range& range) noexcept {
  if (wanted_.level < detail_level::caches) return;
  const in_library entered(*this);
  const access how = range.how == detail::declared::read ? access::read : access::write;
  const auto begin = reinterpret_cast<std::uintptr_t>(range.first);
  const cycles from = engine_.now();
  if (!std::exchange(here().has_data, true)) here().data = memory_.window(from);
  for (std::size_t row = 0; row < range.rows; ++row) {
    const std::uintptr_t first = begin + row * range.pitch, end = first + range.bytes;
    for (std::uintptr_t at = first, next; at < end; at = next) {
      next = std::min(end, (at / page_bytes + 1) * page_bytes);
      memory_.ask(thread_here(), {at, next - at, next < end}, how, *here().data);
      pass_until(here().data->next());
    }
  }
  here().fetching += engine_.now() - from;
}

void engine_machine::wait_for_data() noexcept {
  if (!here().has_data) return;
  const cycles from = engine_.now(), end = here().data->end();
  here().has_data = false;
  pass_until(end);
  here().fetching += engine_.now() - from;
}

/// Waits for data. An interrupt may have taken the thread beyond that time.
void engine_machine::pass_until(cycles time) noexcept {
  if (time > engine_.now()) pass(time - engine_.now(), &simulated_times::data);
}

void engine_machine::declare_cycles(double computed) noexcept {
  if (wanted_.measured) return;  // and it is no reason to read the clock
  const double wanted = computed * wanted_.slowdown;
  if (!(wanted > 0) || !std::isfinite(wanted)) return;
  const auto all = static_cast<cycles>(std::llround(wanted));
  const cycles beside = std::min(all, here().fetching);  // what it computed while it waited for data
  here().fetching -= beside;
  compute(all - beside * model_.memory.overlap_percent / 100);
}

// A slice may do more than was wanted, because other threads of the core ended meanwhile. The surplus counts for the next
// computation.
void engine_machine::compute(cycles time) noexcept {
  const std::size_t thread = thread_here();
  if (!slots_.contested(thread)) return pass(time, &simulated_times::computing);
  wait_for_data();  // a thread that waits does not slow the others down
  slots_.begin(thread, engine_.now());
  issue_slots::work left = issue_slots::of(time) - here().ahead;
  while (left > 0) {
    const cycles from = engine_.now(), slice = slots_.slice(thread, left);
    const issue_slots::work before = slots_.done(thread, from);
    pass(slice, &simulated_times::computing);
    const issue_slots::work got = slots_.done(thread, engine_.now()) - before;
    const cycles passed = engine_.now() - from;  // more than the slice, if the thread was interrupted
    left -= passed == slice ? got : issue_slots::part(got, slice, passed);
  }
  here().ahead = -left;
  slots_.end(thread, engine_.now());
}

cycles engine_machine::handler_time(worker_id thread, cycles alone) const noexcept {
  return slots_.stretched(threads_[thread]->hardware, alone);
}

}  // namespace skua::simulator
