// Who waits on a simulated machine, and for what: sleepers, parts of the machine that act by themselves, phases.
#include <optional>
#include <vector>

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

}  // namespace skua::simulator
