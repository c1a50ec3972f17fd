// Virtual time: virtual workers on stacks of one thread, each with a clock of its own in cycles.
//
//   engine machine(2, seed);
//   machine.start(0, [&] { machine.pass(100); machine.wake(1); });
//   machine.start(1, [&] { machine.wait(); });          // continues at cycle 100
//   machine.run();
//
// The worker with the earliest time runs (but see let_run_ahead()). Of workers with the same time, the one that reached it first runs, or, for
// tests, a random one: be_hostile(). So a run depends only on its seed and on what the workers do, and not on the
// machine, the compiler or the layout of memory. stream() tells whether two runs were the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include <skua/topology.hpp>

#include "base/random.hpp"
#include "core/platform/baton.hpp"
#include "core/platform/context.hpp"
#include "core/platform/stack_memory.hpp"
#include "core/platform/watchdog.hpp"
#include "simulator/engine/event_queue.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

// ---- hostile schedules

/// The worst that a schedule may do to a program. Of threads with the same time, a random one runs first. Now and then
/// a thread is delayed, mostly for the time of a cache miss, rarely for the time for which an operating system takes
/// its CPU away.
///
///   hostility hostile(7);
///   cycles late = hostile.delay();
///
/// The seed determines everything, including the frequency of each delay.
class hostility {
 public:
  explicit hostility(std::uint64_t seed) noexcept : state_(base::generator_state(seed, 0)) {
    for (delay_kind& one : delays_) one.odds >>= below(4);
  }

  /// The upper bits of an event's number, so that events of the same time come in random order.
  std::uint64_t precedence() noexcept { return below(std::uint64_t{1} << 24) << 40; }

  cycles delay() noexcept {
    std::uint64_t drawn = below(all_odds);
    for (const delay_kind& one : delays_) {
      if (drawn < one.odds) return 1 + below(one.max >> below(8));
      drawn -= one.odds;
    }
    return 0;
  }

 private:
  std::uint64_t below(std::uint64_t bound) noexcept { return base::random_below(bound, state_); }

  static constexpr std::uint64_t all_odds = std::uint64_t{1} << 20;
  struct delay_kind {
    std::uint64_t odds;
    cycles max;
  };
  std::array<delay_kind, 4> delays_{{
      {all_odds / 8, 1'000},           // a cache miss, an interrupt
      {all_odds / 128, 50'000},        // a page fault, a wake-up of another thread
      {all_odds / 8192, 3'000'000},    // about a millisecond: a time slice
      {all_odds / 131072, 60'000'000}  // a suspended process
  }};
  std::uint64_t state_;
};

/// Where a worker's body runs: on a stack of the thread that calls run(), or on a real thread of its own, which sleeps
/// while others run. The result of a run does not depend on it.
enum class runs_on : std::uint8_t { stack, own_thread };

class engine {
 public:
  static constexpr std::size_t min_stack_bytes = 16 * 1024;

  /// `stack_bytes` is the size of each worker's stack.
  explicit engine(std::size_t workers, std::uint64_t seed, std::size_t stack_bytes = 256 * 1024);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// From now on a random worker of those with the same time runs first, and workers that are not punctual are
  /// sometimes late: after a pass, a wake-up or a timeout, and at the start.
  void be_hostile(std::uint64_t seed);
  bool is_hostile() const noexcept { return hostility_.has_value(); }
  /// From now on a worker continues until it is this much later than the others, so that fewer steps switch to another
  /// worker. A worker may then see a word as it was less than that long ago. Times remain in order along each transfer of a
  /// line, where the user of the engine makes the line's reader wait until its writer is done.
  void let_run_ahead(cycles less_than) noexcept;
  bool runs_ahead() const noexcept { return ahead_ != 0; }
  /// A run throws `endless` when it has taken this number of steps.
  void stop_after(std::uint64_t events);

  /// Starts a worker: body() begins at this time, or now if the time is past. To be called once for each worker, before
  /// or during run().
  void start(worker_id worker, std::function<void()> body, cycles at = 0);
  /// Starts an additional worker like start(), with its own stack size (0: the default). Reuses a worker whose body has
  /// returned, if there is one. After std::bad_alloc or std::system_error everything is as before.
  worker_id add(std::function<void()> body, cycles at = 0, std::size_t stack_bytes = 0,
                runs_on where = runs_on::stack, bool punctual = false);
  /// Allocates the memory that the next run itself needs, so that a run that has begun cannot fail for lack of it. Each run
  /// does this if no caller has.
  void prepare_run();
  /// Runs until every body has returned. Throws what a body throws, and `stuck` if all remaining workers wait forever.
  /// After an exception the engine cannot be used again.
  void run();
  /// Runs until the body of this worker has returned. The others continue in the next run.
  void run_until(worker_id ended);

  // ---- for the running worker

  worker_id self() const noexcept { return self_; }
  cycles now() const noexcept { return at(self_).now; }
  /// Lets time pass for this worker. O(log workers) if others run in between, else O(1).
  void pass(cycles time) {
    if (!pass_alone(time)) pass_others(time);
  }
  /// Does the same if no other worker runs in between. Otherwise does nothing and returns false.
  bool pass_alone(cycles time);
  /// Waits until another worker wakes this one. With a timeout, returns false if the timeout has passed.
  void wait();
  bool wait(cycles timeout);
  /// A uniform number in [0, bound), for a bound from 1 to below 2^32. Each worker has its own sequence.
  std::uint64_t random(std::uint64_t bound) noexcept;

  // ---- for any thread

  /// Wakes a waiting worker. It continues `delay` after the caller's time. Does nothing if the worker does not wait.
  void wake(worker_id worker, cycles delay = 0);
  std::size_t workers() const noexcept { return workers_.size(); }
  cycles time_of(worker_id worker) const noexcept { return at(worker).now; }
  /// The latest time of all workers.
  cycles time() const noexcept;
  /// The number of steps of all workers, and a hash of the worker and the time of each step.
  std::uint64_t events() const noexcept { return events_; }
  std::uint64_t stream() const noexcept { return stream_; }
  /// Progress for other threads to read. The engine sets its part; the user of the engine may set the rest.
  core::vital_signs& signs() noexcept { return signs_; }
  const core::vital_signs& signs() const noexcept { return signs_; }

 private:
  enum class state : std::uint8_t { unused, ready, running, waiting, ended };
  struct worker_state {
    core::context execution;
    cycles now = 0;
    state status = state::unused;
    bool woken = false;
    bool punctual = false;
    std::unique_ptr<core::baton_thread> thread;  // null if it runs on a stack
    std::uint64_t random_state = 0;
    core::stack_memory stack;
    std::function<void()> body;
  };
  worker_state& at(worker_id worker) noexcept { return *workers_[worker]; }
  const worker_state& at(worker_id worker) const noexcept { return *workers_[worker]; }
  void add_worker();
  void note(worker_id worker, cycles time) noexcept;
  void schedule(worker_id worker, cycles time);
  void prepare(worker_state& w, std::function<void()> body, std::size_t stack_bytes, runs_on where);
  void prepare_stack(worker_state& w, std::size_t bytes);
  void prepare_thread(worker_state& w, std::size_t stack_bytes);
  void pass_others(cycles time);
  void go();
  void leave(core::context& from);
  void leave_run(core::context& from);
  void hand_over(core::context& from, core::context& to, core::baton_thread* next);
  void run_body() noexcept;
  static void begin();
  [[noreturn]] void throw_stuck() const;
  void end_with_endless();

  std::vector<std::unique_ptr<worker_state>> workers_;  // adding one moves no other
  std::vector<worker_id> ended_;                        // reused by add()
  event_queue events_of_workers_;  // the running worker's event is the one that began its step
  cycles others_ = 0;              // no other worker runs before this time
  cycles ahead_ = 0;
  std::size_t stack_bytes_;
  std::uint64_t numbers_ = 0, events_ = 0, stream_ = 0;
  std::size_t living_ = 0;
  worker_id self_ = 0;
  std::uint64_t seed_;
  static constexpr worker_id no_worker = ~worker_id{0};
  worker_id until_ = no_worker;  // the run ends with this worker
  bool over_ = false;
  bool step_by_step_ =
      false;  // no fast path of pass(): every step is random, or is counted against the limit
  std::optional<hostility> hostility_;
  std::uint64_t max_events_ = std::numeric_limits<std::uint64_t>::max();
  core::context outside_;
  std::unique_ptr<core::baton_thread> next_entered_;  // for the thread that calls run() next
  core::baton_thread* entered_ = nullptr;             // the thread in run(), which runs all stacks
  core::baton_thread* running_ = nullptr;
  core::context* resumed_ = nullptr;  // what the thread that gets the baton resumes
  core::vital_signs signs_;
  std::exception_ptr thrown_;
};

/// All remaining workers wait, and no worker is left to wake them.
class stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The run has taken the maximum number of steps.
class endless : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace skua::simulator
