// Virtual time: virtual workers on stacks of one thread, each with a clock of its own in cycles.
//
//   engine machine(2, seed);
//   machine.start(0, [&] { machine.pass(100); machine.wake(1); });
//   machine.start(1, [&] { machine.wait(); });          // goes on at cycle 100
//   machine.run();
//
// Whoever is earliest runs; among equals, who came to that time first (or, for tests, anybody: be_hostile). So a run depends on its seed and on what the
// workers do, and on nothing else: not on the machine, the compiler or where memory lies. stream() says whether two runs
// were the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include <skua/topology.hpp>

#include "core/platform/baton.hpp"
#include "core/platform/context.hpp"
#include "core/platform/stack_memory.hpp"
#include "core/platform/watchdog.hpp"
#include "simulator/engine/hostility.hpp"
#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// Where a worker's body runs: on a stack of the thread that calls run(), or on a real thread of its own, which sleeps while
/// others run. Nothing that happens depends on it.
enum class runs_on : std::uint8_t { stack, own_thread };

class engine {
 public:
  static constexpr std::size_t min_stack_bytes = 16 * 1024;

  /// Every worker has `stack_bytes` for what its body itself calls.
  explicit engine(std::size_t workers, std::uint64_t seed, std::size_t stack_bytes = 256 * 1024);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// From now on among equals it is drawn who goes first, and workers that are not punctual are late now and then: after a
  /// pass, a wake-up or a timeout, and at the start.
  void be_hostile(std::uint64_t seed);
  bool is_hostile() const noexcept { return fate_.has_value(); }
  /// A run with so many steps throws `endless`.
  void stop_after(std::uint64_t events);

  /// Once for each worker that takes part, before run() or during it: body() begins at that time, or now if that is past.
  void start(worker_id worker, std::function<void()> body, cycles at = 0);
  /// One more worker, or one whose body has returned, on a stack of its own size (0: as the others). Starts as start() does.
  worker_id add(std::function<void()> body, cycles at = 0, std::size_t stack_bytes = 0,
                runs_on where = runs_on::stack, bool punctual = false);
  /// Until every body has returned. Throws what a body throws, and stuck when all that are left wait for ever; then the
  /// engine is good for nothing more.
  void run();
  /// Until this one's body has returned; the others go on in the next run.
  void run_until(worker_id ended);

  // ---- by the worker that runs

  worker_id self() const noexcept { return self_; }
  cycles now() const noexcept { return at(self_).now; }
  /// Time passes for this worker. O(log workers) where others go first, else O(1).
  void pass(cycles time) {
    if (!pass_alone(time)) pass_others(time);
  }
  /// The same if nobody else goes first; else nothing, and false.
  bool pass_alone(cycles time);
  /// Until somebody wakes this worker; or, with a timeout, until that has passed: false then.
  void wait();
  bool wait(cycles timeout);
  /// Uniform in [0, bound), which is from 1 to below 2^32. Each worker has a sequence of its own.
  std::uint64_t random(std::uint64_t bound) noexcept;

  // ---- by anybody

  /// Nothing for one that does not wait. Otherwise it goes on after `delay`, counted from the caller's time.
  void wake(worker_id worker, cycles delay = 0);
  std::size_t workers() const noexcept { return workers_.size(); }
  cycles time_of(worker_id worker) const noexcept { return at(worker).now; }
  /// The latest of all.
  cycles time() const noexcept;
  /// Steps of workers so far, and a hash of who made each of them when.
  std::uint64_t events() const noexcept { return events_; }
  std::uint64_t stream() const noexcept { return stream_; }
  /// What others may look at meanwhile. The engine says how far it is; whoever uses it may say the rest.
  core::vital_signs& signs() noexcept { return signs_; }
  const core::vital_signs& signs() const noexcept { return signs_; }

 private:
  enum class state : std::uint8_t { unused, ready, running, waiting, ended };
  struct worker_state {
    core::context execution;
    core::stack_memory stack;
    std::unique_ptr<core::baton_thread> thread;  // null: it has a stack
    std::function<void()> body;
    cycles now = 0;
    std::uint64_t random_state = 0;
    std::uint64_t entry = 0;  // the number of its event that counts, if any; older ones are stale
    state does = state::unused;
    bool woken = false;
    bool punctual = false;
  };
  struct event {
    cycles time;
    std::uint64_t number;
    worker_id worker;
    bool before(const event& other) const noexcept {
      return time != other.time ? time < other.time : number < other.number;
    }
  };

  worker_state& at(worker_id worker) noexcept { return workers_[worker]; }
  const worker_state& at(worker_id worker) const noexcept { return workers_[worker]; }
  void note(worker_id worker, cycles time) noexcept;
  void schedule(worker_id worker, cycles time);
  void push(event e);
  void pop_first() noexcept;
  bool stale(const event& e) const noexcept { return at(e.worker).entry != e.number; }
  void drop_stale() noexcept;
  void prepare(worker_state& w, std::function<void()> body, std::size_t stack_bytes, runs_on where);
  void prepare_stack(worker_state& w, std::size_t bytes);
  void prepare_thread(worker_state& w, std::size_t stack_bytes);
  void pass_others(cycles time);
  void go();
  void leave(core::context& from);
  void leave_run(core::context& from);
  void hand_over(core::context& from, core::context& to, core::baton_thread* whose);
  void run_body() noexcept;
  static void begin();
  [[noreturn]] void say_stuck() const;
  void say_endless();

  std::deque<worker_state> workers_;  // what is added moves no other
  std::vector<worker_id> ended_;      // whose places can be used again
  std::vector<event> heap_;           // of four children each, the first on top
  std::size_t stack_bytes_;
  std::uint64_t numbers_ = 0, events_ = 0, stream_ = 0;
  std::size_t living_ = 0;
  worker_id self_ = 0;
  std::uint64_t seed_;
  static constexpr worker_id none = ~worker_id{0};
  worker_id until_ = none;  // whose end ends the run
  bool over_ = false;
  bool step_by_step_ = false;  // nobody goes on alone: every step is drawn, or counted against the limit
  std::optional<hostility> fate_;
  std::uint64_t max_events_ = std::numeric_limits<std::uint64_t>::max();
  core::context outside_;
  core::baton_thread* entered_ = nullptr;  // the thread in run(): all stacks are its
  core::baton_thread* running_ = nullptr;
  core::context* resumed_ = nullptr;  // what the thread that gets the baton is to go on with
  core::vital_signs signs_;
  std::exception_ptr thrown_;
};

/// All workers that are left wait, and nobody can wake them.
class stuck : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// There were as many steps as were allowed.
class endless : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace skua::simulator
