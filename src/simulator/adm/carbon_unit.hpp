// Carbon's global task unit without time: a hardware queue for each thread, stealing between the queues, waiting
// threads, and the end of a phase. carbon.hpp drives it in virtual time.
//
//   carbon_unit unit({.queue_tasks = 32}, neighbours_of_each_thread);
//   std::vector<carbon_reply> replies;
//   unit.enqueue(0, {.content = 7}, false, replies);
//   unit.dequeue(1, {.number = 1}, replies);          // a task for thread 1, stolen from thread 0
//
// The paper: queues are last in, first out. A thread with an empty queue gets half of the nearest queue that has tasks,
// within the cycle of its request. A thread for which there is no task waits; when all threads wait, each is sent the
// end. One request enqueues a loop, which is partitioned here. A queue that has reached its upper threshold interrupts
// its thread. A queue that falls to the lower threshold interrupts it if the thread has more tasks in software.
//
// Our assumptions, which the paper does not state:
// - Thieves get the oldest half, rounded up; of a single loop they get the back half.
// - A waiting thread is sent a task as soon as there is one; the threads nearest to its queue come first.
// - Tasks are few, and prefetches are not served, while all queues together have fewer tasks than there are threads. A
//   prefetch that is not served is forgotten; when its thread needs a task, it requests it again under the same number.
// - A loop becomes one piece in each queue. The sizes of the pieces differ by at most one iteration. A piece takes one entry.
// - A thread that is elsewhere takes no part. It still gets a piece of each loop, and others steal its pieces.
// - The thresholds are three quarters and one quarter of a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/adm/adm_hardware.hpp"

namespace skua::simulator {

/// A task, identified by `content` for the user of the class; of a loop, the positions [first, last).
struct carbon_task {
  std::uint64_t content = 0;
  std::uint64_t first = 0, last = 1;
  bool stolen = false;  // at least once from another thread's queue

  std::uint64_t size() const noexcept { return last - first; }
  /// Ignores `stolen`.
  bool operator==(const carbon_task& other) const noexcept {
    return content == other.content && first == other.first && last == other.last;
  }
};

/// Removes and returns the newest task of a queue, or its next iteration if it is a loop.
inline carbon_task take_one(std::deque<carbon_task>& from) {
  carbon_task& newest = from.back();
  carbon_task one = newest;
  one.last = ++newest.first;
  if (newest.size() == 0) from.pop_back();
  return one;
}

struct carbon_reply {
  enum class kind : std::uint8_t { task, end, overflow, underflow };
  kind type;
  thread_number thread;
  carbon_task task = {};
};

/// A local task unit numbers its requests. A prefetch may remain unanswered. Then the thread that needs the task
/// repeats the number, and a request that was answered meanwhile is not answered twice.
struct carbon_request {
  std::uint64_t number;
  bool prefetch = false;
};

class carbon_unit {
 public:
  using replies = std::vector<carbon_reply>;

  struct sizes {
    std::uint32_t queue_tasks;
  };

  /// `neighbours`: for each thread all others, the nearest first.
  carbon_unit(sizes of, std::vector<std::vector<thread_number>> neighbours);

  /// `more_behind`: the software queue has more tasks, so an underflow interrupt must follow when these are gone.
  void enqueue(thread_number by, const carbon_task& task, bool more_behind, replies& out);
  void dequeue(thread_number by, carbon_request request, replies& out);

  /// The thread takes no part from now on: the phase ends without it. Initially all threads take part.
  void leave(thread_number thread, replies& out);
  /// The thread takes part again.
  void come(thread_number thread);

  std::uint32_t upper() const noexcept { return sizes_.queue_tasks * 3 / 4; }
  std::uint32_t lower() const noexcept { return sizes_.queue_tasks / 4; }
  /// The number of tasks; each iteration of a loop counts.
  std::uint64_t tasks() const noexcept { return tasks_; }
  std::size_t entries(thread_number of) const noexcept { return queues_[of].tasks.size(); }
  /// Exceeds `queue_tasks` only if programs enqueue dozens of loops at once, which no hardware could hold.
  std::size_t longest_queue() const noexcept { return longest_; }
  std::uint64_t steals() const noexcept { return steals_; }
  std::uint64_t tasks_stolen() const noexcept { return tasks_stolen_; }
  std::uint64_t prefetches_not_served() const noexcept { return not_served_; }

 private:
  struct queue {
    std::deque<carbon_task> tasks;  // the newest at the back
    std::uint64_t answered = 0;     // the number of the last answered request
    bool waits = false;
    bool wants_more = false;  // an underflow is to be reported
    bool present = true;
  };

  void put(queue& to, const carbon_task& task);
  void partition(const carbon_task& loop);
  void serve_waiting(thread_number near, replies& out);
  void serve(thread_number thread, replies& out);
  bool steal_for(thread_number thief, replies& out);
  void check_lower(thread_number of, replies& out);
  void end_if_all_wait(replies& out);
  bool few_tasks() const noexcept { return tasks_ < queues_.size(); }

  sizes sizes_;
  std::vector<std::vector<thread_number>> neighbours_;
  std::vector<queue> queues_;
  std::uint64_t tasks_ = 0;
  std::size_t waiting_ = 0, present_ = 0, longest_ = 0;
  std::uint64_t steals_ = 0, tasks_stolen_ = 0, not_served_ = 0;
};

}  // namespace skua::simulator
