// A simulated machine: the core's world (core/platform/simulated_machine.hpp) on the engine of virtual time, with the costs of its memories.
#pragma once

#include <deque>
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
class substrate;

class engine_machine final : public core::simulated_machine {
 public:
  engine_machine(machine_model model, const simulation& wanted, std::uint64_t seed);
  ~engine_machine() override;

  void start_thread(std::uint32_t cpu, std::function<void()> code) override;
  simulation_report report() const override;
  double fast_path_ns(core::fast_path passed) const noexcept override;
  double memory_bytes_a_cycle() const noexcept override {
    return wanted_.level >= detail_level::bandwidth ? model_.memory.bytes_a_cycle : 0;
  }
  bool deals_out_pages() const noexcept override { return memory_.deals_out_pages(); }
  simulation_progress progress() const noexcept override;
  void elsewhere(bool leaves) noexcept override;

  void touch(const void* word, detail::use how) noexcept override;
  void new_words(const void* object, std::size_t bytes) noexcept override;
  void policy_looks(bool begins) noexcept override { here().looks = begins && wanted_.free_looks; }
  void scan(bool begins) noexcept override;
  void makes_for_nothing(bool begins) noexcept override { here().makes_for_nothing = begins; }
  void above_boundary(bool begins) noexcept override { here().above_boundary = begins; }
  void pass_fast_path(core::fast_path passed) noexcept override;
  void relax() noexcept override;
  void yield() noexcept override;
  void heavy_fence() noexcept override;
  void park(const void* word, std::int64_t timeout_us) noexcept override;
  void unpark(const void* word) noexcept override;
  std::int64_t now_ns() noexcept override;
  void start_helper(std::function<void()> code) override;
  std::uint32_t current_cpu() noexcept override { return here().cpu; }
  void attach(worker_id worker, std::uint32_t cpu) noexcept override;
  void declare(const core::declared_range& range) noexcept override;
  void declare_cycles(double cycles) noexcept override;
  bool measures() const noexcept override { return wanted_.measured; }
  void strand_runs() noexcept override { leave_for_program(); }
  void strand_stops(detail::strand& here, bool last) noexcept override;
  detail::strand& own_strand() noexcept override { return here().strand; }
  std::uint64_t next_root() noexcept override { return detail::strand::mix(++roots_); }
  void finish_recording() noexcept override;
  std::unique_ptr<skua::detail::phase_base::run_state> make_phase(const phase_options& options,
                                                                  skua::detail::phase_work& work,
                                                                  std::atomic<bool>& stopped,
                                                                  const core::scheduler_core& pool) override;
  void reduce_parts(std::size_t threads) noexcept override;
  void took_part() noexcept override;
  bool stand_by(std::uint32_t worker) noexcept override;
  void external_thread_waits() noexcept override;
  std::size_t summon(skua::detail::phase_base::run_state& run) noexcept override;
  bool wait_for_summoned(skua::detail::phase_base::run_state& run, bool (*is_wanted)()) noexcept override;
  void dismiss(const skua::detail::phase_base::run_state& run) noexcept override;

  // ---- for what acts by itself, and for the threads that use it

  /// Its advance() is called when it is due, from now on until it is detached.
  void attach(machine_part& one);
  void detach(machine_part& one) noexcept;
  /// After a thread has used one of them, which may have made something due.
  void used() noexcept;

  worker_id thread_running() const noexcept { return engine_.self(); }
  cycles now() const noexcept { return engine_.now(); }
  /// As now_ns() says it.
  std::uint64_t in_ns(cycles at) const noexcept {
    return static_cast<std::uint64_t>(static_cast<double>(at) / model_.ghz);
  }
  /// For the caller, who spends it with `doing`, and with the handlers of interrupts that come meanwhile.
  void pass(cycles time, std::uint64_t simulated_times::* activity) noexcept;
  /// The same, of what the scheduler does.
  void pass_in_library(cycles time, std::uint64_t simulated_times::* activity) noexcept;
  /// Until somebody tells the caller; false: nobody has for so long.
  bool wait_to_be_told(std::uint64_t at_most_ns) noexcept;
  void tell(worker_id thread) noexcept { engine_.wake(thread); }
  /// A handler keeps the thread from what it does.
  void interrupt(worker_id thread, cycles busy) noexcept;
  /// How long a handler takes at this thread, whose core it shares.
  cycles handler_time(worker_id thread, cycles alone) const noexcept;
  void count(cycles busy, std::uint64_t simulated_times::* activity) noexcept { times_.*activity += busy; }
  /// One more of these, which has kept its thread so long.
  void carried_out(simulated_operation simulated_operations::* which, cycles busy) noexcept {
    ++(operations_.*which).times;
    (operations_.*which).cycles += busy;
  }
  void gave_out_task(bool stolen) noexcept {
    ++tasks_.run;
    tasks_.stolen += stolen;
  }

 private:
  void run(const std::function<void()>& code) override;

  struct virtual_thread {
    void attach_on(std::uint32_t new_cpu, const machine_model& model) {
      cpu = new_cpu;
      hardware = model.thread_on(new_cpu);
    }

    std::uint32_t cpu = 0, worker = core::vital_signs::no_worker;
    std::size_t hardware = 0;     // the model's number of that CPU
    bool looks = false;           // as a policy, for nothing
    bool above_boundary = false;  // it forks there
    bool scans = false;           // and owes what that takes
    cycles owed = 0;
    bool makes_for_nothing = false;
    bool is_clock = false;   // which runs what acts by itself, and spends no time
    cycles interrupted = 0;  // for so long, since it passed time last
    // Declared data that are still on their way, and how long they have been since something else was done.
    std::optional<miss_window> data = {};
    cycles fetching = 0;
    issue_slots::work ahead = 0;  // done already, of what it computes next
    detail::strand strand = {};
  };
  /// By every function that a virtual thread calls: what the program computed until now takes its time, where it is
  /// measured.
  class stay {
   public:
    explicit stay(engine_machine& simulated_machine) noexcept : machine_(simulated_machine) {
      if (machine_.wanted_.measured) machine_.pass_what_was_measured();
    }
    ~stay() {
      if (machine_.wanted_.measured) machine_.leave_for_program();
    }
    stay(const stay&) = delete;
    stay& operator=(const stay&) = delete;

   private:
    engine_machine& machine_;
  };
  void pass_what_was_measured() noexcept;
  std::uint64_t computed_ns(const detail::strand& here, bool last) noexcept;
  void leave_for_program() noexcept;

  /// While others run: what a thread knows of itself stays its own.
  class away {
   public:
    explicit away(engine_machine& simulated_machine) noexcept;
    ~away();
    away(const away&) = delete;
    away& operator=(const away&) = delete;

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
  /// To others: who runs now.
  void show_who_runs() noexcept;
  virtual_thread& here() noexcept { return threads_[engine_.self()]; }
  cycles in_cycles(std::uint64_t ns) const noexcept {
    return static_cast<cycles>(static_cast<double>(ns) * model_.ghz);
  }
  void pass_once(cycles time) noexcept;
  void pass_until(cycles time) noexcept;
  void wait_for_data() noexcept;
  void compute(cycles time) noexcept;
  void run_parts();
  // No two runs of a real machine begin alike, and policies that throw no dice must not get by with one order of events: what
  // the kernel takes to start and to wake threads is up to the seed. (A hostile schedule brings delays of its own.)
  cycles until_awake() noexcept;
  void pass_in_kernel(std::uint64_t ns) noexcept { pass(in_cycles(ns), &simulated_times::kernel); }

  std::size_t thread_here() noexcept { return here().hardware; }

  const machine_model model_;
  const simulation wanted_;
  memory_system memory_;
  engine engine_;
  std::uint64_t kernel_dice_;
  std::deque<virtual_thread> threads_;  // by the engine's number; none moves
  std::vector<sleeper> sleepers_;       // in the order in which they lay down
  simulated_times times_;
  simulated_operations operations_;
  simulated_tasks tasks_;
  cycles above_boundary_ = 0;
  leaf_clock leaf_clock_;
  cycles left_at_ = 0;                      // when the last one left
  std::uint64_t roots_ = 0, measured_ = 0;  // calls from outside; times that leaves took
  std::unique_ptr<recording> replayed_;     // null: leaves are measured
  std::unique_ptr<recording_writer> recorder_;

  std::vector<machine_part*> parts_;  // that act by themselves
  worker_id clock_ = none;            // the virtual thread that runs them
  static constexpr worker_id none = ~worker_id{0};
  const std::unique_ptr<substrate> substrate_;  // null: the core's own ways
  issue_slots slots_;                           // where workers contend for them
  const std::unique_ptr<phase_crew> crew_;      // null without a substrate
  core::watchdog watchdog_;
};

}  // namespace skua::simulator
