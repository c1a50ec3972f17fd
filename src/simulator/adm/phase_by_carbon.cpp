#include "simulator/adm/phase_by_carbon.hpp"

#include <new>
#include <utility>

#include "core/scheduler_core.hpp"

namespace skua::simulator {

using core::participant;
using skua::detail::current;
using skua::detail::phase_words;

carbon_participant::carbon_participant(std::uint32_t index, std::unique_ptr<skua::detail::phase_tasks> queue)
    : hardware_participant(index, std::move(queue)) {
  awake = true;
}

phase_by_carbon::phase_by_carbon(engine_machine& simulated_machine, carbon_units& units,
                                 const phase_parts& of)
    : phase_on_hardware(simulated_machine, of.work, of.stopped),
      units_(units),
      tasks_(units.tasks()),
      splitter_(of.work.make_queue()) {
  for (std::uint32_t i = 0; i < of.pool.workers(); ++i) {
    add_participant(own_participants_.emplace_back(i, of.work.make_queue()));
    tasks_.leave(i, machine_.now());
  }
  of.work.prepare(participants_.size());
  units_.begin_run(*this);
}

phase_by_carbon::~phase_by_carbon() { units_.end_run(); }

// ---- participants

void phase_by_carbon::attach(participant& one, bool first) noexcept {
  carbon_participant& here = participant_of(one);
  attach_to_hardware(here);
  tasks_.come(here.number);
  if (first) take_enqueued(here);
}

bool phase_by_carbon::ended(const participant& here) const noexcept {
  return static_cast<const carbon_participant&>(here).has_ended;
}

std::shared_ptr<void> phase_by_carbon::result(participant&) noexcept {
  std::vector<std::shared_ptr<void>> parts;
  for (participant* s : participants_)
    if (std::shared_ptr<void> part = take_part(*s)) parts.push_back(std::move(part));
  return combine_as_tree(std::move(parts));
}

// ---- the table

std::uint64_t phase_by_carbon::keep(const phase_words& words, std::uint64_t positions) {
  if (unused_.empty()) {
    table_.push_back({words, positions, positions});
    return table_.size() - 1;
  }
  const std::uint64_t at = unused_.back();
  unused_.pop_back();
  table_[at] = {words, positions, positions};
  return at;
}

/// The words of one position. A queue gives away the back of a range.
phase_words phase_by_carbon::take(const carbon_task& one) {
  entry& e = table_[one.content];
  phase_words words = e.words;
  if (e.positions > 1) {
    std::uint64_t taken = 0;
    splitter_->set_owner(current);
    splitter_->put(e.words);
    const std::uint64_t behind = e.positions - one.first - 1;
    if (behind != 0) splitter_->take(behind, taken);
    words = splitter_->take(1, taken);
    splitter_->clear();
  }
  if (--e.left == 0) unused_.push_back(one.content);
  return words;
}

// ---- tasks

void phase_by_carbon::attend(participant& one) noexcept {
  carbon_participant& here = participant_of(one);
  try {
    while (here.tasks->size() != 0) {
      std::uint64_t positions = 0;
      const phase_words words = here.tasks->take(~std::uint64_t{0}, positions);
      enqueue(here, {keep(words, positions), 0, positions});
    }
  } catch (...) {
    keep_exception();
  }
}

void phase_by_carbon::enqueue(carbon_participant& here, const carbon_task& task) noexcept {
  here.thread = machine_.thread_running();
  for (;;) {
    const std::optional<cycles> busy = tasks_.enqueue(here.number, task, machine_.now());
    machine_.used();
    if (busy) return machine_.pass(*busy, &simulated_times::queueing);
    wait(here);  // for room
  }
}

/// nullopt: the phase has ended.
std::optional<carbon_task> phase_by_carbon::dequeue(carbon_participant& here) noexcept {
  here.thread = machine_.thread_running();
  const carbon::dequeued found = tasks_.dequeue(here.number, machine_.now());
  machine_.used();
  machine_.pass(found.busy, &simulated_times::queueing);
  if (found.task) return found.task;
  while (!here.given && !here.has_ended) wait(here);
  return std::exchange(here.given, std::nullopt);
}

/// Called if there is no private task to run, or after a stop, when the remaining tasks are dropped one by one.
bool phase_by_carbon::next(participant& one) noexcept {
  carbon_participant& here = participant_of(one);
  while (!here.has_ended) {
    if (!is_stopped()) take_enqueued(here);
    discard(here);
    attend(here);
    const std::optional<carbon_task> found = dequeue(here);
    if (!found) break;
    try {
      const phase_words words = take(*found);
      if (is_stopped()) continue;
      machine_.gave_out_task(found->stolen);
      here.tasks->put(words);
      return here.ran = true;
    } catch (...) {
      keep_exception();
    }
  }
  return false;
}

// ---- events of the hardware

void phase_by_carbon::happened(const carbon_event& e) {
  carbon_participant& one = own_participants_[e.thread];
  using enum carbon_event::kind;
  if (e.type == handler) {
    machine_.count(e.busy, &simulated_times::handling);
    if (!one.waits && !one.has_ended) machine_.interrupt(one.thread, e.busy);
    return;
  }
  if (e.type == task) one.given = e.task;
  if (e.type == end) {
    over_ = one.has_ended = true;
    tasks_.leave(e.thread, e.at);
  }
  notify(one);
}

// ---- the units

carbon_units::carbon_units(const adm_hardware& chip, tile_network::kind network,
                           std::vector<context_number> at)
    : tasks_(chip, tile_network(chip, network), std::move(at)) {}

void carbon_units::end_run() noexcept {
  user_ = nullptr;
  reserved_ = false;
}

void carbon_units::advance(cycles now) {
  events_.clear();
  tasks_.advance(now, events_);
  if (!user_) return;
  for (const carbon_event& e : events_) user_->happened(e);
}

// ---- the substrate

namespace {

class carbon_of_chip final : public substrate {
 public:
  carbon_of_chip(const adm_hardware& chip, const machine_model& model, tile_network::kind network)
      : substrate(chip), model_(model), network_(network) {}

  std::unique_ptr<skua::detail::phase_base::run_state> make_phase(engine_machine& simulated_machine,
                                                                  const phase_parts& of) override {
    return std::make_unique<phase_by_carbon>(simulated_machine, free_units(simulated_machine, of), of);
  }

 private:
  carbon_units& free_units(engine_machine& simulated_machine, const phase_parts& of) {
    for (carbon_units& one : units_)
      if (one.reserve()) return one;
    simulated_machine.attach(units_.emplace_back(chip_, network_, contexts_of(of.pool, model_)));
    units_.back().reserve();
    return units_.back();
  }

  const machine_model model_;
  const tile_network::kind network_;
  std::deque<carbon_units> units_;
};

}  // namespace

std::unique_ptr<substrate> make_carbon(const adm_hardware& chip, const machine_model& model,
                                       const simulation& wanted) {
  return std::make_unique<carbon_of_chip>(chip, model, network_of(wanted));
}

}  // namespace skua::simulator
