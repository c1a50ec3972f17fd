#include "simulator/adm/phase_by_adm.hpp"

#include <cstdint>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "core/scheduler_core.hpp"

namespace skua::simulator {

using core::participant;
using managers::envelope;
using managers::outbox;
using managers::party;
using skua::detail::current;

namespace {

managers::manager_options matching_of(const phase_options& options) {
  return {.amount = options.steal == amount::one ? managers::steal_amount::one : managers::steal_amount::half,
          .underflow = static_cast<std::uint64_t>(options.underflow)};
}

}  // namespace

adm_participant::adm_participant(const managers::manager_tree& tree, std::uint32_t index,
                                 std::unique_ptr<skua::detail::phase_tasks> queue,
                                 phase_on_hardware::run_state& run)
    : hardware_participant(index, std::move(queue)), seen(*own_queue, run), part(tree, index, seen) {}

phase_by_adm::phase_by_adm(engine_machine& simulated_machine, message_handlers& handlers,
                           const scheduler_operations& costs, std::uint32_t radix, const phase_parts& of)
    : phase_on_hardware(simulated_machine, of.work, of.stopped),
      handlers_(handlers),
      costs_(costs),
      tree_(static_cast<std::uint32_t>(of.pool.workers()), radix),
      pool_(of.pool) {
  for (std::uint32_t i = 0; i < tree_.workers(); ++i)
    add_participant(own_participants_.emplace_back(tree_, i, of.work.make_queue(), *this));
  for (managers::level_id level = 0; level < tree_.levels(); ++level)
    for (std::uint32_t i = 0; i < tree_.managers(level); ++i)
      managers_.emplace_back(tree_, managers::manager_party(level, i), matching_of(of.options), this);
  of.work.prepare(participants_.size());
  handlers_.begin_run(tree_, *this);
}

phase_by_adm::~phase_by_adm() { handlers_.end_run(); }

// ---- participants

void phase_by_adm::attach(participant& one, bool first) noexcept {
  adm_participant& here = participant_of(one);
  attach_to_hardware(here);
  here.counted = here.tasks->size();
  if (first) {
    here.awake = here.ran = true;
    return;
  }
  outbox out;
  if (!here.part.present()) here.part.arrive(out);
  post(here, out, here.counted == 0 ? nullptr : &simulated_operations::enqueue);
}

/// Expected workers have reported that they are blocked before this phase began, and take their shares of the enqueued
/// tasks as soon as it does. So the managers initially know the tasks of all workers without messages.
void phase_by_adm::begin(participant& one) noexcept {
  adm_participant& here = participant_of(one);
  take_enqueued(here);
  try {
    deal(here);
  } catch (...) {
    keep_exception();
  }
  here.counted = here.tasks->size();
  outbox not_sent;
  here.part.begin(not_sent);
  for (participant* expected_one : expected()) {
    adm_participant& other = participant_of(*expected_one);
    if (other.tasks->size() == 0) {
      other.part.arrive(not_sent);
    } else {
      other.awake = other.ran = true;
      other.part.begin(not_sent);
    }
  }
  tell_managers();
  outbox nothing;
  post(here, nothing, here.counted == 0 ? nullptr : &simulated_operations::enqueue);
}

void phase_by_adm::tell_managers() {
  const bool all_stay = expected().size() + 1 == own_participants_.size();
  std::vector<std::uint64_t> below;
  for (const adm_participant& one : own_participants_) below.push_back(one.part.tasks());
  auto next_manager = managers_.begin();
  for (managers::level_id level = 0; level < tree_.levels(); ++level) {
    std::vector<std::uint64_t> here;
    auto first = below.begin();
    for (std::uint32_t i = 0; i < tree_.managers(level); ++i) {
      const auto last = first + tree_.children(managers::manager_party(level, i));
      here.push_back((next_manager++)->know({first, last}, all_stay));
      first = last;
    }
    below = std::move(here);
  }
}

bool phase_by_adm::ended(const participant& here) const noexcept {
  return static_cast<const adm_participant&>(here).part.ended();
}

/// Called when all participants have left.
std::shared_ptr<void> phase_by_adm::result(participant& first) noexcept {
  std::shared_ptr<void> all = participant_of(first).part.result();
  if (all) machine_.carried_out(&simulated_operations::reduction, last_result_ - last_part_);
  return all;
}

std::shared_ptr<void> phase_by_adm::combine(std::shared_ptr<void> a, std::shared_ptr<void> b) {
  return combine_parts(a, std::move(b));
}

// ---- between two tasks

/// The time of an operation on the thread's own queue; null: there was none.
cycles phase_by_adm::time_of(operation own) const noexcept {
  if (!own) return 0;
  return own == &simulated_operations::enqueue ? costs_.enqueue.average : costs_.dequeue.average;
}

/// Sends the messages after the operation.
void phase_by_adm::post(adm_participant& here, outbox& out, operation own) noexcept {
  const message_handlers::posting took = handlers_.post(here.number, out, machine_.now());
  machine_.used();
  const cycles before = time_of(own);
  if (own) machine_.carried_out(own, before + took.sending);
  if (before + took.busy() != 0) machine_.pass(before + took.busy(), &simulated_times::queueing);
}

void phase_by_adm::attend(participant& one) noexcept {
  adm_participant& here = participant_of(one);
  here.thread = machine_.thread_running();
  const std::uint64_t now = here.tasks->size(), before = std::exchange(here.counted, now);
  const operation own = now > before   ? &simulated_operations::enqueue
                        : now < before ? &simulated_operations::dequeue
                                       : nullptr;
  outbox out;
  here.part.queue_changed(out);
  post(here, out, own);
}

bool phase_by_adm::next(participant& one) noexcept {
  adm_participant& here = participant_of(one);
  here.thread = machine_.thread_running();
  if (here.awake) {
    if (!is_stopped()) take_enqueued(here);
    discard(here);
    if (here.tasks->size() != 0) {
      here.counted = here.tasks->size();
      return true;
    }
    block(here);
  }
  return wait_for_tasks(here);
}

void phase_by_adm::block(adm_participant& here) noexcept {
  outbox out;
  here.awake = false;
  last_part_ = machine_.now();
  here.part.block(take_part(here), out);
  post(here, out, nullptr);
}

bool phase_by_adm::wait_for_tasks(adm_participant& here) noexcept {
  for (;;) {
    if (is_stopped() && here.tasks->size() != 0) {
      discard(here);
      attend(here);
    }
    if (here.part.ended()) return false;
    if (here.tasks->size() != 0) {
      if (is_stopped()) continue;  // tasks that must be discarded do not wait
      break;
    }
    wait(here);
  }
  here.part.go_on();
  here.awake = here.ran = true;
  here.counted = here.tasks->size();
  return true;
}

// ---- messages

void phase_by_adm::interrupt(std::uint32_t worker, cycles busy) {
  machine_.count(busy, &simulated_times::handling);
  const adm_participant& one = own_participants_[worker];
  if (one.owner && !one.waits) machine_.interrupt(one.thread, busy);
}

void phase_by_adm::receive(const envelope& sent, outbox& out) {
  if (sent.to.height != 0) return managers_[tree_.number_of(sent.to) - tree_.workers()].receive(sent, out);
  read_for(own_participants_[sent.to.index], sent, out);
}

void phase_by_adm::posted(std::uint32_t worker, const envelope& sent, cycles now) {
  core::trace_message(*pool_.all_workers[worker], sent, machine_.in_ns(now));
}

/// Called by the participant, or by the simulated machine's clock.
void phase_by_adm::read_for(adm_participant& one, const envelope& sent, outbox& out) {
  const std::uint64_t before = one.tasks->size();
  one.own_queue->set_owner(current);
  one.part.receive(sent, out);
  one.part.answer(out);
  one.own_queue->set_owner(one.owner);
  one.counted += one.tasks->size() - before;
  if (one.part.ended()) {
    over_ = true;
    last_result_ = machine_.now();
  }
  const auto* brought = std::get_if<managers::task>(&sent.content);
  if (one.part.ended() || (brought && brought->is_last)) notify(one);
}

// ---- the substrate

namespace {

class messages_of_chip final : public substrate {
 public:
  messages_of_chip(const adm_hardware& chip, const machine_model& model, const simulation& wanted)
      : substrate(chip),
        model_(model),
        network_(network_of(wanted)),
        by_user_interrupts_(wanted.substrate == "uli"),
        radix_(wanted.radix) {}

  std::unique_ptr<skua::detail::phase_base::run_state> make_phase(engine_machine& simulated_machine,
                                                                  const phase_parts& of) override {
    const scheduler_operations& costs =
        by_user_interrupts_ ? chip_.interrupts.operations : chip_.messages.operations;
    const auto radix = radix_ != 0 ? radix_ : static_cast<std::uint32_t>(of.options.radix);
    return std::make_unique<phase_by_adm>(simulated_machine, free_handlers(simulated_machine, of), costs,
                                          radix, of);
  }

 private:
  /// A nested phase has its own units.
  message_handlers& free_handlers(engine_machine& simulated_machine, const phase_parts& of) {
    for (message_handlers& one : handlers_)
      if (one.reserve()) return one;
    simulated_machine.attach(handlers_.emplace_back(
        chip_,
        by_user_interrupts_ ? messages_by_interrupts(chip_, network_) : direct_messages(chip_, network_),
        contexts_of(of.pool, model_)));
    handlers_.back().reserve();
    return handlers_.back();
  }

  const machine_model model_;
  const tile_network::kind network_;
  const bool by_user_interrupts_;
  const unsigned radix_;  // of the simulation; 0: as the phase specifies
  std::deque<message_handlers> handlers_;
};

}  // namespace

std::unique_ptr<substrate> make_messages(const adm_hardware& chip, const machine_model& model,
                                         const simulation& wanted) {
  return std::make_unique<messages_of_chip>(chip, model, wanted);
}

}  // namespace skua::simulator
