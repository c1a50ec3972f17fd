#include "simulator/adm/carbon_unit.hpp"

#include <algorithm>
#include <utility>

namespace skua::simulator {

carbon_unit::carbon_unit(sizes of, std::vector<std::vector<thread_number>> neighbours)
    : sizes_(of),
      neighbours_(std::move(neighbours)),
      queues_(neighbours_.size()),
      present_(neighbours_.size()) {}

void carbon_unit::put(queue& to, const carbon_task& task) {
  to.tasks.push_back(task);
  tasks_ += task.size();
  longest_ = std::max(longest_, to.tasks.size());
}

void carbon_unit::enqueue(thread_number by, const carbon_task& task, bool more_behind, replies& out) {
  queue& mine = queues_[by];
  if (task.size() > 1)
    partition(task);
  else
    put(mine, task);
  if (waiting_ != 0) serve_waiting(by, out);
  if (more_behind) {
    mine.wants_more = true;
    check_lower(by, out);
  } else if (mine.tasks.size() >= upper() && !mine.wants_more) {
    mine.wants_more = true;
    out.push_back({carbon_reply::kind::overflow, by});
  }
}

void carbon_unit::partition(const carbon_task& loop) {
  const std::uint64_t threads = queues_.size();
  std::uint64_t first = loop.first;
  for (std::uint64_t i = 0; i < threads; ++i) {
    const std::uint64_t share = (loop.size() + threads - i - 1) / threads;
    if (share != 0) put(queues_[i], {loop.content, first, first + share});
    first += share;
  }
}

void carbon_unit::dequeue(thread_number by, carbon_request request, replies& out) {
  queue& mine = queues_[by];
  if (request.number <= mine.answered) return;
  if (request.prefetch && few_tasks()) {
    ++not_served_;
    return;
  }
  mine.answered = request.number;
  if (tasks_ != 0) return serve(by, out);
  mine.waits = true;
  ++waiting_;
  end_if_all_wait(out);
}

void carbon_unit::serve_waiting(thread_number near, replies& out) {
  const auto serve_one = [&](thread_number thread) {
    if (tasks_ == 0 || !queues_[thread].waits) return;
    queues_[thread].waits = false;
    --waiting_;
    serve(thread, out);
  };
  serve_one(near);
  for (const thread_number thread : neighbours_[near]) serve_one(thread);
}

/// Some queue must have a task.
void carbon_unit::serve(thread_number thread, replies& out) {
  queue& mine = queues_[thread];
  if (mine.tasks.empty() && !steal_for(thread, out)) return;
  out.push_back({carbon_reply::kind::task, thread, take_one(mine.tasks)});
  --tasks_;
  check_lower(thread, out);
}

bool carbon_unit::steal_for(thread_number thief, replies& out) {
  for (const thread_number victim : neighbours_[thief]) {
    std::deque<carbon_task>& from = queues_[victim].tasks;
    std::deque<carbon_task>& to = queues_[thief].tasks;
    if (from.empty()) continue;
    ++steals_;
    if (from.size() == 1) {
      carbon_task half = from.front();
      half.first += half.size() / 2;
      half.stolen = true;
      tasks_stolen_ += half.size();
      from.front().last = half.first;
      if (from.front().size() == 0) from.pop_front();
      to.push_back(half);
    } else {
      for (std::size_t left = (from.size() + 1) / 2; left != 0; --left) {
        tasks_stolen_ += from.front().size();
        to.push_back(from.front());
        to.back().stolen = true;
        from.pop_front();
      }
    }
    check_lower(victim, out);
    return true;
  }
  return false;
}

void carbon_unit::check_lower(thread_number of, replies& out) {
  queue& q = queues_[of];
  if (!q.wants_more || q.tasks.size() > lower()) return;
  q.wants_more = false;
  out.push_back({carbon_reply::kind::underflow, of});
}

void carbon_unit::end_if_all_wait(replies& out) {
  if (waiting_ != present_ || waiting_ == 0) return;
  waiting_ = 0;
  for (thread_number i = 0; i < queues_.size(); ++i)
    if (std::exchange(queues_[i].waits, false)) out.push_back({carbon_reply::kind::end, i});
}

void carbon_unit::leave(thread_number thread, replies& out) {
  if (!std::exchange(queues_[thread].present, false)) return;
  --present_;
  end_if_all_wait(out);
}

void carbon_unit::come(thread_number thread) {
  if (!std::exchange(queues_[thread].present, true)) ++present_;
}

}  // namespace skua::simulator
