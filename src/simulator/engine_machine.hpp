// The simulated machine of the core (core/platform/simulated_machine.hpp): the engine of virtual time with the costs of a
// machine model.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/platform/simulated_machine.hpp"
#include "core/platform/watchdog.hpp"
#include "simulator/engine/engine.hpp"
#include "simulator/engine/issue_slots.hpp"
#include "simulator/engine/leaf_times.hpp"
#include "simulator/engine/machine_part.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/memory/memory_system.hpp"

namespace skua::simulator {

class phase_crew;

class engine_machine final : public core::simulated_machine, private core::strand_clock {
 public:
  engine_machine(machine_model model, const simulation& wanted, std::uint64_t seed);
  ~engine_machine() override;

  core::strand_clock* strands() noexcept override { return wanted_.measured ? this : nullptr; }
  core::phase_hardware* phases() noexcept override;

  void start_thread(std::uint32_t cpu, std::function<void()> code) override;
  void set_elsewhere(bool elsewhere) noexcept override;
  core::machine_facts facts() const noexcept override;
  simulation_report report() const override;
  simulation_progress progress() const noexcept override;
  void finish_recording() noexcept override;

  void touch(const void* word, detail::use how) noexcept override;
  void new_words(const void* object, std::size_t bytes) noexcept override;
  void spend(core::timed_step taken) noexcept override;
  void park(const void* word, std::int64_t timeout_us) noexcept override;
  void unpark(const void* word) noexcept override;
  std::int64_t now_ns() noexcept override;
  void start_helper(std::function<void()> code) override;
  std::uint32_t current_cpu() noexcept override { return here().cpu; }
  void attach(worker_id worker, std::uint32_t cpu) noexcept override;

  void set_charge(core::charge kind, bool begins) noexcept override;
  void declare(const core::declared_range& range) noexcept override;
  void declare_cycles(double cycles) noexcept override;

  // ---- for parts of the machine that act by themselves, and for the threads that use them

  /// From now on the part's advance() is called when it is due, until it is detached.
  void attach(machine_part& one);
  void detach(machine_part& one) noexcept;
  /// Called after a thread has used a part, which may have become due.
  void used() noexcept;

  worker_id thread_running() const noexcept { return engine_.self(); }
  cycles now() const noexcept { return engine_.now(); }
  /// In the unit of now_ns().
  std::uint64_t in_ns(cycles at) const noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(at) / model_.ghz);
  }
  /// The caller spends that time with `activity`, and additional time with handlers of interrupts that come meanwhile.
  void pass(cycles time, std::uint64_t simulated_times::* activity) noexcept;
  /// The same, for what the scheduler does.
  void pass_in_library(cycles time, std::uint64_t simulated_times::* activity) noexcept;
  /// Waits until another thread calls tell() for the caller. False: none did within that time.
  bool wait_to_be_told(std::uint64_t at_most_ns) noexcept;
  void tell(worker_id thread) noexcept { engine_.wake(thread); }
  /// The thread is busy with a handler for that long.
  void interrupt(worker_id thread, cycles busy) noexcept;
  /// How long a handler takes on that thread, which may share its core.
  cycles handler_time(worker_id thread, cycles alone) const noexcept;
  void count(cycles busy, std::uint64_t simulated_times::* activity) noexcept { times_.*activity += busy; }
  /// Counts one operation, for which its thread was busy that long.
  void carried_out(simulated_operation simulated_operations::* which, cycles busy) noexcept {
    ++(operations_.*which).times;
    (operations_.*which).cycles += busy;
  }
  void gave_out_task(bool stolen) noexcept {
    ++tasks_.run;
    tasks_.stolen += stolen;
  }

 private:
  std::uint32_t add_visitor(const std::function<void()>& code) override;
  void run_visitor(std::uint32_t visitor) override;

  void strand_runs() noexcept override { leave_for_program(); }
  void strand_stops(detail::strand& here, bool last) noexcept override;
  detail::strand& own_strand() noexcept override { return here().strand; }

  // Measured times of leaves differ by microseconds from run to run, so their runs need not be exact to a few cycles. A step
  // that switches to another worker takes three times as long as one that does not. With 50 cycles, the time of a loop of
  // 10000 cycles on each of 192 workers grows by 0.5%, with 100 by 1.4%, and with 200 by 2.7%.
  static constexpr cycles ahead_if_measured = 50;

  struct alignas(64) virtual_thread {
    void attach_on(std::uint32_t new_cpu, const machine_model& model) {
      cpu = new_cpu;
      hardware = model.thread_on(new_cpu);
    }

    std::uint32_t cpu = 0, worker = core::vital_signs::no_worker;
    std::size_t hardware = 0;     // the model's number of that CPU
    bool looks = false;           // it looks as a policy, at no cost (simulation::free_looks)
    bool above_boundary = false;  // it forks there
    bool scans = false;           // and owes the time of its reads
    bool probes = false;          // the same until it writes
    cycles owed = 0;
    bool sets_up = false;
    bool is_clock = false;        // it runs the parts of the machine and spends no time
    bool has_data = false;        // beside the other words that each step reads
    cycles interrupted = 0;       // time of handlers since it passed time last
    cycles fetching = 0;          // how long it has waited for data since it did something else
    issue_slots::work ahead = 0;  // already done of what it computes next
    detail::strand strand = {};
    std::optional<miss_window> data = {};  // declared data that are still on their way
  };
  /// Every function that a virtual thread calls has such an object. If a leaf is being measured, it charges the time that the
  /// program has computed until now. Most calls come from workers that wait for work, so the others must be cheap.
  class in_library {
   public:
    explicit in_library(engine_machine& simulated_machine) noexcept : machine_(simulated_machine) {
      if (machine_.wanted_.measured) measures_ = machine_.pass_what_was_measured();
    }
    ~in_library() {
      if (measures_) machine_.leave_for_program();
    }
    in_library(const in_library&) = delete;
    in_library& operator=(const in_library&) = delete;

   private:
    engine_machine& machine_;
    bool measures_ = false;
  };
  /// Whether a leaf runs here.
  bool pass_what_was_measured() noexcept;
  std::uint64_t computed_ns(const detail::strand& here, bool last) noexcept;
  void leave_for_program() noexcept;

  /// Keeps the thread_local state of this virtual thread while other threads run.
  class switched_out {
   public:
    explicit switched_out(engine_machine& simulated_machine) noexcept;
    ~switched_out();
    switched_out(const switched_out&) = delete;
    switched_out& operator=(const switched_out&) = delete;

   private:
    engine_machine& machine_;
    const core::thread_state mine_;
  };

  struct sleeper {
    const void* word;
    worker_id thread;
  };

  worker_id add_thread(std::uint32_t cpu, std::function<void()> code, std::size_t stack_bytes, runs_on where,
                       bool is_clock = false, cycles late = 0);
  runs_on thread_of_its_own() const noexcept {
    return wanted_.own_threads ? runs_on::own_thread : runs_on::stack;
  }
  /// Shows the watchdog which virtual thread runs now, and on which real one.
  void show_running_thread() noexcept;
  void show_worker() noexcept;
  virtual_thread& here() noexcept { return *threads_[engine_.self()]; }
  cycles in_cycles(std::uint64_t ns) const noexcept {
    return static_cast<cycles>(static_cast<double>(ns) * model_.ghz);
  }
  void pass_once(cycles time) noexcept;
  void pass_until(cycles time) noexcept;
  void pass_owed() noexcept;
  void wait_for_data() noexcept;
  void compute(cycles time) noexcept;
  void run_parts();
  // No two runs of a real machine begin alike, and one order of events is not enough to judge a policy without randomness. So
  // the time that the kernel takes to start and to wake threads depends on the seed. (A hostile schedule has its own delays.)
  cycles until_awake() noexcept;
  void pass_in_kernel(std::uint64_t ns) noexcept { pass(in_cycles(ns), &simulated_times::kernel); }

  std::size_t thread_here() noexcept { return here().hardware; }

  const machine_model model_;
  const simulation wanted_;
  memory_system memory_;
  const cycles hit_cycles_ = memory_.shape().latency(0);
  engine engine_;
  std::uint64_t kernel_random_;
  std::vector<std::unique_ptr<virtual_thread>> threads_;  // by the engine's number
  std::vector<sleeper> sleepers_;                         // in the order in which they parked
  simulated_times times_;
  simulated_operations operations_;
  simulated_tasks tasks_;
  cycles above_boundary_ = 0;
  leaf_clock leaf_clock_;
  cycles left_at_ = 0;                   // when the last external thread left
  std::uint64_t measured_ = 0;           // times of leaves
  std::unique_ptr<recording> replayed_;  // null: leaves are measured
  std::unique_ptr<recording_writer> recorder_;

  std::vector<machine_part*> parts_;  // the parts that act by themselves
  worker_id clock_ = none;            // the virtual thread that runs them
  static constexpr worker_id none = ~worker_id{0};
  const std::unique_ptr<phase_crew> crew_;  // null without a substrate
  issue_slots slots_;                       // the threads of a core compete for them
  core::watchdog watchdog_;
};

}  // namespace skua::simulator
