// Who waits on a simulated machine, and for what: sleepers, parts of the machine that act by themselves, phases.
#include <optional>
#include <vector>

#include "core/phase/phase_run.hpp"
#include "simulator/adm/phase_crew.hpp"
#include "simulator/adm/substrate.hpp"
#include "simulator/engine_machine.hpp"

namespace skua::simulator {

// ---- sleep

// Nobody runs between the caller's look at the word and its entry here, so no call is lost.
void engine_machine::park(const void* word, std::int64_t timeout_us) noexcept {
  const stay here_now(*this);
  const worker_id self = engine_.self();
  const cycles from = engine_.now();
  sleepers_.push_back({word, self});
  {
    const away asleep(*this);
    if (timeout_us < 0)
      engine_.wait();
    else
      engine_.wait(in_cycles(static_cast<std::uint64_t>(timeout_us) * 1000 + model_.costs.sleep_ns));
  }
  std::erase_if(sleepers_, [self](const sleeper& s) { return s.thread == self; });
  times_.asleep += engine_.now() - from;
}

void engine_machine::unpark(const void* word) noexcept {
  const stay here_now(*this);
  bool anybody = false;
  for (const sleeper& s : sleepers_) {
    if (s.word != word) continue;
    engine_.wake(s.thread, until_awake());
    anybody = true;
  }
  std::erase_if(sleepers_, [word](const sleeper& s) { return s.word == word; });
  if (anybody) pass_in_kernel(model_.costs.wake_ns);
}

// ---- what acts by itself

void engine_machine::attach(machine_part& one) {
  parts_.push_back(&one);
  if (clock_ != none) return;
  clock_ = add_thread(model_.first_cpu(), [this] { run_parts(); }, 0, runs_on::stack, true);
}

void engine_machine::detach(machine_part& one) noexcept { std::erase(parts_, &one); }

void engine_machine::used() noexcept { engine_.wake(clock_); }

void engine_machine::run_parts() {
  for (;;) {
    std::optional<cycles> due;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      parts_[i]->advance(now());
      if (const auto next = parts_[i]->next(); next && (!due || *next < *due)) due = next;
    }
    if (due && *due <= now()) continue;
    if (due)
      engine_.wait(*due - now());
    else
      engine_.wait();
  }
}

bool engine_machine::wait_to_be_told(std::uint64_t at_most_ns) noexcept {
  const cycles from = now();
  here().interrupted = 0;  // it would only wait for longer
  const bool told = [&] {
    const away meanwhile(*this);
    return engine_.wait(in_cycles(at_most_ns));
  }();
  times_.waiting += now() - from;
  return told;
}

void engine_machine::interrupt(worker_id thread, cycles busy) noexcept {
  threads_[thread].interrupted += busy;
}

// ---- phases

std::unique_ptr<skua::detail::phase_base::run_state> engine_machine::make_phase(
    const phase_options& options, skua::detail::phase_work& work, std::atomic<bool>& stopped,
    const core::scheduler_core& pool) {
  return substrate_ ? substrate_->make_phase(*this, {options, work, stopped, pool}) : nullptr;
}

void engine_machine::reduce_parts(std::size_t threads) noexcept {
  if (!substrate_) return;
  const cycles from = now();
  pass(substrate_->reduction(threads), &simulated_times::sharing);
  carried_out(&simulated_operations::reduction, now() - from);
}

void engine_machine::took_part() noexcept {
  if (crew_) crew_->took_part();
}
bool engine_machine::stand_by(std::uint32_t worker) noexcept { return crew_ && crew_->stand_by(worker); }
void engine_machine::external_thread_waits() noexcept {
  if (crew_) crew_->let_one_go();
}
std::size_t engine_machine::summon(skua::detail::phase_base::run_state& run) noexcept {
  return crew_ ? crew_->summon(run) : 0;
}
bool engine_machine::wait_for_summoned(skua::detail::phase_base::run_state& run,
                                       bool (*is_wanted)()) noexcept {
  return crew_->wait_for_summoned(run, is_wanted);
}
void engine_machine::dismiss(const skua::detail::phase_base::run_state& run) noexcept { crew_->dismiss(run); }

}  // namespace skua::simulator
