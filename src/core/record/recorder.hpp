// What a scheduler with keep_report keeps beside its counters and times, for the record of its run
// (observe/run_record.hpp): the workers' logs, how long calls were inside, and what the kernel counts for the threads.
//
// Without keep_report none of it exists, and a worker has no log. In virtual time it takes no time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <skua/simulation.hpp>
#include <skua/topology.hpp>

#include "core/platform/platform.hpp"
#include "core/platform/process_fork.hpp"
#include "observe/counting.hpp"
#include "observe/worker_log.hpp"

namespace skua::core {

struct worker;

class recorder {
 public:
  /// `real`: on a real machine, where hardware events are counted if it allows that.
  recorder(std::size_t workers, bool real);
  /// While it lives, tasks may declare what they read and write.
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  std::size_t workers() const noexcept { return logs_.size(); }
  observe::worker_log& log(worker_id worker) noexcept { return *logs_[worker]; }
  const observe::worker_log& log(worker_id worker) const noexcept { return *logs_[worker]; }

  /// Forgets everything except the timelines; the clock shows `ns`. One call at a time.
  void clear(std::int64_t ns);

  /// A call into the scheduler by an external thread begins, and ends.
  void call_begins() noexcept;
  void call_ends() noexcept;
  /// Called by an external thread that attaches to a worker, and leaves it; once or several times a call.
  void external_thread_attaches(const worker& at) noexcept;
  void external_thread_leaves(const worker& from) noexcept;
  /// Nanoseconds with at least one call inside, until now.
  std::int64_t inside_ns(std::int64_t now) const noexcept;

  /// Called by a worker's own thread.
  void own_thread(worker_id worker) noexcept;
  /// Which hardware events are counted, and why not more; empty on a simulated machine.
  const counted_hardware& hardware() const noexcept { return hardware_; }
  /// The counts of all threads that have held the worker; none where the kernel does not count. Reads a file.
  std::optional<thread_counts> counts_of_threads(worker_id worker) const noexcept;
  /// The report of the simulated machine at clear(); the machine counts on.
  simulation_report simulated_before() const;
  void simulated_before(const simulation_report& now);
  /// CPU time since clear() of the whole process, and of the other processes of this machine.
  std::int64_t process_cpu_ns() const noexcept;
  std::optional<std::int64_t> other_cpu_ns() const noexcept;

 private:
  // Under a lock: an external thread comes and goes once a call, and its counts cost more than the lock.
  struct threads_of_worker {
    std::mutex guard;
    int own = 0, external = 0;       // their numbers; 0: none
    thread_counts own_before;        // at clear(), or when it began
    thread_counts external_before;   // at clear(), or when it attached
    thread_counts external_threads;  // of those that have left
  };

  std::vector<std::unique_ptr<observe::worker_log>> logs_;
  std::vector<std::unique_ptr<threads_of_worker>> threads_;
  counted_hardware hardware_;
  mutable fork_safe_lock inside_guard_;  // real also in virtual time: no other thread runs meanwhile
  unsigned inside_ = 0;
  std::int64_t since_ = 0, inside_ns_ = 0;
  std::atomic<std::int64_t> process_before_{0}, machine_before_{-1};
  mutable std::mutex simulated_guard_;
  simulation_report simulated_before_;
};

/// A call from outside, while this lives; nothing without a recorder.
class recorded_call {
 public:
  explicit recorded_call(recorder* by) noexcept : by_(by) {
    if (by_) by_->call_begins();
  }
  ~recorded_call() {
    if (by_) by_->call_ends();
  }
  recorded_call(const recorded_call&) = delete;
  recorded_call& operator=(const recorded_call&) = delete;

 private:
  recorder* by_;
};

}  // namespace skua::core
