#include "core/dealing/dealt_tasks.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <new>
#include <utility>

#include <skua/task_group.hpp>

#include "core/dealing/dealt_loops.hpp"
#include "core/dealing/hand_record.hpp"
#include "core/group/task_row.hpp"
#include "core/idle/idle_protocol.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua {

namespace core {

/// Followed by its tasks, newest first.
struct task_bundle {
  detail::group_base& group;
  const float ns;          // what each takes; 0 if that is unknown
  std::uint32_t ends = 0;  // tasks that the group counts for it
  shared<detail::task*>* tasks() noexcept { return reinterpret_cast<shared<detail::task*>*>(this + 1); }
};

namespace {

using detail::task;

/// A task that takes less is not worth the place in a bundle.
constexpr float worth_bundling_ns = 250;
/// How long tasks stay with the worker that pushes them, until there are enough for half of the idle workers. Then searchers do not
/// take them by force yet.
constexpr std::int64_t longest_gathering_ns = 3'000;
constexpr std::size_t max_bundled = 256;
/// A group of fewer tasks is probably a step of a recursion: how long its tasks take says little about the next ones.
constexpr float fewest_flat = 4;
/// With so many tasks, thieves take halves, although no idle worker is known.
constexpr std::size_t many_tasks = 8;
/// Without idle workers that it knows, an owner queues so many tasks as one.
constexpr std::size_t fewest_packed = 8;
/// How often a small task is measured again: it may have become large. A prime number, as groups often alternate.
constexpr unsigned between_measurements = 17;

/// A part has no hint.
constexpr std::uint8_t not_bundled = task::restricted | task::hinted;
constexpr std::align_val_t bundle_alignment{detail::line_pair};
static_assert(sizeof(bundle_part) <= task::inline_bytes);

bundle_part& part_of(task& t) noexcept { return *std::launder(reinterpret_cast<bundle_part*>(t.closure)); }
task& record_of(bundle_part& p) noexcept { return *p.handed.task; }

void never_called(task&, task_context*) { assert(false); }

task& make_part(detail::task_pool& pool, task_bundle& of, bundle_part* parent, std::uint32_t first,
                std::uint32_t end) noexcept {
  task& t = pool.take_record();
  t.run = &never_called;
  t.group.store(&of.group, std::memory_order_relaxed);
  t.order = 0;
  t.marks = task::counted | task::part;
  auto* const p = ::new (static_cast<void*>(t.closure)) bundle_part;
  has_new_words(*p);
  p->handed.task = &t;
  p->of = &of;
  p->parent = parent;
  p->first = first;
  p->end = end;
  return t;
}

/// How many of the known workers get a share of so many tasks.
std::uint32_t workers_for(const worker& here, std::uint32_t known, float ns, std::size_t tasks) noexcept {
  if (ns == 0) return std::min(known, static_cast<std::uint32_t>(tasks));
  const float each = next_sleeps(here) ? worth_waking_ns : worth_handing_ns;
  const float worth = std::min(ns / each, 1.f) * static_cast<float>(tasks);
  return worth >= static_cast<float>(known) ? known : static_cast<std::uint32_t>(worth);
}

/// Puts the part into the box of an idle worker among the `known` ones. False: none is idle, and the part is still the caller's.
/// It gets the last `given` of them.
bool hand_part(worker& here, bundle_part& p, std::uint32_t known, std::uint32_t given) noexcept {
  p.handed.from = here.id;
  here.dealing.known = known;
  const auto called = put_at_known(*here.pool, p.handed, here.dealing.known, given, true);
  // From here on the part may have ended.
  if (called) wake_called<host_platform>(*here.pool, *called);
  return called.has_value();
}

/// Puts the part among the worker's own tasks. There must be room.
void keep_part(worker& here, bundle_part& p) noexcept { push_uncounted(here, record_of(p)); }

bool has_room_for_part(worker& here) noexcept {
  return here.tasks.reserve(1) && (here.tasks.own_top() < here.tasks.last || make_room_for_tasks(here));
}

/// Gives away all tasks of the part but its first. Without memory for another part, some are left, and run here one after the
/// other.
void give_rest_away(bundle_part& p, worker& here) noexcept {
  bool kept = false;
  while (p.end - p.first > 1 && has_room_for_part(here)) {
    const std::uint32_t n = p.end - p.first;
    const std::uint32_t known = here.pool->deals() ? workers_for(here, here.dealing.known, p.of->ns, n) : 0;
    // As many as the workers that get them, in proportion.
    const std::uint32_t given = known - known / 2;
    const auto far = known > 1 ? static_cast<std::uint32_t>(std::uint64_t{n} * given / known) : n / 2;
    const std::uint32_t from = p.end - std::clamp(far, 1u, n - 1);
    bundle_part& split = part_of(make_part(here.tasks, *p.of, &p, from, p.end));
    p.end = from;
    p.open.split_off();
    if (known > 1 && hand_part(here, split, known, given)) continue;
    here.dealing.known = 1;
    keep_part(here, split);
    kept = true;
  }
  if (kept) here.pool->show_moved(here);
}

/// The thread has run the part's task.
void part_ended(bundle_part* p, stack& self) noexcept {
  count_leftovers(self);
  fold_counters(self);  // before another thread can know that all tasks have ended
  for (;;) {
    if (!p->open.ended()) return;
    task_bundle* const of = p->of;
    bundle_part* const parent = p->parent;
    self.tasks->give_back(record_of(*p));
    if (!parent) {
      detail::group_base& group = of->group;
      const std::uint64_t ends = of->ends;
      ::operator delete(of, bundle_alignment);
      return group.finish_counted(ends);
    }
    p = parent;
  }
}

const void* address_of(detail::task_code code) noexcept { return reinterpret_cast<const void*>(code); }

}  // namespace

bool run_measured(task& t, stack& self, detail::group_base& group) {
  const void* const code = address_of(own_code(t, self));
  scheduler_core& pool = *self.worker->pool;
  const std::int64_t since = host_platform::now_ns();
  const bool counted = run_in_scope(t, self, group);
  if (!group.cancelled())
    pool.costs_of_tasks.measured(code, static_cast<float>(host_platform::now_ns() - since));
  return counted;
}

bool measures_next_task(worker& here) noexcept {
  return here.pool->may_deal && ++here.dealing.small_tasks % between_measurements == 0;
}

void run_part(task& t, stack& self, bool top_level) {
  bundle_part& p = part_of(t);
  give_rest_away(p, *self.worker);
  {
    task_row row(self, p.of->group);
    for (; p.first != p.end; ++p.first) {
      run_measured(*p.of->tasks()[p.first].load(std::memory_order_relaxed), self, p.of->group);
      if (top_level) end_if_alone(self);
    }
    count_leftovers(self);  // while they can be counted ahead
    row.report(0);          // the part's own tasks end below
  }
  part_ended(&p, self);
}

}  // namespace core

using namespace core;

namespace detail {

namespace {

bool may_be_bundled(const task& t, const group_base& group) noexcept {
  return t.group.load(std::memory_order_relaxed) == &group && !(t.marks & not_bundled);
}

/// Null if the newest task of the worker is not one of the group's that may be bundled, or if its function is not known. A thief
/// may have taken it and filled its record with another task: then the answer is a bad guess.
const void* code_of_newest(stack& self, const group_base& group) noexcept {
  const task_pool& pool = self.worker->tasks;
  if (pool.own_top() == pool.first_slot) return nullptr;
  const task& t = *static_cast<const task*>(task_pool::own_frame(pool.own_top() - 1));
  return may_be_bundled(t, group) ? address_of(own_code(t, self)) : nullptr;
}

/// Whether it is worth it to give others their share of `n` tasks of a group, of `ns` each. `size`: of such groups. 0: unknown.
bool are_worth_dealing(const worker& here, std::size_t n, float ns, float size) noexcept {
  if (n < 2 || (size > 0 && size < fewest_flat)) return false;
  if (here.dealing.known > 1) return ns == 0 || ns >= worth_bundling_ns;
  return n >= many_tasks &&
         (ns >= worth_handing_ns || (here.pool->any_idle() && (ns == 0 || ns >= worth_bundling_ns)));
}

/// How many of a group's tasks are given away at once, while they follow each other quickly: as many as the idle workers that get
/// them, in proportion to all tasks that are expected. `n` are gathered, the last one of them is number `added`.
std::size_t tasks_to_gather(const worker& here, float ns, float expected, std::uint32_t added,
                            std::size_t n) noexcept {
  const auto known = static_cast<float>(here.dealing.known), given = known - std::floor(known / 2);
  const float left = std::max(expected - static_cast<float>(added), 0.f) + static_cast<float>(n);
  if (known <= 1) return std::clamp(static_cast<std::size_t>(left / 4), fewest_packed, max_bundled);
  const float worth = ns > 0 ? std::max(1.f, worth_handing_ns / ns) : 1;  // for each worker
  return std::min(max_bundled, static_cast<std::size_t>(std::max(left / known, worth) * given));
}

}  // namespace

// Takes the group's newest tasks out of the queue, up to `most`. Null if there is none, or no memory.
task* group_base::make_bundle(task_context& w, std::size_t most, float ns) noexcept {
  worker& here = *w.worker;
  if (!here.tasks.reserve(1)) return nullptr;
  void* const memory =
      ::operator new(sizeof(task_bundle) + most * sizeof(shared<task*>), bundle_alignment, std::nothrow);
  if (!memory) return nullptr;
  host_platform::made_words(memory, sizeof(task_bundle) + most * sizeof(shared<task*>));
  auto* const made = ::new (memory) task_bundle{*this, ns};
  std::uint32_t n = 0;
  std::uint64_t uncounted = 0;
  const auto accept = [this](const task& t) { return may_be_bundled(t, *this); };
  // The bundle counts before its tasks leave the queue, where a wait on another stack looks for them (count_own).
  count(1);
  for (; n < most; ++n) {
    task* const t = pop_task(here, accept);
    if (!t) break;
    uncounted += !(t->marks & task::counted);
    ::new (static_cast<void*>(made->tasks() + n)) shared<task*>(t);
  }
  if (n == 0) {
    ::operator delete(memory, bundle_alignment);
    finish_counted(1);
    return nullptr;
  }
  made->ends = 1 + n - static_cast<std::uint32_t>(uncounted);
  if (&w == home_) add_uncounted(0 - uncounted);
  return &make_part(here.tasks, *made, nullptr, 0, n);
}

// The owner has pushed a task to `s`, and has been asked to publish, or knows idle workers. True if the task was dealt or stays
// private, so there is nothing else to do.
bool group_base::keeps_or_deals(task_context& w, task_pool& pool, slot* s) noexcept {
  worker& here = *w.worker;
  scheduler_core& core = *here.pool;
  if (!core.deals() || core.options.own_order != order::lifo) return false;
  const void* const code = code_of_newest(static_cast<stack&>(w), *this);
  if (!code) return false;
  const float expected = core.sizes_of_groups.of(code);
  if (expected > 0 && expected < fewest_flat) return false;
  const float ns = core.costs_of_tasks.of(code);
  // A searcher takes by force what stays private for long.
  if (ns > 0 && ns < worth_bundling_ns) return searcher_takes_by_force(core);
  dealing_state& d = here.dealing;
  const std::int64_t now = host_platform::now_ns();
  const slot* const split = host_atomics::quietly(pool.split).load(std::memory_order_relaxed);
  const auto n = std::min(max_bundled, static_cast<std::size_t>(s + 1 - split));
  if (n == 1 || d.gathers_for != this) {
    d.gathers_for = this;
    d.gathers_since_ns = now;
  }
  const std::uint32_t added = &w == home_ ? order_.load(std::memory_order_relaxed) : 0;
  const std::uint32_t known = d.known;
  const std::size_t wanted = tasks_to_gather(here, ns, expected, added, n);
  if (n < wanted && now - d.gathers_since_ns < longest_gathering_ns) return searcher_takes_by_force(core);
  d.gathers_for = nullptr;
  if (known <= 1 && n < fewest_packed) return false;
  const std::uint32_t given = std::min(known - known / 2, workers_for(here, known, ns, n));
  if (known > 1 && given == 0) return false;
  task* const bundle = make_bundle(w, n, ns);
  if (!bundle) return false;
  if (&w == home_ && known_before_ == 0) known_before_ = known;
  if (known > 1) d.deals_for = this;
  if (known > 1 && hand_part(here, part_of(*bundle), known, given))
    return load_of<host_platform>(pool) == 0 || searcher_takes_by_force(core);
  keep_part(here, part_of(*bundle));
  return false;
}

// Runs the newest task alone, to see how long it takes.
void group_base::run_newest_measured(task_context& w) {
  stack& self = static_cast<stack&>(w);
  task* const t = pop_task(*w.worker, [this](const task& newest) { return may_be_bundled(newest, *this); });
  if (!t) return;
  const tasks_work_span recorded(w);
  if (&w == home_) ++depth_;
  const bool counted = run_measured(*t, self, *this);
  if (&w == home_) --depth_;
  if (counted)
    report_ends(*this, 1, self);
  else if (&w == home_)
    add_uncounted(~std::uint64_t{0});
}

// Before the owner runs its own tasks of the group: gives others their share, if the tasks are large enough.
void group_base::deal_rest(task_context& w) {
  stack& self = static_cast<stack&>(w);
  worker& here = *w.worker;
  scheduler_core& core = *here.pool;
  here.dealing.is_filled(this);
  if (!core.deals() || core.options.own_order != order::lifo) return;
  const void* const code = code_of_newest(self, *this);
  if (!code) return;
  if (&w == home_)
    core.sizes_of_groups.measured(code, static_cast<float>(order_.load(std::memory_order_relaxed)));
  const float ns = core.costs_of_tasks.of(code);
  const std::size_t n = load_of<host_platform>(here.tasks);
  if (!are_worth_dealing(here, n, ns, core.sizes_of_groups.of(code))) {
    if (ns == 0 || measures_next_task(here)) run_newest_measured(w);
    return;
  }
  if (&w == home_ && known_before_ == 0) known_before_ = here.dealing.known;
  task* const bundle = make_bundle(w, std::min(n, max_bundled), ns);
  if (!bundle) return;
  if (&w == home_) ++depth_;
  const tasks_work_span recorded(w);
  run_part(*bundle, self, false);
  if (&w == home_) --depth_;
}

// All tasks have ended, so those workers are probably idle again.
void group_base::deal_ended(task_context& w) noexcept {
  const std::uint32_t before = &w == home_ ? std::exchange(known_before_, 0) : 0;
  if (before <= 1) return may_know_again(*w.worker);
  if (before > w.worker->dealing.known && before <= w.worker->pool->workers())
    w.worker->dealing.known = before;
}

}  // namespace detail
}  // namespace skua
