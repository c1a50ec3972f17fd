#include "core/queue/task_ranks.hpp"

namespace skua::core {

void task_ranks::add(const task_rank& rank) {
  for (run& r : runs_)
    if (r.empty() || !(r.ranks.back() < rank)) {
      r.ranks.push_back(rank);
      ++size_;
      return;
    }
  heap_.push_back(rank);
  std::ranges::push_heap(heap_, std::less<>());
  ++size_;
}

const task_rank* task_ranks::first() noexcept {
  const task_rank* found = heap_.empty() ? nullptr : &heap_.front();
  first_in_ = nullptr;
  for (run& r : runs_)
    if (!r.empty() && (!found || *found < r.first())) {
      found = &r.first();
      first_in_ = &r;
    }
  return found;
}

void task_ranks::drop_first() noexcept {
  --size_;
  if (first_in_) return first_in_->drop_first();
  std::ranges::pop_heap(heap_, std::less<>());
  heap_.pop_back();
}

void task_ranks::run::drop_first() noexcept {
  constexpr std::size_t many = 512;
  ++taken;
  if (empty()) {
    ranks.clear();
    taken = 0;
  } else if (taken >= many && 2 * taken >= ranks.size()) {
    ranks.erase(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(taken));
    taken = 0;
  }
}

}  // namespace skua::core
