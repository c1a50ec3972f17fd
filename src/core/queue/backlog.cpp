#include "core/queue/backlog.hpp"

#include <algorithm>
#include <functional>
#include <new>
#include <utility>

#include <skua/hint.hpp>

namespace skua::core {

namespace {

// Entries of taken tasks that may remain beyond the number of queued tasks.
constexpr std::size_t slack = 1024;

}  // namespace

std::int64_t task_backlog::priority_of(const detail::task& t) noexcept {
  if (!(t.marks & detail::task::hinted)) return 0;
  struct reader final : detail::hint_sink {
    void write(std::uint64_t kind, const void* bytes, std::size_t) noexcept override {
      if (kind == detail::hint_kind<priority>) found = static_cast<const priority*>(bytes)->value;
    }
    std::int64_t found = 0;
  } sink;
  t.hint->describe(*t.hint, sink);
  return sink.found;
}

void task_backlog::add_ranked(detail::task& t) {
  tasks_.push_back(&t);
  try {
    ranks_.add({false, priority_of(t), first_ + tasks_.size() - 1});
  } catch (...) {
    tasks_.pop_back();
    throw;
  }
}

std::size_t task_backlog::add(detail::task* const* tasks, std::size_t n) noexcept {
  const std::lock_guard lock(guard_);
  const std::size_t before = tasks_.size();
  // The numbers of newer tasks that were taken are used again.
  in_vain_to_ = std::min(in_vain_to_, first_ + before);
  try {
    if (ranked_)
      for (std::size_t i = 0; i < n; ++i) add_ranked(*tasks[i]);
    else
      tasks_.insert(tasks_.end(), tasks, tasks + n);
  } catch (const std::bad_alloc&) {  // the rest stays where it is
  }
  const std::size_t added = tasks_.size() - before;
  size_.store(size() + added, std::memory_order_relaxed);
  return added;
}

std::size_t task_backlog::take_newest(detail::task** out, std::size_t max) noexcept {
  if (size() == 0) return 0;
  const std::lock_guard lock(guard_);
  std::size_t taken = 0;
  if (gaps_ == 0) {
    taken = std::min(max, tasks_.size());
    const auto from = tasks_.end() - static_cast<std::ptrdiff_t>(taken);
    std::copy(from, tasks_.end(), out);
    tasks_.erase(from, tasks_.end());
  } else {
    for (; taken < max && !tasks_.empty(); tasks_.pop_back())
      if (tasks_.back())
        out[taken++] = tasks_.back();
      else
        --gaps_;
    std::reverse(out, out + taken);
  }
  shrink_by(taken);
  return taken;
}

std::size_t task_backlog::greatest() noexcept {
  while (const task_rank* const first = ranks_.first()) {
    if (first->number >= first_ && tasks_[first->number - first_]) return first->number - first_;
    ranks_.drop_first();  // taken by age
  }
  return none;
}

std::size_t task_backlog::newest() noexcept {
  for (; !tasks_.empty(); tasks_.pop_back(), --gaps_)
    if (tasks_.back()) return tasks_.size() - 1;
  return none;
}

std::size_t task_backlog::first(order by) noexcept {
  if (by == order::priority) return greatest();
  if (by == order::lifo) return newest();
  drop_gaps();
  return tasks_.empty() ? none : 0;
}

detail::task* task_backlog::take_greatest() noexcept {
  if (size() == 0) return nullptr;
  const std::lock_guard lock(guard_);
  if (std::exchange(favours_, false)) {
    drop_taken();
    rank_all([](const detail::task&) { return false; });
  }
  const std::size_t at = greatest();
  return at == none ? nullptr : take_at(at);
}

detail::task* task_backlog::take_at(std::size_t index) noexcept {
  detail::task* const t = std::exchange(tasks_[index], nullptr);
  ++gaps_;
  drop_gaps();
  shrink_by(1);
  return t;
}

void task_backlog::shrink_by(std::size_t taken) noexcept {
  const std::size_t left = size() - taken;
  size_.store(left, std::memory_order_relaxed);
  if (std::max(tasks_.size(), ranks_.size()) > 2 * left + slack) forget_what_was_taken();
}

void task_backlog::drop_taken() noexcept {
  std::erase(tasks_, nullptr);
  gaps_ = 0;
  first_ = 0;
  in_vain_to_ = 0;  // all have new numbers
}

// Allocates nothing. It runs after as many tasks were taken as it looks at.
void task_backlog::forget_what_was_taken() noexcept {
  drop_taken();
  favours_ = false;
  if (ranked_) rank_all([](const detail::task&) { return false; });
}

}  // namespace skua::core
