// A simulated machine as the core sees it: virtual threads, and what takes how long. src/simulator implements it.
//
// The core has one code for both worlds. Where it asks its platform for something it asks for the time of a virtual
// thread too, and every use of a word that threads share comes here (skua/detail/atomics.hpp). A scheduler of a simulated
// machine has a world; its threads are virtual, and a thread from outside that enters it runs the whole world until its
// call returns (enter). Policies and managers know nothing of this.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include <skua/declare.hpp>
#include <skua/detail/atomics.hpp>
#include <skua/detail/phase_core.hpp>
#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>
#include <skua/detail/task_context.hpp>
#include <skua/simulation.hpp>
#include <skua/topology.hpp>

namespace skua::core {

class scheduler_core;

/// What is inlined in a program and does not ask for the time.
enum class fast_path : std::uint8_t { fork, group_task, loop_chunk };

/// What a declaration (declare.hpp) says of a leaf's data.
struct declared_range {
  detail::declared how;
  const void* first;
  std::size_t bytes, rows, pitch;
};

/// A group task and the strand that runs it.
struct named_task {
  std::uint64_t name;
  void (*run)(detail::task&, task_context*);
};

class simulated_machine {
 public:
  virtual ~simulated_machine() = default;

  // ---- by a thread from outside

  /// Makes the calling thread a virtual one for as long as `code` runs, and lets all virtual threads run meanwhile. Throws
  /// what `code` throws, and std::runtime_error when nobody can go on, now and whenever somebody enters again.
  void enter(const std::function<void()>& code);
  /// A virtual thread on a CPU, an operating-system index. It begins when somebody enters next.
  virtual void start_thread(std::uint32_t cpu, std::function<void()> code) = 0;
  virtual simulation_report report() const = 0;
  /// What a fast path takes, by which its use is charged.
  virtual double fast_path_ns(fast_path passed) const noexcept = 0;
  /// What the memory of a node brings at most, in bytes a cycle; 0: it is not limited.
  virtual double memory_bytes_a_cycle() const noexcept = 0;
  /// Whether pages are dealt out to several memories in turn, and do not lie with who touched them first.
  virtual bool deals_out_pages() const noexcept = 0;
  /// What was measured is written, if anybody wants it.
  virtual void finish_recording() noexcept = 0;
  /// By any real thread, also while another one is inside.
  virtual simulation_progress progress() const noexcept = 0;
  /// The thread that is inside is for a while in another world, or is back.
  virtual void elsewhere(bool leaves) noexcept = 0;

  // ---- by a virtual thread

  virtual void touch(const void* word, detail::use how) noexcept = 0;
  /// The caller has just made an object with such words, where something else was before.
  virtual void new_words(const void* object, std::size_t bytes) noexcept = 0;
  /// A policy looks at other workers from here on, or has looked: with simulation::free_looks that takes no time.
  virtual void policy_looks(bool begins) noexcept = 0;
  /// The caller looks at many words from here on, or has looked: no other thread runs meanwhile, and what each look takes
  /// passes at the end. For scans that are repeated often, each of whose looks would be an event.
  virtual void scan(bool begins) noexcept = 0;
  /// The caller makes what such a machine would have had all along, from here on, or has made it: no use of a word takes
  /// time meanwhile, and new words are in nobody's cache.
  virtual void makes_for_nothing(bool begins) noexcept = 0;
  /// The caller forks above the boundary level of a region from here on, or has done so: what it takes is counted apart.
  virtual void above_boundary(bool begins) noexcept = 0;
  virtual void pass_fast_path(fast_path passed) noexcept = 0;
  virtual void relax() noexcept = 0;
  virtual void yield() noexcept = 0;
  virtual void heavy_fence() noexcept = 0;
  virtual void park(const void* word, std::int64_t timeout_us) noexcept = 0;
  virtual void unpark(const void* word) noexcept = 0;
  virtual std::int64_t now_ns() noexcept = 0;
  /// On the CPU where the caller sits.
  virtual void start_helper(std::function<void()> code) = 0;
  virtual std::uint32_t current_cpu() noexcept = 0;
  /// From now on the caller is that worker, and runs there.
  virtual void attach(worker_id worker, std::uint32_t cpu) noexcept = 0;

  virtual void declare(const declared_range& range) noexcept = 0;
  virtual void declare_cycles(double cycles) noexcept = 0;

  // ---- where leaves take what they take here (skua/detail/strand.hpp)

  virtual bool measures() const noexcept = 0;
  /// From now on the time is the program's, where the strand runs.
  virtual void strand_runs() noexcept = 0;
  /// What it has computed until now takes its time; `last`: of its step.
  virtual void strand_stops(detail::strand& here, bool last) noexcept = 0;
  /// Of a thread that has no stack of a scheduler's.
  virtual detail::strand& own_strand() noexcept = 0;
  /// The name of the next call from outside.
  virtual std::uint64_t next_root() noexcept = 0;
  // Of what is in some queue; looked into only.
  std::unordered_map<const void*, named_task> named_tasks;
  std::unordered_map<const void*, std::uint64_t> named_children;

  /// A run of a phase on the machine's own hardware for tasks; null: by the core's own ways. Throws bad_input for a pool
  /// that does not fit onto the hardware.
  virtual std::unique_ptr<detail::phase_base::run_state> make_phase(const phase_options& options,
                                                                    detail::phase_work& work,
                                                                    std::atomic<bool>& stopped,
                                                                    const scheduler_core& pool) = 0;
  /// The parts of a reduction, of so many threads, are put together through shared memory.
  virtual void reduce_parts(std::size_t threads) noexcept = 0;

  // On a machine with a substrate, whose programs are phases, workers stay for the next phase (decision 15).
  /// The caller has taken part in a phase. Nothing where nobody stays.
  virtual void took_part() noexcept = 0;
  /// By a worker that has nothing to do: takes part in a phase that begins soon. False: none has, or it does not stay.
  virtual bool stand_by(std::uint32_t worker) noexcept = 0;
  /// A thread from outside finds no free place: one of those that stand by leaves.
  virtual void external_thread_waits() noexcept = 0;
  /// Whoever stands by takes its worker's seat in this run; the number of them.
  virtual std::size_t summon(detail::phase_base::run_state& run) noexcept = 0;
  /// Until they have left it. False: the calling thread is wanted for something else; then run.all_summoned_left() is
  /// called when they have, and dismiss() by whoever called this after that.
  virtual bool wait_for_summoned(detail::phase_base::run_state& run, bool (*is_wanted)()) noexcept = 0;
  virtual void dismiss(const detail::phase_base::run_state& run) noexcept = 0;

 protected:
  /// The calling real thread is a virtual one of this world for good.
  void adopt_real_thread() noexcept;

 private:
  /// Virtual threads run until one that runs `code`, which does not throw, has ended.
  virtual void run(const std::function<void()>& code) = 0;

  std::mutex entered_;  // by one thread from outside at a time
  std::exception_ptr broken_;
};

/// Of the calling thread, which is a virtual one.
simulated_machine& simulated_machine_here() noexcept;
/// The same, or null for a real thread.
simulated_machine* current_simulated_machine() noexcept;
/// Tells the calling thread's world that something begins, and at its end that it has ended; nothing in real time.
template <void (simulated_machine::*says)(bool begins) noexcept>
class while_it_lasts {
 public:
  while_it_lasts() noexcept { tell(true); }
  ~while_it_lasts() { tell(false); }
  while_it_lasts(const while_it_lasts&) = delete;
  while_it_lasts& operator=(const while_it_lasts&) = delete;

 private:
  static void tell(bool begins) noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      (simulated_machine_here().*says)(begins);
  }
};
using scanning = while_it_lasts<&simulated_machine::scan>;
using making_for_nothing = while_it_lasts<&simulated_machine::makes_for_nothing>;
/// The calling thread is a real one while `code` runs.
void leave_simulated_machine(const std::function<void()>& code);

/// Throw bad_input for a machine that there is not.
std::shared_ptr<simulated_machine> make_simulated_machine(const simulation& wanted, std::uint64_t seed);
topology simulated_topology(const simulation& wanted);

/// Writes what was simulated to stderr when the process ends.
void say_at_exit(const std::string& machine, std::shared_ptr<simulated_machine> simulated);

/// What a thread knows of itself in variables of its own. A world keeps it for each virtual thread.
struct thread_state {
  task_context* current = nullptr;  // the stack that runs
  int last_worker = -1;             // where it was a guest last
  detail::phase_cache last_seat{0, nullptr, nullptr};
};
/// Sets the calling thread's, and returns what it was.
thread_state exchange_thread_state(const thread_state& next) noexcept;

}  // namespace skua::core
