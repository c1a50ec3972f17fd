#include "simulator/engine_machine.hpp"

#include <limits>
#include <optional>
#include <utility>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "base/random.hpp"
#include "core/phase/phase_run.hpp"
#include "core/platform/platform.hpp"
#include "simulator/adm/phase_crew.hpp"
#include "simulator/adm/substrate.hpp"
#include "topology/level_names.hpp"

namespace skua::simulator {

namespace {

constexpr std::size_t entering_stack_bytes = std::size_t{64} << 20, thread_stack_bytes = 256 * 1024;

std::optional<page_policy> pages_of(const std::string& wanted) {
  constexpr auto& names = skua::detail::page_policy_names;
  if (wanted.empty()) return std::nullopt;
  if (wanted == names[0]) return page_policy::first_touch;
  if (wanted == names[1]) return page_policy::interleave;
  throw bad_input("pages of a simulation are '" + wanted + "'; allowed: " + skua::base::list_of_names(names) +
                  skua::base::or_nearest(wanted, names));
}

/// A run that records or replays times also measures leaves.
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

issue_slots slots_for(const machine_model& model, detail_level level, bool has_substrate) {
  std::vector<std::uint32_t> cores;
  for (const hardware_thread& thread : model.hardware) cores.push_back(thread.core);
  if (has_substrate) return {cores, smt_throughput::of_two_slots()};
  if (level < detail_level::bandwidth) return {cores, smt_throughput::of_cores()};
  return {cores, smt_throughput::with_gain(model.smt_gain_percent)};
}

std::unique_ptr<phase_crew> crew_for(engine_machine& of, std::unique_ptr<substrate> hardware) {
  return hardware ? std::make_unique<phase_crew>(of, std::move(hardware)) : nullptr;
}

double checked_patience(double seconds) {
  constexpr double max = 1e6;
  if (seconds >= 0 && seconds <= max) return seconds;
  throw bad_input(
      "watchdog_s of a simulation is " + std::to_string(seconds) +
      "; allowed: 0 (no watchdog) to 1000000 seconds; nearest: " + (seconds > max ? "1000000" : "0"));
}

}  // namespace

engine_machine::engine_machine(machine_model model, const simulation& wanted, std::uint64_t seed)
    : model_(std::move(model)),
      wanted_(checked(wanted)),
      memory_(model_, wanted.level, {.pages = pages_of(wanted.pages)}),
      engine_(0, seed, thread_stack_bytes),
      kernel_random_(base::generator_state(seed, 0)),
      crew_(crew_for(*this, find_substrate(wanted, model_))),
      slots_(slots_for(model_, wanted.level, crew_ != nullptr)),
      watchdog_(engine_.signs(), wanted.machine, checked_patience(wanted.watchdog_s)) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  // For tests: these variables apply to all simulated machines of the process, whichever machines the program uses.
  if (const std::int64_t fate = base::number_from("SKUA_SIMULATE_HOSTILE", 0, max, 0); fate != 0)
    engine_.be_hostile(static_cast<std::uint64_t>(fate));
  if (const std::int64_t steps = base::number_from("SKUA_SIMULATE_STEPS", 0, max, 0); steps != 0)
    engine_.stop_after(static_cast<std::uint64_t>(steps));
  // Without lines, nothing keeps the reader of a word behind its writer. The parts of a substrate count on exact times.
  if (wanted_.measured && wanted_.level >= detail_level::lines && !crew_)
    engine_.let_run_ahead(ahead_if_measured);
  if (!wanted_.record.empty()) recorder_ = std::make_unique<recording_writer>(wanted_.record);
  if (!wanted_.replay.empty()) replayed_ = std::make_unique<recording>(wanted_.replay);
}

engine_machine::~engine_machine() = default;

core::phase_hardware* engine_machine::phases() noexcept { return crew_.get(); }

// ---- threads

worker_id engine_machine::add_thread(std::uint32_t cpu, std::function<void()> code, std::size_t stack_bytes,
                                     runs_on where, bool is_clock, cycles late) {
  const auto begin = [this, where, code = std::move(code)] {
    if (where == runs_on::own_thread) adopt_real_thread();
    show_running_thread();
    code();
  };
  // Allocates all memory before anything has happened, because a thread that parks cannot report a failure.
  const std::size_t most = engine_.workers() + 1;
  while (threads_.size() < most) threads_.push_back(std::make_unique<virtual_thread>());
  if (sleepers_.capacity() < most) sleepers_.reserve(2 * most);
  const worker_id added = engine_.add(begin, left_at_ + late, stack_bytes, where, is_clock);
  *threads_[added] = {.is_clock = is_clock};
  threads_[added]->attach_on(cpu, model_);
  return added;
}

void engine_machine::start_thread(std::uint32_t cpu, std::function<void()> code) {
  const cycles max = in_cycles(model_.costs.wake_ns);
  const cycles late = engine_.is_hostile() ? 0 : base::random_below(max + 1, kernel_random_);
  add_thread(cpu, std::move(code), 0, thread_of_its_own(), false, late);
}

cycles engine_machine::until_awake() noexcept {
  const cycles usual = in_cycles(model_.costs.awake_after_ns);
  return engine_.is_hostile() ? usual : usual - usual / 2 + base::random_below(usual + 1, kernel_random_);
}

void engine_machine::start_helper(std::function<void()> code) {
  const in_library entered(*this);
  pass_in_kernel(model_.costs.new_thread_ns);
  add_thread(here().cpu, std::move(code), entering_stack_bytes, thread_of_its_own());
}

std::uint32_t engine_machine::add_visitor(const std::function<void()>& code) {
  watchdog_.watch();
  engine_.prepare_run();
  // The visitor uses the thread_local variables of the thread that enters, so it gets a stack and no thread of its own.
  // On a chip with a substrate it begins late, so that the first phase finds all workers standing by.
  const bool begins = crew_ && left_at_ == 0 && !engine_.is_hostile();
  const cycles late = begins ? in_cycles(model_.costs.wake_ns) : 0;
  return add_thread(model_.first_cpu(), code, entering_stack_bytes, runs_on::stack, false, late);
}

void engine_machine::run_visitor(std::uint32_t visitor) {
  struct none_inside {
    core::vital_signs& signs;
    ~none_inside() { signs.real_thread.store(0, std::memory_order_relaxed); }
  } at_end{engine_.signs()};
  engine_.run_until(visitor);
  left_at_ = engine_.time_of(visitor);
}

simulation_report engine_machine::report() const {
  simulation_report r{.seconds = static_cast<double>(left_at_) / (model_.ghz * 1e9),
                      .cycles = left_at_,
                      .events = engine_.events(),
                      .stream = engine_.stream(),
                      .times = times_,
                      .operations = operations_,
                      .tasks = tasks_,
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

simulation_progress engine_machine::progress() const noexcept {
  const core::vital_signs& signs = engine_.signs();
  return {.seconds = static_cast<double>(signs.cycles.load(std::memory_order_relaxed)) / (model_.ghz * 1e9),
          .events = signs.events.load(std::memory_order_relaxed)};
}

// ---- sleep

// No other thread runs between the caller's read of the word and its entry here, so no wake-up is lost.
void engine_machine::park(const void* word, std::int64_t timeout_us) noexcept {
  const in_library entered(*this);
  const worker_id self = engine_.self();
  const cycles from = engine_.now();
  sleepers_.push_back({word, self});
  {
    const switched_out asleep(*this);
    if (timeout_us < 0)
      engine_.wait();
    else
      engine_.wait(in_cycles(static_cast<std::uint64_t>(timeout_us) * 1000 + model_.costs.sleep_ns));
  }
  std::erase_if(sleepers_, [self](const sleeper& s) { return s.thread == self; });
  times_.asleep += engine_.now() - from;
}

void engine_machine::unpark(const void* word) noexcept {
  const in_library entered(*this);
  bool any_woken = false;
  for (const sleeper& s : sleepers_) {
    if (s.word != word) continue;
    engine_.wake(s.thread, until_awake());
    any_woken = true;
  }
  std::erase_if(sleepers_, [word](const sleeper& s) { return s.word == word; });
  if (any_woken) pass_in_kernel(model_.costs.wake_ns);
}

// ---- parts of the machine that act by themselves

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
  here().interrupted = 0;  // an interrupt would only prolong the wait
  const bool told = [&] {
    const switched_out meanwhile(*this);
    return engine_.wait(in_cycles(at_most_ns));
  }();
  times_.waiting += now() - from;
  return told;
}

void engine_machine::interrupt(worker_id thread, cycles busy) noexcept {
  threads_[thread]->interrupted += busy;
}

// ---- which thread runs

engine_machine::switched_out::switched_out(engine_machine& simulated_machine) noexcept
    : machine_(simulated_machine), mine_(core::exchange_thread_state({})) {}

engine_machine::switched_out::~switched_out() {
  core::exchange_thread_state(mine_);
  machine_.show_worker();
  if (machine_.wanted_.own_threads) machine_.show_running_thread();
}

void engine_machine::show_worker() noexcept {
  core::vital_signs& signs = engine_.signs();
  signs.worker.store(here().worker, std::memory_order_relaxed);
  signs.cpu.store(here().cpu, std::memory_order_relaxed);
}

void engine_machine::show_running_thread() noexcept {
  show_worker();
  engine_.signs().real_thread.store(core::host_platform::thread_number(), std::memory_order_relaxed);
}

void engine_machine::attach(worker_id worker, std::uint32_t cpu) noexcept {
  here().worker = worker;
  here().attach_on(cpu, model_);
  slots_.attach(worker, thread_here());
  show_running_thread();
}

void engine_machine::set_elsewhere(bool elsewhere) noexcept {
  if (elsewhere)
    engine_.signs().real_thread.store(0, std::memory_order_relaxed);
  else
    show_running_thread();
}

}  // namespace skua::simulator

namespace skua::core {

std::shared_ptr<simulated_machine> make_simulated_machine(const simulation& wanted, std::uint64_t seed) {
  return std::make_shared<simulator::engine_machine>(
      simulator::find_machine(wanted.machine, wanted.threads_a_core), wanted, seed);
}

topology simulated_topology(const simulation& wanted) {
  return simulator::find_machine(wanted.machine, wanted.threads_a_core).machine;
}

}  // namespace skua::core
