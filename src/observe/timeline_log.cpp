#include "observe/timeline_log.hpp"

#include <algorithm>

namespace skua::observe {

namespace {

// Calls add(interval, ticks) for each interval that [from, to) touches; both count from the beginning of the log.
template <class Add>
void spread(std::uint64_t from, std::uint64_t to, unsigned length, Add add) noexcept {
  while (from < to) {
    const std::uint64_t at = from >> length;
    const std::uint64_t end = std::min(to, (at + 1) << length);
    add(static_cast<std::size_t>(at), end - from);
    from = end;
  }
}

std::uint64_t since_beginning(std::uint64_t time, std::uint64_t began) noexcept {
  return time > began ? time - began : 0;
}

unsigned length_for(std::uint64_t time, unsigned length) noexcept {
  while (time >> length >= timeline_log::intervals) ++length;
  return length;
}

}  // namespace

void timeline_log::reading::widen(unsigned longer) {
  for (; length < longer; ++length) {
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      sums& to = intervals[i / 2];
      if (i % 2 == 0)
        to = intervals[i];
      else
        for (std::size_t k = 0; k < to.size(); ++k) to[k] += intervals[i][k];
    }
    intervals.resize((intervals.size() + 1) / 2);
  }
}

void timeline_log::clear(std::uint64_t now) noexcept {
  const locked hold(guard_);
  began_.store(now, std::memory_order_relaxed);
  length_.store(shortest, std::memory_order_relaxed);
  for (auto& interval : at_)
    for (auto& sum : interval) sum.store(0, std::memory_order_relaxed);
}

void timeline_log::widen() noexcept {
  const locked hold(guard_);
  for (std::size_t i = 0; i < intervals; i += 2)
    for (std::size_t k = 0; k < activity_count; ++k) {
      const std::uint64_t both =
          at_[i][k].load(std::memory_order_relaxed) + at_[i + 1][k].load(std::memory_order_relaxed);
      at_[i][k].store(0, std::memory_order_relaxed);
      at_[i + 1][k].store(0, std::memory_order_relaxed);
      at_[i / 2][k].store(both, std::memory_order_relaxed);
    }
  length_.store(length_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void timeline_log::passed(activity what, std::uint64_t from, std::uint64_t to) noexcept {
  const std::uint64_t began = began_.load(std::memory_order_relaxed);
  from = since_beginning(from, began);
  to = since_beginning(to, began);
  unsigned length = length_.load(std::memory_order_relaxed);
  for (; to >> length >= intervals; length = length_.load(std::memory_order_relaxed)) widen();
  // Read once, because a concurrent clear() makes intervals shorter.
  spread(from, to, length, [&](std::size_t at, std::uint64_t ticks) {
    std::atomic<std::uint64_t>& sum = at_[at][static_cast<std::size_t>(what)];
    sum.store(sum.load(std::memory_order_relaxed) + ticks, std::memory_order_relaxed);
  });
}

timeline_log::reading timeline_log::read(activity what, std::uint64_t since, std::uint64_t now) const {
  reading all;
  all.intervals.resize(intervals);
  std::uint64_t began = 0;
  {
    const locked hold(guard_);
    began = began_.load(std::memory_order_relaxed);
    all.length = length_.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < intervals; ++i)
      for (std::size_t k = 0; k < activity_count; ++k)
        all.intervals[i][k] = at_[i][k].load(std::memory_order_relaxed);
  }
  const std::uint64_t from = since_beginning(since, began), to = since_beginning(now, began);
  all.widen(length_for(to, all.length));
  all.intervals.resize(intervals);
  spread(from, to, all.length, [&](std::size_t at, std::uint64_t ticks) {
    all.intervals[at][static_cast<std::size_t>(what)] += ticks;
  });
  all.intervals.resize(std::min<std::size_t>(intervals, (to >> all.length) + 1));
  return all;
}

}  // namespace skua::observe
