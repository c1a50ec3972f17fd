#include "simulator/simulated_world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/phase_run.hpp"
#include "core/platform.hpp"
#include "simulator/assumptions.hpp"
#include "simulator/phase_crew.hpp"
#include "simulator/substrate.hpp"

namespace skua::simulator {

namespace {

constexpr std::size_t entering_stack_bytes = std::size_t{64} << 20, thread_stack_bytes = 256 * 1024;

std::optional<page_policy> pages_of(const std::string& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (wanted == "first_touch") return page_policy::first_touch;
  if (wanted == "interleave") return page_policy::interleave;
  throw bad_input("pages of a simulation are '" + wanted +
                  "'; allowed: first_touch or interleave; nearest: " +
                  (wanted.starts_with('i') ? "interleave" : "first_touch"));
}

/// As `skua run` takes it.
const simulation& checked(const simulation& wanted) {
  if (wanted.slowdown >= 0.01 && wanted.slowdown <= 10000) return wanted;
  throw bad_input("slowdown of a simulation is " + std::to_string(wanted.slowdown) +
                  "; allowed: 0.01 to 10000; nearest: " + (wanted.slowdown > 1 ? "10000" : "0.01"));
}

/// Of the chips whose cores are known to be so, where it matters.
std::optional<issue_slots> slots_for(const machine_model& model, bool has_substrate) {
  const issue_slots slots(model.cores, model.threads_a_core);
  return has_substrate && slots.scarce() ? std::optional(slots) : std::nullopt;
}

}  // namespace

simulated_world::simulated_world(machine_model model, const simulation& wanted, std::uint64_t seed)
    : model_(std::move(model)),
      wanted_(checked(wanted)),
      memory_(model_, wanted.level, {.pages = pages_of(wanted.pages)}),
      engine_(0, seed, thread_stack_bytes),
      substrate_(find_substrate(wanted, model_)),
      slots_(slots_for(model_, substrate_ != nullptr)),
      crew_(substrate_ ? std::make_unique<phase_crew>(*this, substrate_->begins_through_memory()) : nullptr) {
  clock_ns_ = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 100; ++i) {
    const std::int64_t from = core::host_platform::real_now_ns();
    clock_ns_ = std::min(clock_ns_, core::host_platform::real_now_ns() - from);
  }
}

simulated_world::~simulated_world() = default;

// ---- threads

worker_id simulated_world::add_thread(std::uint32_t cpu, std::function<void()> code,
                                      std::size_t stack_bytes) {
  const auto begin = [this, code = std::move(code)] {
    leave_for_program();
    code();
  };
  const worker_id added = engine_.add(begin, left_at_, stack_bytes);
  if (threads_.size() <= added) threads_.resize(added + 1);
  threads_[added] = {.cpu = cpu, .hardware = model_.thread_on(cpu)};
  return added;
}

void simulated_world::start_thread(std::uint32_t cpu, std::function<void()> code) {
  add_thread(cpu, std::move(code), 0);
}

void simulated_world::start_helper(std::function<void()> code) {
  const stay here_now(*this);
  pass_in_kernel(assumed::new_thread_ns);
  add_thread(here().cpu, std::move(code), entering_stack_bytes);
}

void simulated_world::run(const std::function<void()>& code) {
  const worker_id visitor = add_thread(0, code, entering_stack_bytes);
  engine_.run_until(visitor);
  left_at_ = engine_.time_of(visitor);
}

simulation_report simulated_world::report() const {
  simulation_report r{.seconds = static_cast<double>(left_at_) / (model_.ghz * 1e9),
                      .cycles = left_at_,
                      .events = engine_.events(),
                      .stream = engine_.stream(),
                      .times = times_};
  for (std::size_t level = 0; level < model_.caches.size() && wanted_.level >= detail_level::caches;
       ++level) {
    const cache_counters c = memory_.sum_of(level);
    r.caches.push_back(
        {model_.caches[level].level, c.hits, c.demand_misses, c.prefetch_misses, c.evictions, c.write_backs});
  }
  for (const node_counters& n : memory_.nodes())
    r.nodes.push_back({n.bytes_read, n.bytes_written, n.queueing});
  for (const transfer_counters& t : memory_.transfers()) r.transfers.push_back({t.distance, t.words, t.data});
  return r;
}

// ---- time

void simulated_world::pass_what_was_measured() noexcept {
  const std::int64_t took = core::host_platform::real_now_ns() - left_for_program_ns_ - clock_ns_;
  if (took > 0) pass(in_cycles(static_cast<std::uint64_t>(took)), &simulated_times::computing);
}

void simulated_world::leave_for_program() noexcept {
  if (wanted_.measured) left_for_program_ns_ = core::host_platform::real_now_ns();
}

void simulated_world::pass(cycles time, std::uint64_t simulated_times::* doing) noexcept {
  if (here().is_clock) return;
  times_.*doing += time;
  pass_once(time);
  while (here().interrupted != 0) pass_once(std::exchange(here().interrupted, 0));
}

/// What a thread knows of itself stays its own while others run.
void simulated_world::pass_once(cycles time) noexcept {
  if (engine_.pass_alone(time)) return;
  const core::thread_state mine = core::exchange_thread_state({});
  engine_.pass(time);
  core::exchange_thread_state(mine);
}

void simulated_world::touch(const void* word, detail::use how) noexcept {
  const stay here_now(*this);
  virtual_thread& mine = here();
  if (mine.looks) return;
  constexpr access as_access[] = {access::read, access::write, access::atomic};
  const cycles taken = wanted_.level == detail_level::steps
                           ? assumed::step_cycles
                           : memory_.touch(thread_here(), memory_.space().word_line(word),
                                           as_access[static_cast<int>(how)], engine_.now() + mine.owed);
  if (mine.scans)
    mine.owed += taken;
  else
    pass(taken, &simulated_times::sharing);
}

void simulated_world::scan(bool begins) noexcept {
  here().scans = begins;
  if (!begins) pass(std::exchange(here().owed, 0), &simulated_times::waiting);
}

// Whoever makes it has it in its cache.
void simulated_world::new_words(const void* object, std::size_t bytes) noexcept {
  const stay here_now(*this);
  address_space& space = memory_.space();
  const line_number lines = space.new_words(object, bytes), first = space.word_line(object);
  for (line_number i = 0; i < lines; ++i)
    memory_.touch(thread_here(), first + i, access::write, engine_.now());
}

void simulated_world::pass_fast_path(core::fast_path passed) noexcept {
  const stay here_now(*this);
  switch (passed) {
    case core::fast_path::fork:
      return pass(assumed::fork_cycles, &simulated_times::forking);
    case core::fast_path::group_task:
      return pass(assumed::group_task_cycles, &simulated_times::forking);
    case core::fast_path::loop_chunk:
      return pass(assumed::loop_chunk_cycles, &simulated_times::forking);
  }
}

void simulated_world::relax() noexcept {
  const stay here_now(*this);
  pass(assumed::relax_cycles, &simulated_times::spinning);
}
void simulated_world::yield() noexcept {
  const stay here_now(*this);
  pass_in_kernel(assumed::yield_ns);
}
void simulated_world::heavy_fence() noexcept {
  const stay here_now(*this);
  pass_in_kernel(assumed::membarrier_ns);
}

std::int64_t simulated_world::now_ns() noexcept {
  const stay here_now(*this);
  return static_cast<std::int64_t>(static_cast<double>(engine_.now()) / model_.ghz);
}

// Page by page, so that others come in between.
void simulated_world::declare(const core::declared_range& range) noexcept {
  const stay here_now(*this);
  if (wanted_.level < detail_level::caches) return;
  const access how = range.how == detail::declared::read ? access::read : access::write;
  const auto begin = reinterpret_cast<std::uintptr_t>(range.first);
  for (std::size_t row = 0; row < range.rows; ++row) {
    const std::uintptr_t first = begin + row * range.pitch, end = first + range.bytes;
    for (std::uintptr_t at = first, next; at < end; at = next) {
      next = std::min(end, (at / page_bytes + 1) * page_bytes);
      pass(memory_.stream(thread_here(), {at, next - at}, how, engine_.now()), &simulated_times::data);
    }
  }
}

void simulated_world::declare_cycles(double computed) noexcept {
  const stay here_now(*this);
  if (!wanted_.measured && computed > 0 && std::isfinite(computed * wanted_.slowdown))
    compute(static_cast<cycles>(std::llround(computed * wanted_.slowdown)));
}

void simulated_world::compute(cycles time) noexcept {
  if (!slots_) return pass(time, &simulated_times::computing);
  const std::size_t core = thread_here() / model_.threads_a_core;
  slots_->begin(core);
  for (cycles left = time; left != 0;) {
    const cycles slice = std::min(left, issue_slots::slice);
    pass(slots_->stretched(core, slice), &simulated_times::computing);
    left -= slice;
  }
  slots_->end(core);
}

cycles simulated_world::handler_time(worker_id thread, cycles alone) const noexcept {
  return slots_ ? slots_->stretched(threads_[thread].hardware / model_.threads_a_core, alone, true) : alone;
}

// ---- sleep

// Nobody runs between the caller's look at the word and its entry here, so no call is lost.
void simulated_world::park(const void* word, std::int64_t timeout_us) noexcept {
  const stay here_now(*this);
  const worker_id self = engine_.self();
  const cycles from = engine_.now();
  sleepers_.push_back({word, self});
  const core::thread_state mine = core::exchange_thread_state({});
  if (timeout_us < 0)
    engine_.wait();
  else
    engine_.wait(in_cycles(static_cast<std::uint64_t>(timeout_us) * 1000 + assumed::sleep_ns));
  core::exchange_thread_state(mine);
  std::erase_if(sleepers_, [self](const sleeper& s) { return s.thread == self; });
  times_.asleep += engine_.now() - from;
}

void simulated_world::unpark(const void* word) noexcept {
  const stay here_now(*this);
  bool anybody = false;
  for (const sleeper& s : sleepers_) {
    if (s.word != word) continue;
    engine_.wake(s.thread, in_cycles(assumed::awake_after_ns));
    anybody = true;
  }
  std::erase_if(sleepers_, [word](const sleeper& s) { return s.word == word; });
  if (anybody) pass_in_kernel(assumed::wake_ns);
}

// ---- what acts by itself

void simulated_world::attach(machine_part& one) {
  parts_.push_back(&one);
  if (clock_ != nobody) return;
  clock_ = add_thread(0, [this] { run_parts(); }, 0);
  threads_[clock_].is_clock = true;
}

void simulated_world::detach(machine_part& one) noexcept { std::erase(parts_, &one); }

void simulated_world::used() noexcept { engine_.wake(clock_); }

void simulated_world::run_parts() {
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

bool simulated_world::wait_to_be_told(std::uint64_t at_most_ns) noexcept {
  const cycles from = now();
  here().interrupted = 0;  // it would only wait for longer
  const core::thread_state mine = core::exchange_thread_state({});
  const bool told = engine_.wait(in_cycles(at_most_ns));
  core::exchange_thread_state(mine);
  times_.waiting += now() - from;
  return told;
}

void simulated_world::interrupt(worker_id thread, cycles busy) noexcept {
  threads_[thread].interrupted += busy;
}

// ---- phases

std::unique_ptr<skua::detail::phase_base::run_state> simulated_world::make_phase(
    const phase_options& options, skua::detail::phase_work& work, std::atomic<bool>& stopped,
    const core::scheduler_core& pool) {
  return substrate_ ? substrate_->make_phase(*this, {options, work, stopped, pool}) : nullptr;
}

void simulated_world::reduce_parts(std::size_t threads) noexcept {
  if (substrate_) pass(substrate_->reduction(threads), &simulated_times::sharing);
}

void simulated_world::took_part() noexcept {
  if (crew_) crew_->took_part();
}
bool simulated_world::stand_by(std::uint32_t worker) noexcept { return crew_ && crew_->stand_by(worker); }
std::size_t simulated_world::summon(skua::detail::phase_base::run_state& run) noexcept {
  return crew_ ? crew_->summon(run) : 0;
}
void simulated_world::wait_for_summoned(skua::detail::phase_base::run_state& run) noexcept {
  crew_->wait_for_summoned(run);
}

}  // namespace skua::simulator

namespace skua::core {

std::shared_ptr<world> make_world(const simulation& wanted, std::uint64_t seed) {
  return std::make_shared<simulator::simulated_world>(
      simulator::find_machine(wanted.machine, wanted.threads_a_core), wanted, seed);
}

topology simulated_topology(const simulation& wanted) {
  return simulator::find_machine(wanted.machine, wanted.threads_a_core).machine;
}

}  // namespace skua::core
