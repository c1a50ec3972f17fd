#include "simulator/simulated_world.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/phase_run.hpp"
#include "core/platform.hpp"
#include "core/strands.hpp"
#include "simulator/phase_crew.hpp"
#include "simulator/substrate.hpp"
#include "topology/environment.hpp"
#include "topology/nearest_name.hpp"

namespace skua::simulator {

namespace {

constexpr std::size_t entering_stack_bytes = std::size_t{64} << 20, thread_stack_bytes = 256 * 1024;

std::optional<page_policy> pages_of(const std::string& wanted) {
  constexpr std::string_view names[] = {"first_touch", "interleave"};
  if (wanted.empty()) return std::nullopt;
  if (wanted == names[0]) return page_policy::first_touch;
  if (wanted == names[1]) return page_policy::interleave;
  throw bad_input("pages of a simulation are '" + wanted +
                  "'; allowed: " + skua::detail::list_of_names(names) +
                  "; nearest: " + std::string(skua::detail::nearest_name(wanted, names)));
}

/// Times that are kept, or were, are measured ones.
simulation checked(simulation wanted) {
  if (!wanted.record.empty() && !wanted.replay.empty())
    throw bad_input("a simulation is to record '" + wanted.record + "' and to replay '" + wanted.replay +
                    "'; allowed: one of them; nearest: to replay");
  if (!(wanted.slowdown >= 0.01 && wanted.slowdown <= 10000))
    throw bad_input("slowdown of a simulation is " + std::to_string(wanted.slowdown) +
                    "; allowed: 0.01 to 10000; nearest: " + (wanted.slowdown > 1 ? "10000" : "0.01"));
  wanted.measured |= !wanted.record.empty() || !wanted.replay.empty();
  return wanted;
}

/// Of the chips whose cores are known to be so, where it matters.
std::optional<issue_slots> slots_for(const machine_model& model, bool has_substrate) {
  const issue_slots slots(model.cores, model.threads_a_core);
  return has_substrate && slots.scarce() ? std::optional(slots) : std::nullopt;
}

double checked_patience(double seconds) {
  constexpr double most = 1e6;
  if (seconds >= 0 && seconds <= most) return seconds;
  throw bad_input(
      "watchdog_s of a simulation is " + std::to_string(seconds) +
      "; allowed: 0 (nobody watches) to 1000000 seconds; nearest: " + (seconds > most ? "1000000" : "0"));
}

}  // namespace

simulated_world::simulated_world(machine_model model, const simulation& wanted, std::uint64_t seed)
    : model_(std::move(model)),
      wanted_(checked(wanted)),
      memory_(model_, wanted.level, {.pages = pages_of(wanted.pages)}),
      engine_(0, seed, thread_stack_bytes),
      substrate_(find_substrate(wanted, model_)),
      slots_(slots_for(model_, substrate_ != nullptr)),
      crew_(substrate_ ? std::make_unique<phase_crew>(*this, substrate_->begins_through_memory()) : nullptr),
      watchdog_(engine_.signs(), wanted.machine, checked_patience(wanted.watchdog_s)) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  // Of the process and not of one scheduler: for tests, whatever machines a program asks for.
  if (const std::int64_t fate = detail::number_from("SKUA_SIMULATE_HOSTILE", 0, most, 0); fate != 0)
    engine_.be_hostile(static_cast<std::uint64_t>(fate));
  if (const std::int64_t steps = detail::number_from("SKUA_SIMULATE_STEPS", 0, most, 0); steps != 0)
    engine_.stop_after(static_cast<std::uint64_t>(steps));
  if (!wanted_.record.empty()) recorder_ = std::make_unique<recorder>(wanted_.record);
  if (!wanted_.replay.empty()) replayed_ = std::make_unique<recording>(wanted_.replay);
  clock_ns_ = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 100; ++i) {
    const std::int64_t from = core::host_platform::real_now_ns();
    clock_ns_ = std::min(clock_ns_, core::host_platform::real_now_ns() - from);
  }
}

simulated_world::~simulated_world() = default;

// ---- threads

worker_id simulated_world::add_thread(std::uint32_t cpu, std::function<void()> code, std::size_t stack_bytes,
                                      runs_on where, bool is_clock) {
  const auto begin = [this, where, code = std::move(code)] {
    if (where == runs_on::own_thread) adopt_real_thread();
    show_who_runs();
    leave_for_program();
    code();
  };
  const worker_id added = engine_.add(begin, left_at_, stack_bytes, where, is_clock);
  if (threads_.size() <= added) threads_.resize(added + 1);
  threads_[added] = {.is_clock = is_clock};
  threads_[added].sit_on(cpu, model_);
  return added;
}

void simulated_world::start_thread(std::uint32_t cpu, std::function<void()> code) {
  add_thread(cpu, std::move(code), 0, thread_of_its_own());
}

void simulated_world::start_helper(std::function<void()> code) {
  const stay here_now(*this);
  pass_in_kernel(model_.costs.new_thread_ns);
  add_thread(here().cpu, std::move(code), entering_stack_bytes, thread_of_its_own());
}

void simulated_world::run(const std::function<void()>& code) {
  // Its thread_local variables are those of whoever enters, so it is on a stack of that thread.
  const worker_id visitor = add_thread(0, code, entering_stack_bytes, runs_on::stack);
  watchdog_.watch();
  struct nobody_inside {
    core::vital_signs& signs;
    ~nobody_inside() { signs.real_thread.store(0, std::memory_order_relaxed); }
  } at_end{engine_.signs()};
  engine_.run_until(visitor);
  left_at_ = engine_.time_of(visitor);
}

simulation_report simulated_world::report() const {
  simulation_report r{.seconds = static_cast<double>(left_at_) / (model_.ghz * 1e9),
                      .cycles = left_at_,
                      .events = engine_.events(),
                      .stream = engine_.stream(),
                      .times = times_,
                      .above_boundary_cycles = above_boundary_,
                      .measured = measured_,
                      .not_recorded = replayed_ ? replayed_->missing() : 0};
  for (std::size_t level = 0; level < model_.caches.size() && wanted_.level >= detail_level::caches;
       ++level) {
    const cache_counters c = memory_.sum_of(level);
    r.caches.push_back(
        {model_.caches[level].level, c.hits, c.demand_misses, c.prefetch_misses, c.evictions, c.write_backs});
  }
  for (const node_counters& n : memory_.nodes())
    r.nodes.push_back({n.bytes_read, n.bytes_written, n.queueing, n.bytes_read_remotely});
  for (const transfer_counters& t : memory_.transfers()) r.transfers.push_back({t.distance, t.words, t.data});
  return r;
}

simulation_progress simulated_world::progress() const noexcept {
  const core::vital_signs& signs = engine_.signs();
  return {.seconds = static_cast<double>(signs.cycles.load(std::memory_order_relaxed)) / (model_.ghz * 1e9),
          .events = signs.events.load(std::memory_order_relaxed)};
}

// ---- who runs

simulated_world::away::away(simulated_world& world) noexcept
    : world_(world), mine_(core::exchange_thread_state({})) {}

simulated_world::away::~away() {
  core::exchange_thread_state(mine_);
  world_.show_who_runs();
}

void simulated_world::show_who_runs() noexcept {
  core::vital_signs& signs = engine_.signs();
  signs.worker.store(here().worker, std::memory_order_relaxed);
  signs.cpu.store(here().cpu, std::memory_order_relaxed);
  signs.real_thread.store(core::host_platform::thread_number(), std::memory_order_relaxed);
}

void simulated_world::sit_down(worker_id worker, std::uint32_t cpu) noexcept {
  here().worker = worker;
  here().sit_on(cpu, model_);
  show_who_runs();
}

void simulated_world::elsewhere(bool leaves) noexcept {
  if (leaves)
    engine_.signs().real_thread.store(0, std::memory_order_relaxed);
  else
    show_who_runs();
}

// ---- time

void simulated_world::pass_what_was_measured() noexcept {
  if (detail::strand& here = core::current_strand(); here.runs) strand_stops(here, false);
}

void simulated_world::strand_stops(detail::strand& here, bool last) noexcept {
  const std::uint64_t took = computed_ns(here, last);
  if (recorder_) recorder_->write(here, last, took);
  ++here.part;
  ++measured_;
  if (took != 0) pass(in_cycles(took), &simulated_times::computing);
}

std::uint64_t simulated_world::computed_ns(const detail::strand& here, bool last) noexcept {
  if (replayed_) return replayed_->next(here, last);
  const std::int64_t took = core::host_platform::real_now_ns() - left_for_program_ns_ - clock_ns_;
  return took > 0 ? static_cast<std::uint64_t>(took) : 0;
}

void simulated_world::finish_recording() noexcept {
  if (recorder_) recorder_->finish();
}

void simulated_world::leave_for_program() noexcept {
  if (wanted_.measured && !replayed_) left_for_program_ns_ = core::host_platform::real_now_ns();
}

void simulated_world::pass(cycles time, std::uint64_t simulated_times::* doing) noexcept {
  if (here().is_clock) return;
  if (doing != &simulated_times::data) wait_for_data();
  if (doing != &simulated_times::computing && doing != &simulated_times::data) here().fetching = 0;
  times_.*doing += time;
  if (here().above_boundary) above_boundary_ += time;
  pass_once(time);
  while (here().interrupted != 0) pass_once(std::exchange(here().interrupted, 0));
}

void simulated_world::pass_once(cycles time) noexcept {
  if (engine_.pass_alone(time)) return;
  const away meanwhile(*this);
  engine_.pass(time);
}

void simulated_world::touch(const void* word, detail::use how) noexcept {
  const stay here_now(*this);
  virtual_thread& mine = here();
  if (mine.looks) return;
  constexpr access as_access[] = {access::read, access::write, access::atomic};
  const cycles taken = wanted_.level == detail_level::steps
                           ? model_.costs.step_cycles
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
  for (const line_number line : memory_.space().new_words(object, bytes)) {
    memory_.renew_words(line);
    memory_.touch(thread_here(), line, access::write, engine_.now());
  }
}

namespace {

cycles cycles_of(core::fast_path passed, const runtime_costs& costs) noexcept {
  switch (passed) {
    case core::fast_path::fork:
      return costs.fork_cycles;
    case core::fast_path::group_task:
      return costs.group_task_cycles;
    case core::fast_path::loop_chunk:
      return costs.loop_chunk_cycles;
  }
  return 0;
}

}  // namespace

void simulated_world::pass_fast_path(core::fast_path passed) noexcept {
  const stay here_now(*this);
  pass(cycles_of(passed, model_.costs), &simulated_times::forking);
}

double simulated_world::fast_path_ns(core::fast_path passed) const noexcept {
  return static_cast<double>(cycles_of(passed, model_.costs)) / model_.ghz;
}

void simulated_world::relax() noexcept {
  const stay here_now(*this);
  pass(model_.costs.relax_cycles, &simulated_times::spinning);
}
void simulated_world::yield() noexcept {
  const stay here_now(*this);
  pass_in_kernel(model_.costs.yield_ns);
}
void simulated_world::heavy_fence() noexcept {
  const stay here_now(*this);
  pass_in_kernel(model_.costs.membarrier_ns);
}

std::int64_t simulated_world::now_ns() noexcept {
  const stay here_now(*this);
  return static_cast<std::int64_t>(static_cast<double>(engine_.now()) / model_.ghz);
}

// Page by page, so that others come in between. Ranges that follow each other overlap: what comes last is waited for when
// something else is done.
void simulated_world::declare(const core::declared_range& range) noexcept {
  const stay here_now(*this);
  if (wanted_.level < detail_level::caches) return;
  const access how = range.how == detail::declared::read ? access::read : access::write;
  const auto begin = reinterpret_cast<std::uintptr_t>(range.first);
  const cycles from = engine_.now();
  if (!here().data) here().data = memory_.window(from);
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

void simulated_world::wait_for_data() noexcept {
  if (!here().data) return;
  const cycles from = engine_.now(), end = here().data->end();
  here().data.reset();
  pass_until(end);
  here().fetching += engine_.now() - from;
}

/// For data. An interrupt may have taken the thread beyond.
void simulated_world::pass_until(cycles time) noexcept {
  if (time > engine_.now()) pass(time - engine_.now(), &simulated_times::data);
}

void simulated_world::declare_cycles(double computed) noexcept {
  const stay here_now(*this);
  const double wanted = computed * wanted_.slowdown;
  if (wanted_.measured || !(wanted > 0) || !std::isfinite(wanted)) return;
  const auto all = static_cast<cycles>(std::llround(wanted));
  const cycles beside = std::min(all, here().fetching);  // what could be done while data came
  here().fetching -= beside;
  compute(all - beside * model_.memory.overlap_percent / 100);
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

void simulated_world::unpark(const void* word) noexcept {
  const stay here_now(*this);
  bool anybody = false;
  for (const sleeper& s : sleepers_) {
    if (s.word != word) continue;
    engine_.wake(s.thread, in_cycles(model_.costs.awake_after_ns));
    anybody = true;
  }
  std::erase_if(sleepers_, [word](const sleeper& s) { return s.word == word; });
  if (anybody) pass_in_kernel(model_.costs.wake_ns);
}

// ---- what acts by itself

void simulated_world::attach(machine_part& one) {
  parts_.push_back(&one);
  if (clock_ != nobody) return;
  clock_ = add_thread(0, [this] { run_parts(); }, 0, runs_on::stack, true);
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
  const bool told = [&] {
    const away meanwhile(*this);
    return engine_.wait(in_cycles(at_most_ns));
  }();
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
