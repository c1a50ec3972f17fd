#include "core/platform/simulated_machine.hpp"

#include <cstdio>
#include <utility>
#include <vector>

#include <skua/detail/loop.hpp>

#include "core/external/kept_worker.hpp"
#include "core/platform/phase_hardware.hpp"
#include "core/platform/process_fork.hpp"
#include "core/platform/simulation_line.hpp"
#include "core/scheduler_core.hpp"

namespace skua {

namespace detail {

constinit thread_local bool time_is_virtual = false;

void touch_word(const void* word, use how) noexcept { core::virtual_threads_here().touch(word, how); }

void made_words(const void* object, std::size_t bytes) noexcept {
  core::virtual_threads_here().new_words(object, bytes);
}

void declare_cycles(double cycles) noexcept {
  if (time_is_virtual) core::virtual_threads_here().declare_cycles(cycles);
}

}  // namespace detail

namespace core {

namespace {

constinit thread_local simulated_machine* entered_machine = nullptr;

}  // namespace

simulated_machine* current_simulated_machine() noexcept { return entered_machine; }
virtual_threads& virtual_threads_here() noexcept { return *entered_machine; }
strand_clock* strand_clock_here() noexcept { return entered_machine ? entered_machine->strands() : nullptr; }
phase_hardware* phase_hardware_here() noexcept {
  return entered_machine ? entered_machine->phases() : nullptr;
}

namespace {

/// The calling thread is a virtual one of that machine, or with null a real one, while this lives.
class in_simulated_machine {
 public:
  explicit in_simulated_machine(simulated_machine* entered) noexcept
      : outer_machine_(std::exchange(entered_machine, entered)), outer_state_(exchange_thread_state({})) {
    detail::time_is_virtual = entered != nullptr;
    if (entered) detail::listeners.fetch_add(1, std::memory_order_relaxed);
    if (outer_machine_) outer_machine_->set_elsewhere(true);
  }
  ~in_simulated_machine() {
    if (outer_machine_) outer_machine_->set_elsewhere(false);
    if (entered_machine) detail::listeners.fetch_sub(1, std::memory_order_relaxed);
    exchange_thread_state(outer_state_);
    entered_machine = outer_machine_;
    detail::time_is_virtual = outer_machine_ != nullptr;
  }
  in_simulated_machine(const in_simulated_machine&) = delete;
  in_simulated_machine& operator=(const in_simulated_machine&) = delete;

 private:
  simulated_machine* outer_machine_;
  thread_state outer_state_;
};

}  // namespace

void leave_simulated_machine(const std::function<void()>& code) {
  const in_simulated_machine outside(nullptr);
  code();
}

void simulated_machine::enter(const std::function<void()>& code) {
  const std::lock_guard alone(entered_);
  if (broken_) std::rethrow_exception(broken_);
  struct marked {
    std::thread::id& by;
    explicit marked(std::thread::id& of) : by(of) { by = std::this_thread::get_id(); }
    ~marked() { by = {}; }
  } for_children_of_fork(entered_by_);
  const in_simulated_machine inside(this);
  std::exception_ptr thrown;
  const auto keep_thrown = [&] {
    try {
      code();
    } catch (...) {
      thrown = std::current_exception();
    }
  };
  const std::uint32_t visitor = add_visitor(keep_thrown);
  try {
    run_visitor(visitor);
  } catch (...) {  // no thread can continue; a thread that entered again would wait for ever
    broken_ = std::current_exception();
    throw;
  }
  if (thrown) std::rethrow_exception(thrown);
}

void simulated_machine::adopt_real_thread() noexcept {
  entered_machine = this;
  detail::time_is_virtual = true;
}

thread_state exchange_thread_state(const thread_state& next) noexcept {
  return {std::exchange(detail::current, next.current), std::exchange(last_worker, next.last_worker),
          std::exchange(detail::last_participant, next.last_participant),
          std::exchange(blocking_caller_here, next.called_by), std::exchange(virtual_calls_here, next.calls)};
}

namespace {

struct machines_to_report {
  machines_to_report() noexcept { of_process = this; }
  ~machines_to_report() {
    of_process = nullptr;
    line.reset();
    bool has_said_how = false;
    for (const auto& [wanted, simulated] : all) {
      simulated->finish_recording();
      const simulation_report r = simulated->report();
      std::fprintf(stderr, "skua: simulated %s: %.6g s, %llu cycles; %s\n", wanted.machine.c_str(), r.seconds,
                   static_cast<unsigned long long>(r.cycles), to_string(r.times).c_str());
      if (r.not_recorded != 0)
        std::fprintf(
            stderr, "skua: %llu of %llu measured leaf times were not in the recording and counted as 0\n",
            static_cast<unsigned long long>(r.not_recorded), static_cast<unsigned long long>(r.measured));
      if (r.measured != 0 && wanted.replay.empty() && !std::exchange(has_said_how, true))
        say_how_to_repeat(wanted);
    }
  }
  static void say_how_to_repeat(const simulation& wanted) noexcept {
    if (wanted.record.empty())
      std::fputs(
          "skua: the times of leaves were measured, so the next run differs; SKUA_SIMULATE_RECORD=FILE keeps "
          "them, and "
          "SKUA_SIMULATE_COSTS=declared takes what the leaves declare\n",
          stderr);
    else
      std::fprintf(stderr, "skua: the times of leaves were measured; SKUA_SIMULATE_REPLAY=%s repeats them\n",
                   wanted.record.c_str());
  }
  // In a child of fork(): the parent reports them. They are left as they are, since missing threads may be inside.
  static void leave_to_parent() noexcept {
    if (!of_process) return;
    static_cast<void>(of_process->line.release());  // its thread is the parent's
    static auto& left_behind = *new std::vector<decltype(all)>;
    left_behind.push_back(std::exchange(of_process->all, {}));
  }

  static constinit machines_to_report* of_process;
  fork_safe_lock mutex;
  std::vector<std::pair<simulation, std::shared_ptr<simulated_machine>>> all;
  std::unique_ptr<simulation_line> line;  // of the first machine
};
constinit machines_to_report* machines_to_report::of_process = nullptr;

const in_child machines_in_child(machines_to_report::leave_to_parent);

}  // namespace

void report_at_exit(const simulation& wanted, std::shared_ptr<simulated_machine> simulated) {
  static machines_to_report reported;
  const std::lock_guard lock(reported.mutex);
  if (!reported.line) reported.line = std::make_unique<simulation_line>(wanted.machine, simulated);
  reported.all.emplace_back(wanted, std::move(simulated));
}

}  // namespace core

std::string to_string(const simulated_times& times) {
  std::uint64_t sum = 0;
  for (const named_time& one : simulated_time_names) sum += times.*one.cycles;
  std::string shares;
  for (const named_time& one : simulated_time_names) {
    if (times.*one.cycles == 0) continue;
    char share[32];
    std::snprintf(share, sizeof share, " %.1f%%",
                  100.0 * static_cast<double>(times.*one.cycles) / static_cast<double>(sum));
    shares += (shares.empty() ? "" : ", ") + std::string(one.name) + share;
  }
  return shares;
}

}  // namespace skua
