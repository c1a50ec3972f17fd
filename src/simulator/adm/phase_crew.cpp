#include "simulator/adm/phase_crew.hpp"

#include <algorithm>
#include <utility>

#include "core/phase/phase_run.hpp"
#include "simulator/engine_machine.hpp"
#include "simulator/machine/assumptions.hpp"

namespace skua::simulator {

phase_crew::membership& phase_crew::membership_of(worker_id thread) {
  if (memberships_.size() <= thread) memberships_.resize(thread + 1, membership::fresh);
  return memberships_[thread];
}

void phase_crew::took_part() { membership_of(machine_.thread_running()) = membership::took_part; }

bool phase_crew::stand_by(std::uint32_t worker) {
  const worker_id thread = machine_.thread_running();
  const bool fresh = membership_of(thread) == membership::fresh;
  // While a phase runs, an idle worker has left it for other work, on which the end of the phase may depend.
  const bool one_runs = !std::ranges::all_of(running_, &summoned::ended);
  if (membership_of(thread) == membership::left || (fresh && forked_) || one_runs) return false;
  member me{thread, worker};
  waiting_.push_back(&me);
  machine_.wait_to_be_told(fresh ? stand_by_at_first_ns : stand_by_ns);
  std::erase(waiting_, &me);
  membership_of(thread) = me.run ? membership::took_part : membership::left;
  if (!me.run) return false;
  // acquire: pairs with summon(). Fetching its line takes the time.
  if (through_memory_) begun_.load(std::memory_order_acquire);
  me.run->take_reserved(worker);
  leave(*me.run);
  return true;
}

void phase_crew::fork_happens() noexcept {
  if (std::exchange(forked_, true)) return;
  for (const member* one : waiting_)
    if (membership_of(one->thread) == membership::fresh && !one->run) machine_.tell(one->thread);
}

void phase_crew::let_one_go() noexcept {
  const auto last =
      std::find_if(waiting_.rbegin(), waiting_.rend(), [](const member* one) { return !one->run; });
  if (last != waiting_.rend()) machine_.tell((*last)->thread);
}

std::size_t phase_crew::summon(run_state& run) {
  std::size_t summoned_now = 0;
  for (member* one : waiting_) {
    if (one->run || !run.reserve(one->worker)) continue;
    one->run = &run;
    ++summoned_now;
  }
  if (summoned_now == 0) return 0;
  running_.push_back({&run, machine_.thread_running(), summoned_now});
  // release: pairs with stand_by().
  if (through_memory_) begun_.store(begun_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  for (const member* one : waiting_)
    if (one->run == &run) machine_.tell(one->thread);
  return summoned_now;
}

std::vector<phase_crew::summoned>::iterator phase_crew::find(const run_state& run) {
  return std::ranges::find(running_, &run, &summoned::run);
}

void phase_crew::leave(const run_state& run) {
  const auto at = find(run);
  at->ended = true;
  if (--at->there != 0) return;
  if (at->notify_run)
    at->run->all_summoned_left();
  else
    machine_.tell(at->caller);
}

/// Summoned workers leave when they learn of the end, so the caller waits only for the last one's notice.
bool phase_crew::wait_for_summoned(run_state& run, bool (*is_wanted)()) {
  find(run)->ended = true;
  while (find(run)->there != 0) {
    if (is_wanted() && find(run)->there != 0) {  // the check takes time, in which the last one may have left
      find(run)->notify_run = true;
      return false;
    }
    find(run)->caller = machine_.thread_running();
    machine_.wait_to_be_told(stand_by_ns);
  }
  dismiss(run);
  return true;
}

void phase_crew::dismiss(const run_state& run) { running_.erase(find(run)); }

}  // namespace skua::simulator
