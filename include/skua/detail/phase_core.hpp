// The interface between a phase's template and the library.
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

/// A task in a message between two workers.
using phase_words = std::array<std::uint64_t, 4>;

/// A participant's queue as the library sees it. Only its owner uses it; debug builds assert this.
class phase_tasks {
 public:
  virtual ~phase_tasks() = default;
  virtual std::uint64_t size() const noexcept = 0;
  virtual void put(const phase_words& one) = 0;
  virtual phase_words take(std::uint64_t max, std::uint64_t& taken) = 0;
  virtual void clear() noexcept = 0;

  /// Sets the stack that may use the queue from now on; null: none. The caller orders the accesses of the old and the
  /// new owner.
  void set_owner(task_context* owner) noexcept { owner_ = owner; }
  bool is_mine() const noexcept { return owner_ == current; }

 private:
  task_context* owner_ = nullptr;
};

/// A participant of a run, as the inlined part sees it.
struct phase_participant {
  phase_tasks* tasks = nullptr;
  std::uint32_t number = 0;
  /// The participant must report to its manager when its number of tasks, including the running one, reaches a bound.
  std::uint64_t upper = 0;
  std::uint64_t lower = 0;
  const std::atomic<std::uintptr_t>* mail = nullptr;
  bool awake = false;  // it has received tasks or begun the phase, and has not run out of tasks since

  static constexpr std::uintptr_t mail_flags = 3;
  bool must_attend(std::uint64_t queued) const noexcept {
    const std::uint64_t now = queued + 1;
    // relaxed: the thread that takes the messages orders them.
    return now >= upper || now <= lower || mail->load(std::memory_order_relaxed) > mail_flags;
  }
};

/// The callbacks of a run.
class phase_work {
 public:
  virtual std::unique_ptr<phase_tasks> make_queue() = 0;
  /// Moves the tasks that were enqueued from outside of all participants into a queue.
  virtual void take_enqueued(phase_tasks& into) = 0;
  virtual void discard_enqueued() noexcept = 0;
  /// Runs the body until there are no tasks to dequeue.
  virtual void participate(phase_participant& here) = 0;
  /// Announces the maximum number of participants.
  virtual void prepare(std::size_t participants) = 0;
  /// The part that a participant has added to the reduction since the last call; null: no reduction.
  virtual std::shared_ptr<void> take_part(std::uint32_t number) = 0;
  virtual std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) = 0;

 protected:
  ~phase_work() = default;
};

/// The participant as which this thread's current stack acted last, and its run.
struct phase_cache {
  std::uint64_t run;
  task_context* stack;
  phase_participant* participant;
};
extern SKUA_API constinit thread_local phase_cache last_participant
    __attribute__((tls_model("initial-exec")));

class SKUA_API phase_base {
 public:
  class run_state;
  phase_base(const phase_base&) = delete;
  phase_base& operator=(const phase_base&) = delete;

 protected:
  explicit phase_base(const phase_options& options);
  ~phase_base();

  /// Runs a whole phase. Returns the reduction, or null. Throws the first exception of a body.
  std::shared_ptr<void> run_phase(phase_work& work);

  /// The participant whose body runs on this stack, or null.
  phase_participant* participant_here() const noexcept {
    const phase_cache& last = last_participant;
    if (last.run == run_number_ && last.stack == current) [[likely]]
      return last.participant;
    return find_participant();
  }
  /// Reads and answers messages and reports the length of the queue. May be called between any two tasks.
  void attend(phase_participant& here) noexcept;
  /// Called without a task to run: waits until there is one. False at the end of the phase.
  bool next(phase_participant& here) noexcept;
  bool stopped() const noexcept { return stopped_.load(std::memory_order_relaxed); }

 private:
  class by_messages;
  class by_chase_lev;
  phase_participant* find_participant() const noexcept;

  std::unique_ptr<phase_options> options_;
  run_state* run_ = nullptr;
  std::uint64_t run_number_ = ~std::uint64_t{0};  // no run has this number
  std::atomic<bool> stopped_{false};
};

}  // namespace detail
}  // namespace skua
