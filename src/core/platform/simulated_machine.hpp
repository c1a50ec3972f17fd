// A simulated machine as the core sees it. src/simulator implements it.
//
// The core has one code for real and simulated machines. host_platform (platform.hpp) and every use of a word that threads
// share (skua/detail/atomics.hpp) pass calls of a virtual thread to its machine. A scheduler of a simulated machine has
// virtual threads; an external thread that enters the machine runs all of them until its call returns. Policies and
// managers do not know which machine they run on.
//
// The interfaces of such a machine. They are for:
//   virtual_threads    the platform, policies' looks and declarations: what a virtual thread asks for (virtual_threads.hpp)
//   strand_clock       the program's own code: measures what it takes (costs.hpp)
//   simulated_machine  the scheduler that owns the machine, and reports
//   phase_hardware     phases: hardware for tasks (phase_hardware.hpp)
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <skua/detail/phase_core.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/simulation.hpp>
#include <skua/topology.hpp>

#include "base/for_simulator.hpp"
#include "core/platform/costs.hpp"
#include "core/platform/virtual_threads.hpp"

namespace skua::core {

class phase_hardware;
struct external_calls;

/// Constants of the machine that a record of a run shows.
struct machine_facts {
  double fork_ns, group_task_ns;  // charged for the inlined code of a fork and of a group task
  double memory_bytes_a_cycle;    // the bandwidth of one memory node; 0: not limited
  /// Whether pages are dealt to the memory nodes in turn. If not, a page is at the node that touches it first.
  bool deals_out_pages;
};

class simulated_machine : public virtual_threads {
 public:
  virtual ~simulated_machine() = default;

  /// Null where the time of strands is declared and not measured.
  virtual strand_clock* strands() noexcept = 0;
  /// Null without a substrate.
  virtual phase_hardware* phases() noexcept = 0;

  /// Called by an external thread: makes it a virtual one while `code` runs, and runs all virtual threads meanwhile.
  /// Throws what `code` throws. Throws std::runtime_error when no thread can continue, now and at every later call, and
  /// std::bad_alloc when there is no memory to begin.
  void enter(const std::function<void()>& code);
  /// Adds a virtual thread on a CPU (an operating-system index). It begins when a thread enters next.
  virtual void start_thread(std::uint32_t cpu, std::function<void()> code) = 0;
  /// The real thread that is inside enters another machine for a while, or is back.
  virtual void set_elsewhere(bool elsewhere) noexcept = 0;

  // What reports and the progress line read.

  virtual machine_facts facts() const noexcept = 0;
  virtual simulation_report report() const = 0;
  /// For any real thread, also while another one is inside.
  virtual simulation_progress progress() const noexcept = 0;
  /// Completes the file of measured times, where simulation::record names one.
  virtual void finish_recording() noexcept = 0;

  /// The program has asked for the progress (scheduler::simulated_so_far).
  void note_program_asks() const noexcept { program_asks_.store(true, std::memory_order_relaxed); }
  bool program_asks() const noexcept { return program_asks_.load(std::memory_order_relaxed); }
  /// Whether the calling real thread has entered it.
  bool is_entered_by_this_thread() const noexcept { return entered_by_ == std::this_thread::get_id(); }

 protected:
  /// The calling real thread is a virtual one of this machine for good.
  SKUA_FOR_SIMULATOR void adopt_real_thread() noexcept;

 private:
  /// Adds the virtual thread that runs `code`, which does not throw, and gets all memory that its run needs. Throws
  /// std::bad_alloc; nothing has happened then.
  virtual std::uint32_t add_visitor(const std::function<void()>& code) = 0;
  /// Runs virtual threads until that one has ended.
  virtual void run_visitor(std::uint32_t visitor) = 0;

  std::mutex entered_;  // by one external thread at a time
  std::thread::id entered_by_;
  mutable std::atomic<bool> program_asks_{false};
  std::exception_ptr broken_;
};

/// The machine of the calling thread; null for a real thread.
simulated_machine* current_simulated_machine() noexcept;
/// The calling thread is a real one while `code` runs.
void leave_simulated_machine(const std::function<void()>& code);

/// Both throw bad_input for a machine that does not exist.
std::shared_ptr<simulated_machine> make_simulated_machine(const simulation& wanted, std::uint64_t seed);
topology simulated_topology(const simulation& wanted);

/// Prints what was simulated to stderr when the process ends, and on a terminal the progress until then.
void report_at_exit(const simulation& wanted, std::shared_ptr<simulated_machine> simulated);

struct blocking_caller;

/// The thread_local variables in which the core keeps what a thread knows. A machine keeps them for each virtual thread.
struct thread_state {
  task_context* current = nullptr;  // the stack that runs
  int last_worker = -1;             // where it was an external thread last
  detail::phase_cache last_participant{0, nullptr, nullptr};
  const blocking_caller* called_by = nullptr;  // the skua::blocking() calls in which it is
  external_calls* calls = nullptr;             // kept_worker.hpp
};
/// Sets the variables of the calling thread, and returns their old values.
SKUA_FOR_SIMULATOR thread_state exchange_thread_state(const thread_state& next) noexcept;

}  // namespace skua::core
