// What a phase's template and the library say to each other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <skua/detail/export.hpp>
#include <skua/detail/task_context.hpp>

namespace skua {

struct phase_options;

namespace detail {

/// A task on its way between two workers.
using phase_words = std::array<std::uint64_t, 4>;

/// A participant's queue, as the library sees it. Only its owner touches it, which debug builds assert.
class phase_tasks {
 public:
  virtual ~phase_tasks() = default;
  virtual std::uint64_t size() const noexcept = 0;
  virtual void put(const phase_words& one) = 0;
  virtual phase_words take(std::uint64_t max, std::uint64_t& taken) = 0;
  virtual void clear() noexcept = 0;

  /// Whose stack may touch it from now on; null: nobody's. Who passes it on orders what happens to it.
  void set_owner(task_context* owner) noexcept { owner_ = owner; }
  bool is_mine() const noexcept { return owner_ == current; }

 private:
  task_context* owner_ = nullptr;
};

/// A participant's place in a run, as the inlined part sees it.
struct phase_seat {
  phase_tasks* tasks = nullptr;
  std::uint32_t number = 0;
  /// There is something to say to the managers outside of these bounds; the running task counts.
  std::uint64_t upper = 0;
  std::uint64_t lower = 0;
  const std::atomic<std::uintptr_t>* mail = nullptr;
  bool awake = false;  // has been sent tasks, or began the phase, and has not run dry since

  static constexpr std::uintptr_t mail_flags = 3;
  bool must_attend(std::uint64_t queued) const noexcept {
    const std::uint64_t now = queued + 1;
    // relaxed: whoever takes the messages orders them.
    return now >= upper || now <= lower || mail->load(std::memory_order_relaxed) > mail_flags;
  }
};

/// What a run calls back.
class phase_work {
 public:
  virtual std::unique_ptr<phase_tasks> make_queue() = 0;
  /// Moves what was enqueued from outside of all participants into a queue.
  virtual void take_enqueued(phase_tasks& into) = 0;
  virtual void discard_enqueued() noexcept = 0;
  /// Runs the body until there is nothing left to dequeue.
  virtual void participate(phase_seat& here) = 0;
  /// So many participants there may be.
  virtual void prepare(std::size_t seats) = 0;
  /// What a participant has added to the reduction since it was asked last; null: no reduction.
  virtual std::shared_ptr<void> take_part(std::uint32_t seat) = 0;
  virtual std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) = 0;

 protected:
  ~phase_work() = default;
};

/// Which seat this thread's current stack used last, and in which run.
struct phase_cache {
  std::uint64_t run;
  task_context* stack;
  phase_seat* seat;
};
extern SKUA_API constinit thread_local phase_cache last_phase_seat __attribute__((tls_model("initial-exec")));

class SKUA_API phase_base {
 public:
  class run_state;
  phase_base(const phase_base&) = delete;
  phase_base& operator=(const phase_base&) = delete;

 protected:
  explicit phase_base(const phase_options& options);
  ~phase_base();

  /// Runs a whole phase; the reduction, or null. Throws what a body threw first.
  std::shared_ptr<void> run_phase(phase_work& work);

  /// The seat whose body runs on this stack, or null.
  phase_seat* seat_here() const noexcept {
    const phase_cache& last = last_phase_seat;
    if (last.run == run_number_ && last.stack == current) [[likely]]
      return last.seat;
    return find_seat();
  }
  /// Reads messages, answers them, and says how long the queue is. May be called between any two tasks.
  void attend(phase_seat& here) noexcept;
  /// There is nothing to run here: waits until there is; false at the end of the phase.
  bool next(phase_seat& here) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

 private:
  class by_messages;
  class by_chase_lev;
  phase_seat* find_seat() const noexcept;

  std::unique_ptr<phase_options> options_;
  run_state* run_ = nullptr;
  std::uint64_t run_number_ = ~std::uint64_t{0};  // no run has this one
  std::atomic<bool> stopped_{false};
};

}  // namespace detail
}  // namespace skua
