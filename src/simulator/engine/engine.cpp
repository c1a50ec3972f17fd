#include "simulator/engine/engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/random.hpp"

namespace skua::simulator {

namespace {

thread_local engine* running_engine = nullptr;

}  // namespace

engine::engine(std::size_t workers, std::uint64_t seed, std::size_t stack_bytes)
    : stack_bytes_(std::max(stack_bytes, min_stack_bytes)), seed_(seed) {
  while (workers_.size() < workers) add_worker();
}

void engine::add_worker() {
  workers_.push_back(std::make_unique<worker_state>());
  try {
    events_of_workers_.add_worker();
  } catch (...) {
    workers_.pop_back();
    throw;
  }
  workers_.back()->random_state = base::generator_state(seed_, workers_.size() - 1);
}

engine::~engine() {
  for (const auto& w : workers_)
    if (w->stack.bytes() != 0) core::end_context(w->execution);
}

void engine::start(worker_id worker, std::function<void()> body, cycles at_time) {
  prepare(at(worker), std::move(body), stack_bytes_, runs_on::stack);
  schedule(worker, std::max(at_time, running_engine == this ? now() : 0));
}

void engine::be_hostile(std::uint64_t seed) {
  hostility_.emplace(seed);
  step_by_step_ = true;
}

void engine::let_run_ahead(cycles less_than) noexcept { ahead_ = less_than; }

void engine::stop_after(std::uint64_t events) {
  max_events_ = events;
  step_by_step_ = true;
}

worker_id engine::add(std::function<void()> body, cycles at_time, std::size_t stack_bytes, runs_on where,
                      bool punctual) {
  if (ended_.empty()) {
    const auto worker = static_cast<worker_id>(workers_.size());
    ended_.reserve(worker + 1);
    add_worker();
    ended_.push_back(worker);
  }
  const worker_id worker = ended_.back();
  prepare(at(worker), std::move(body), stack_bytes == 0 ? stack_bytes_ : stack_bytes, where);
  ended_.pop_back();
  at(worker).punctual = punctual;
  schedule(worker, std::max(at_time, running_engine == this ? now() : 0));
  return worker;
}

void engine::prepare(worker_state& w, std::function<void()> body, std::size_t stack_bytes, runs_on where) {
  w.thread.reset();
  if (where == runs_on::stack)
    prepare_stack(w, stack_bytes);
  else
    prepare_thread(w, stack_bytes);
  w.body = std::move(body);
  w.status = state::ready;
  ++living_;
}

void engine::prepare_stack(worker_state& w, std::size_t bytes) {
  std::optional<core::stack_memory> other;
  if (w.stack.bytes() != bytes) other.emplace(bytes);  // first, since it may throw
  if (w.stack.bytes() != 0) core::end_context(w.execution);
  if (other) w.stack = std::move(*other);
  w.execution = {};
  core::start_context(w.execution, w.stack.memory(), bytes, &engine::begin);
}

void engine::prepare_thread(worker_state& w, std::size_t stack_bytes) {
  if (w.stack.bytes() != 0) core::end_context(w.execution);
  w.stack = core::stack_memory();
  w.thread = std::make_unique<core::baton_thread>(stack_bytes, [this, &w] {
    running_engine = this;
    w.execution = {};
    core::adopt_thread(w.execution);
    run_body();
    w.thread->end();
    leave(w.execution);
  });
}

void engine::run() {
  until_ = no_worker;
  go();
  if (living_ != 0) throw_stuck();
}

void engine::run_until(worker_id ended) {
  const worker_id around = std::exchange(until_, ended);
  go();
  until_ = around;
  if (at(ended).status != state::ended) throw_stuck();
  ended_.push_back(ended);
}

void engine::prepare_run() {
  if (!next_entered_) next_entered_ = std::make_unique<core::baton_thread>();
}

void engine::go() {
  prepare_run();
  const auto here = std::move(next_entered_);
  engine* const around = std::exchange(running_engine, this);
  over_ = false;
  core::adopt_thread(outside_);
  entered_ = running_ = here.get();
  if (living_ != 0) leave(outside_);
  entered_ = running_ = nullptr;
  running_engine = around;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

// ---- the bodies

void engine::begin() {
  engine& here = *running_engine;
  here.run_body();
  here.leave(here.at(here.self_).execution);
  __builtin_unreachable();
}

void engine::run_body() noexcept {
  worker_state& me = at(self_);
  try {
    me.body();
  } catch (...) {
    thrown_ = std::current_exception();
    events_of_workers_.clear();
  }
  me.status = state::ended;
  events_of_workers_.remove(self_);
  --living_;
  if (self_ == until_) over_ = true;
}

/// Switches to the next worker, or out of run() if there is none.
void engine::leave(core::context& from) {
  if (events_ >= max_events_) end_with_endless();
  if (over_ || events_of_workers_.empty()) return leave_run(from);
  const auto [next, others] = events_of_workers_.first();
  others_ = others;
  worker_state& w = at(next.worker);
  w.now = next.time;
  w.status = state::running;
  self_ = next.worker;
  note(next.worker, next.time);
  if (&w.execution != &from) hand_over(from, w.execution, w.thread ? w.thread.get() : entered_);
}

void engine::hand_over(core::context& from, core::context& to, core::baton_thread* next) {
  core::baton_thread* const mine = std::exchange(running_, next);
  if (mine == next) return core::switch_context(from, to);
  resumed_ = &to;
  if (mine->pass_baton(*next) && resumed_ != &from) core::switch_context(from, *resumed_);
}

void engine::leave_run(core::context& from) {
  if (&from != &outside_) hand_over(from, outside_, entered_);
}

bool engine::pass_alone(cycles time) {
  if (step_by_step_) [[unlikely]]
    return false;
  worker_state& me = at(self_);
  const cycles then = me.now + time;
  if (then >= others_ && (then - others_ >= ahead_ || time == 0)) return false;
  me.now = then;
  note(self_, then);
  return true;
}

void engine::pass_others(cycles time) {
  worker_state& me = at(self_);
  me.status = state::ready;
  schedule(self_, me.now + time);
  leave(me.execution);
}

void engine::wait() {
  worker_state& me = at(self_);
  me.status = state::waiting;
  events_of_workers_.remove(self_);
  leave(me.execution);
}

bool engine::wait(cycles timeout) {
  worker_state& me = at(self_);
  me.woken = false;
  me.status = state::waiting;
  schedule(self_, me.now + timeout);
  leave(me.execution);
  return me.woken;
}

void engine::wake(worker_id worker, cycles delay) {
  worker_state& w = at(worker);
  if (w.status != state::waiting) return;
  w.woken = true;
  w.status = state::ready;
  schedule(worker, std::max(w.now, now() + delay));  // it may have begun to wait later than now
}

std::uint64_t engine::random(std::uint64_t bound) noexcept {
  return base::random_below(bound, at(self_).random_state);
}

cycles engine::time() const noexcept {
  cycles latest = 0;
  for (const auto& w : workers_) latest = std::max(latest, w->now);
  return latest;
}

// ---- events

void engine::note(worker_id worker, cycles time) noexcept {
  signs_.events.store(++events_, std::memory_order_relaxed);
  signs_.cycles.store(time, std::memory_order_relaxed);
  stream_ = (stream_ ^ (time + (static_cast<std::uint64_t>(worker) << 48))) * 0x9E3779B97F4A7C15ULL;
  stream_ ^= stream_ >> 29;
}

void engine::schedule(worker_id worker, cycles time) {
  std::uint64_t number = ++numbers_;
  if (hostility_) [[unlikely]] {
    number |= hostility_->precedence();
    if (!at(worker).punctual) time += hostility_->delay();
  }
  events_of_workers_.set({time, number, worker});
  if (worker != self_) others_ = std::min(others_, time);
}

void engine::end_with_endless() {
  thrown_ = std::make_exception_ptr(
      endless("the run has not ended after " + std::to_string(events_) + " steps of virtual workers"));
  events_of_workers_.clear();
}

void engine::throw_stuck() const {
  std::string list;
  std::size_t waiting = 0;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i]->status != state::waiting) continue;
    if (++waiting <= 8)
      list += (list.empty() ? "" : ", ") + std::to_string(i) + " since " + std::to_string(workers_[i]->now);
  }
  throw stuck(std::to_string(waiting) + " virtual workers wait forever: " + list +
              (waiting > 8 ? ", ..." : ""));
}

}  // namespace skua::simulator
