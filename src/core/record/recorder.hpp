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
  void call_begins(std::int64_t now_ns) noexcept;
  void call_ends(std::int64_t now_ns) noexcept;
  /// Called by an external thread that attaches to a worker; once or several times a call. It leaves the worker at that time, which
  /// may be a short time ago, and another thread may say so.
  void external_thread_attaches(const worker& at, std::int64_t now_ns) noexcept;
  void external_thread_leaves(const worker& from, std::int64_t at_ns) noexcept;
  /// Nanoseconds with at least one call inside, until now.
  std::int64_t inside_ns(std::int64_t now) const noexcept;

  /// Called by a worker's own thread.
  void own_thread(worker_id worker) noexcept;
  /// Called by the own thread of a worker that an external thread keeps, now and then. `keeping` names the time for which it
  /// keeps it. What the own thread does from the first of these calls to the last one does not count for the worker.
  void own_thread_watches(worker_id worker, std::uint64_t keeping) noexcept;
  /// Which hardware events are counted, and why not more; empty on a simulated machine.
  const counted_hardware& hardware() const noexcept { return hardware_; }
  /// Of a real machine: the counts of all threads that have held the worker; none where the kernel does not count. Reads a
  /// file.
  std::optional<thread_counts> counts_of_threads(worker_id worker) const noexcept;
  /// The report of the simulated machine at clear(); the machine counts on.
  simulation_report simulated_before() const;
  void simulated_before(const simulation_report& now);
  /// CPU time since clear() of the whole process, and of the other processes of this machine.
  std::int64_t process_cpu_ns() const noexcept;
  /// The CPU time of the process before clear().
  std::int64_t process_before_ns() const noexcept { return process_before_.load(std::memory_order_relaxed); }
  std::optional<std::int64_t> other_cpu_ns() const noexcept;

 private:
  // Used under a lock: an external thread attaches and leaves once a call.
  //
  // Reading the counts of a thread takes as long as many calls. So a thread that leaves within counts_last_ns of a reading,
  // and comes back within the same time, is not read again. Until it is read, it is taken to have had a CPU in its calls and between
  // them. A thread that loses its CPU does not leave within that time.
  struct threads_of_worker {
    std::mutex guard;
    int own = 0, external = 0;       // their numbers; 0: none
    thread_counts own_before;        // at clear(), or when it began
    thread_counts external_before;   // at read_ns
    thread_counts external_threads;  // of those that have left
    bool attached = false;           // the external thread, now
    thread_counts own_watched;       // at the last call of own_thread_watches()
    std::uint64_t keeping = 0;
    std::int64_t read_ns = 0, left_ns = 0;
    std::int64_t away_ns = 0;  // since read_ns, without the time since left_ns

    void read_anew(const thread_counts& now, std::int64_t ns) noexcept;
    thread_counts since_read(const thread_counts& now) const noexcept;
    thread_counts unread() const noexcept;
  };
  static constexpr std::int64_t counts_last_ns = 200'000;

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
    if (by_) by_->call_begins(host_platform::now_ns());
  }
  ~recorded_call() {
    if (by_) by_->call_ends(host_platform::now_ns());
  }
  recorded_call(const recorded_call&) = delete;
  recorded_call& operator=(const recorded_call&) = delete;

 private:
  recorder* by_;
};

}  // namespace skua::core
