// Carbon's global task unit without time: a hardware queue for each thread, stealing between them, who waits, and the end
// of a phase. carbon.hpp drives it in virtual time.
//
//   carbon_unit unit({.queue_tasks = 32}, neighbours_of_each_thread);
//   std::vector<carbon_reply> replies;
//   unit.enqueue(0, {.content = 7}, false, replies);
//   unit.dequeue(1, {.number = 1}, replies);          // a task for thread 1, stolen from thread 0
//
// As the paper says: queues are last in, first out; a thread whose queue is empty gets half of the nearest queue that is
// not, within the cycle of its request; who finds nothing anywhere waits; when all wait each is sent the end. A loop is
// enqueued by one request and partitioned here. A queue that has reached its upper threshold interrupts its thread, and
// one that falls to the lower one does when there are more of its tasks in software.
//
// Where the paper is silent:
// - Thieves get the oldest half, rounded up; of a single loop the back half.
// - Who waits is sent a task as soon as there is one: those nearest to its queue first.
// - There are few tasks, and prefetches are not served, while there are fewer in all queues than threads. A prefetch that
//   is not served is forgotten; when its thread needs a task it asks again under the same number.
// - A loop becomes one piece in each queue, all of one size but for one iteration. A piece takes one entry.
// - A thread that is elsewhere takes no part. Loops are partitioned for it all the same, and others steal its pieces.
// - The thresholds are three quarters and a quarter of a queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulator/adm/adm_hardware.hpp"

namespace skua::simulator {

/// What a task is, to who drives this; and of a loop the positions [first, last).
struct carbon_task {
  std::uint64_t content = 0;
  std::uint64_t first = 0, last = 1;
  bool stolen = false;  // has come from another thread's queue, at least once

  std::uint64_t size() const noexcept { return last - first; }
  /// Wherever it comes from.
  bool operator==(const carbon_task& other) const noexcept {
    return content == other.content && first == other.first && last == other.last;
  }
};

/// The newest task of a queue, or the next iteration of the loop that it is.
inline carbon_task take_one(std::deque<carbon_task>& from) {
  carbon_task& newest = from.back();
  carbon_task one = newest;
  one.last = ++newest.first;
  if (newest.size() == 0) from.pop_back();
  return one;
}

struct carbon_reply {
  enum class kind : std::uint8_t { task, end, overflow, underflow };
  kind what;
  thread_number thread;
  carbon_task task = {};
};

/// A local task unit numbers what it asks for. A prefetch may go unanswered; then the thread that needs the task asks by
/// the same number, and what has been answered meanwhile is not answered twice.
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

  /// For each thread all the others, the nearest first.
  carbon_unit(sizes of, std::vector<std::vector<thread_number>> neighbours);

  /// `more_behind`: its software queue has tasks, and an interrupt is wanted when these have gone.
  void enqueue(thread_number by, const carbon_task& task, bool more_behind, replies& out);
  void dequeue(thread_number by, carbon_request request, replies& out);

  /// Takes no part until it comes: the phase ends without it. Everybody has come at first.
  void leave(thread_number who, replies& out);
  void come(thread_number who);

  std::uint32_t upper() const noexcept { return sizes_.queue_tasks * 3 / 4; }
  std::uint32_t lower() const noexcept { return sizes_.queue_tasks / 4; }
  /// Iterations of loops counted.
  std::uint64_t tasks() const noexcept { return tasks_; }
  std::size_t entries(thread_number of) const noexcept { return queues_[of].tasks.size(); }
  /// More than `queue_tasks` only where programs enqueue dozens of loops at once: no hardware would hold them.
  std::size_t longest_queue() const noexcept { return longest_; }
  std::uint64_t steals() const noexcept { return steals_; }
  std::uint64_t tasks_stolen() const noexcept { return tasks_stolen_; }
  std::uint64_t prefetches_not_served() const noexcept { return not_served_; }

 private:
  struct queue {
    std::deque<carbon_task> tasks;  // the newest at the back
    std::uint64_t answered = 0;     // the last request that was
    bool waits = false;
    bool wants_more = false;  // an underflow is to be told
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
