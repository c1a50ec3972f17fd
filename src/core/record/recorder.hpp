// What a scheduler with keep_report keeps beside its counters and times, for the record of its run
// (observe/run_record.hpp): logs of the workers, who was inside for how long, what the kernel says of their threads.
//
// Nothing of it exists without keep_report, and a place then has no log. In virtual time it takes no time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <skua/topology.hpp>

#include "core/platform/platform.hpp"
#include "observe/counting.hpp"
#include "observe/worker_log.hpp"

namespace skua::core {

struct worker;

class recorder {
 public:
  /// `real`: on a real machine, whose hardware is counted where it allows that.
  recorder(std::size_t workers, bool real);
  /// Tasks may say what they read and write while it lives.
  ~recorder();
  recorder(const recorder&) = delete;
  recorder& operator=(const recorder&) = delete;

  std::size_t workers() const noexcept { return logs_.size(); }
  observe::worker_log& log(worker_id worker) noexcept { return *logs_[worker]; }
  const observe::worker_log& log(worker_id worker) const noexcept { return *logs_[worker]; }

  /// All but the timelines is forgotten; the clock shows this. One at a time.
  void clear(std::int64_t ns);

  /// A call into the scheduler by a thread from outside begins, and ends.
  void call_begins() noexcept;
  void call_ends() noexcept;
  /// By a thread from outside that sits down at a place, and leaves it; once or several times a call.
  void external_thread_attaches(const worker& at) noexcept;
  void external_thread_leaves(const worker& from) noexcept;
  /// Nanoseconds with somebody inside, until now.
  std::int64_t inside_ns(std::int64_t now) const noexcept;

  /// By a place's own thread.
  void own_thread(worker_id worker) noexcept;
  /// What is counted of the hardware, and why no more; empty on a simulated machine.
  const counted_hardware& hardware() const noexcept { return hardware_; }
  /// Of all threads that sit or sat at the place; none where the kernel does not say. Reads a file.
  std::optional<thread_counts> counts_of_threads(worker_id worker) const noexcept;
  /// Of the simulated machine at clear(); it counts on.
  simulation_report simulated_before() const;
  void simulated_before(const simulation_report& now);
  /// Of the whole process since clear(), and of other processes of this machine.
  std::int64_t process_cpu_ns() const noexcept;
  std::optional<std::int64_t> other_cpu_ns() const noexcept;

 private:
  // Under a lock: a guest comes and goes once a call, which its counts cost more than the lock does.
  struct threads_of_worker {
    std::mutex guard;
    int own = 0, external = 0;       // their numbers; 0: none
    thread_counts own_before;        // at clear(), or when it began
    thread_counts external_before;   // at clear(), or when it sat down
    thread_counts external_threads;  // of those that have left
  };

  std::vector<std::unique_ptr<observe::worker_log>> logs_;
  std::vector<std::unique_ptr<threads_of_worker>> threads_;
  counted_hardware hardware_;
  mutable std::mutex inside_guard_;  // real also where time is virtual: nobody else runs meanwhile
  unsigned inside_ = 0;
  std::int64_t since_ = 0, inside_ns_ = 0;
  std::atomic<std::int64_t> process_before_{0}, machine_before_{-1};
  mutable std::mutex simulated_guard_;
  simulation_report simulated_before_;
};

/// A call, while this lives; nothing without a recorder.
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
