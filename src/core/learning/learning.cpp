// What the first run of a learnt region records: how its tasks fork at each level, and which memory they declare.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <vector>

#include <skua/declare.hpp>
#include <skua/shaped.hpp>

#include "core/learning/learnt_file.hpp"
#include "core/platform/costs.hpp"
#include "core/platform/process_fork.hpp"
#include "core/scheduler_core.hpp"
#include "core/stack.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

namespace core {

class learner {
 public:
  static constexpr std::size_t max_levels = 64;

  /// Records that a task of this level has forked two children.
  void forked(std::uint32_t level) noexcept {
    forks_[level < max_levels ? level : max_levels - 1].fetch_add(1, std::memory_order_relaxed);
  }
  /// Records that a task of this level declares memory.
  void touched(std::uint32_t level, std::uintptr_t begin, std::size_t bytes);

  std::uint32_t depth() const noexcept;
  /// Children of one task: the median growth from level to level, down to the level with the most tasks.
  std::size_t branching() const;
  /// Distinct bytes.
  std::size_t bytes() const;
  /// Bytes that the tasks of each level declare, from level 0 to the last level that declares any. Bytes that are
  /// declared several times count each time.
  std::vector<std::uint64_t> bytes_by_level() const;

 private:
  std::array<std::atomic<std::uint64_t>, max_levels> forks_{}, declared_{};
  mutable fork_safe_lock mutex_;
  std::map<std::uintptr_t, std::uintptr_t> touched_;  // disjoint ranges: begin -> end
};

void learner::touched(std::uint32_t level, std::uintptr_t begin, std::size_t bytes) {
  if (bytes == 0) return;
  declared_[std::min<std::size_t>(level, max_levels - 1)].fetch_add(bytes, std::memory_order_relaxed);
  std::uintptr_t end = begin + bytes;
  std::lock_guard lock(mutex_);
  // Merges with every range that it overlaps or touches.
  auto at = touched_.upper_bound(begin);
  if (at != touched_.begin() && std::prev(at)->second >= begin) --at;
  while (at != touched_.end() && at->first <= end) {
    begin = std::min(begin, at->first);
    end = std::max(end, at->second);
    at = touched_.erase(at);
  }
  touched_.emplace(begin, end);
}

std::size_t learner::bytes() const {
  std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [begin, end] : touched_) sum += end - begin;
  return sum;
}

std::vector<std::uint64_t> learner::bytes_by_level() const {
  std::vector<std::uint64_t> levels;
  for (const auto& declared : declared_) levels.push_back(declared.load(std::memory_order_relaxed));
  while (!levels.empty() && levels.back() == 0) levels.pop_back();
  return levels;
}

std::uint32_t learner::depth() const noexcept {
  std::uint32_t deepest = 1;
  for (std::uint32_t level = 1; level < max_levels; ++level)
    if (forks_[level].load(std::memory_order_relaxed) != 0) deepest = level + 1;
  return deepest;
}

// Starts at level 2: level 1 is the region's own body, which may start its recursion any number of times.
std::size_t learner::branching() const {
  std::vector<double> growth;
  for (std::size_t level = 2; level + 1 < max_levels; ++level) {
    const auto above = static_cast<double>(forks_[level - 1].load(std::memory_order_relaxed));
    const auto below = static_cast<double>(forks_[level].load(std::memory_order_relaxed));
    if (below <= above) break;
    growth.push_back(below / above);
  }
  if (growth.empty()) return 2;
  std::ranges::nth_element(growth, growth.begin() + static_cast<std::ptrdiff_t>(growth.size() / 2));
  return std::max<std::size_t>(2, static_cast<std::size_t>(std::lround(growth[growth.size() / 2])));
}

}  // namespace core

using namespace core;

namespace {

// Only a name that can be read back from the file.
void check_name(std::string_view name) {
  if (name.empty() || name.find_first_of(" \t\n\v\f\r") != std::string_view::npos)
    throw bad_input("region name '" + std::string(name) + "' is not allowed; allowed: a name without blanks");
}

}  // namespace

learnt_shape learn(std::string_view name) {
  check_name(name);
  learnt_file::of_process();
  return {std::string(name)};
}

std::optional<learnt_region> learnt(std::string_view name) {
  return learnt_file::of_process().region(std::string(name));
}

namespace detail {

// ---- what tasks declare, for a simulated machine and for a region that is being learnt

constinit std::atomic<int> listeners{0};

void declare(declared how, const void* first, std::size_t bytes, std::size_t rows,
             std::size_t pitch) noexcept {
  const task_context* const w = current;
  const scope* const now = w ? w->scope.load(std::memory_order_relaxed) : nullptr;
  core::declare_to_machine({how, first, bytes, rows, pitch});
  if (w) core::count_declared(static_cast<const core::stack&>(*w), bytes * rows);
  if (!now || !now->learns) return;
  try {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    for (std::size_t row = 0; row < rows; ++row) now->learns->touched(now->level, begin + row * pitch, bytes);
  } catch (const std::bad_alloc&) {  // then the region appears smaller than it is
  }
}

// ---- regions

void check_shape(const region_shape& shape) {
  if (shape.input_bytes.negative())
    throw bad_input("input_bytes of a region is " +
                    std::to_string(static_cast<std::int64_t>(std::size_t{shape.input_bytes})) +
                    "; allowed: 0 (unknown) or more; nearest: 0");
  if (shape.branching.negative() || shape.branching < 2)
    throw bad_input("branching of a region is " +
                    std::to_string(static_cast<std::int64_t>(std::size_t{shape.branching})) +
                    "; allowed: 2 or more; nearest: 2");
}

namespace {

void keep_seen(const std::string& name, const learner& seen) {
  const learnt_region known{seen.bytes(), seen.branching(), seen.depth(), seen.bytes_by_level()};
  if (known.input_bytes == 0)
    std::fprintf(stderr,
                 "skua: region '%s' declares no bytes (skua::reads, skua::writes), so a policy with two "
                 "tiers treats it as CPU-bound\n",
                 name.c_str());
  learnt_file::of_process().keep(name, known);
}

}  // namespace

void run_learning(task_context& w, const learnt_shape& shape, void (*code)(void*, task_context&),
                  void* data) {
  check_name(shape.name);  // a learnt_shape may be made without learn()
  if (const auto known = learnt(shape.name))
    return run_shaped(w, {.input_bytes = known->input_bytes, .branching = known->branching}, code, data);
  scope* const outer = w.scope.load(std::memory_order_relaxed);
  if (outer && outer->boundary != 0)
    return code(data, w);  // nested in another region: learnt when it runs on its own
  learner seen;
  scope region{outer ? outer->group : nullptr, isolation_of(w), outer};
  region.of_region = true;
  region.level = 1;
  region.boundary = ~std::uint32_t{0};
  region.learns = &seen;
  struct listening {
    listening() { listeners.fetch_add(1, std::memory_order_relaxed); }
    ~listening() { listeners.fetch_sub(1, std::memory_order_relaxed); }
  } while_it_runs;
  {
    in_scope inside(w, &region);
    code(data, w);
  }
  try {
    keep_seen(shape.name, seen);
  } catch (
      const std::bad_alloc&) {  // the region has run, and its result must not be lost: it is learnt next time
  }
}

}  // namespace detail

// An ordinary join, except that the children's scope is one level deeper and each fork is counted.
detail::forked core::fork_and_learn(stack& self, detail::fork_code first, void* first_frame,
                                    detail::fork_code second, void* second_frame, unsigned siblings,
                                    const void* from) {
  detail::scope* const now = self.scope.load(std::memory_order_relaxed);
  now->learns->forked(now->level);
  detail::scope child = *now;
  child.outer = now;
  child.of_region = true;  // it lies on this stack, and a group that is made below may outlive it
  ++child.level;
  detail::in_scope inside(self, &child);
  detail::forked done;
  const auto run = [&](detail::fork_code code, void* frame, bool& made) {
    const detail::strand_here strand(&made == &done.first ? detail::beginning::first_child
                                                          : detail::beginning::second_child);
    try {
      code(frame, self);
      made = true;
    } catch (...) {
      if (!done.thrown) done.thrown = std::current_exception();
    }
  };
  detail::slot* const s = self.top.load(std::memory_order_relaxed);
  auto way = detail::fork_way::plain;
  if (self.push(s, reinterpret_cast<void*>(second), second_frame)) {
    if (self.work_span)
      way = self.work_span->fork(s, self.work_span->call_site(call_site_kind::join, from));
    else
      self.slow_push(s);
  }
  detail::fork_work_span recorded(self, way);
  if (siblings != 0) {
    detail::in_scope outside(self, now);
    run(first, first_frame, done.first);
  } else {
    run(first, first_frame, done.first);
  }
  recorded.first_ended();
  if (self.pop(s) || self.reclaim(s)) {
    recorded.second_begins();
    if (done.first) run(second, second_frame, done.second);
    return done;
  }
  std::exception_ptr thrown = self.finish(s);
  done.second = !thrown;
  if (!done.thrown) done.thrown = std::move(thrown);
  return done;
}

}  // namespace skua
