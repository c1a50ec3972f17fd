#include "core/queue/shared_records.hpp"

#include <atomic>

#include <skua/detail/loop.hpp>
#include <skua/task_group.hpp>

#include "core/locks/spin_pause.hpp"
#include "core/loops/hinted_loop.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

namespace {

bool tagged(void* frame, std::uintptr_t tag) noexcept {
  return reinterpret_cast<std::uintptr_t>(frame) & tag;
}

detail::loop_share* loop_of(const detail::slot* s) noexcept {
  void* const frame = s->frame.load(std::memory_order_relaxed);
  return tagged(frame, detail::loop_tag) ? detail::without_tags<detail::loop_share>(frame) : nullptr;
}

const detail::hint_source* hint_of(const detail::slot* s) noexcept {
  void* const frame = s->frame.load(std::memory_order_relaxed);
  if (!tagged(frame, detail::hint_tag)) return nullptr;
  if (tagged(frame, detail::loop_tag))
    return static_cast<hinted_loop_part*>(detail::without_tags<detail::loop_share>(frame));
  return detail::without_tags<detail::hint_source>(frame);
}

// Writes the hint of the record in slot `i`, or that it has none.
template <class Cells>
void keep_hint(Cells& cells, std::size_t i, const detail::hint_source* source) noexcept {
  auto* const cell = source ? cells.make(i) : cells.at(i);
  if (!cell) return;
  cell->clear();
  if (!source) return;
  struct to_cell final : detail::hint_sink {
    explicit to_cell(decltype(*cell)& c) : to(c) {}
    void write(std::uint64_t kind, const void* bytes, std::size_t size) noexcept override {
      to.write(kind, bytes, size);
    }
    decltype(*cell)& to;
  } sink(*cell);
  source->describe(*source, sink);
}

struct context_of_record {
  detail::scope* scope;
  std::uint64_t isolation;
  std::uint32_t bound;
};

// The scope in which the record at `s` was forked. It is stamped next to the record if the owner has entered another
// scope since; else it is the owner's current scope. A seqlock protects it, because the owner may enter and leave
// scopes at the same time. The record itself is held.
context_of_record read_context(stack& owner, const detail::slot* s) noexcept {
  for (spin_pause<host_platform> pause;;) {
    const std::uint32_t version = owner.scope_version.load(std::memory_order_acquire);
    const detail::slot* base = owner.scope_base.load(std::memory_order_acquire);
    detail::scope* scope = owner.scope.load(std::memory_order_acquire);
    const bool stable = version % 2 == 0 && owner.scope_version.load(std::memory_order_relaxed) == version;
    if (!stable) {
      pause();
      continue;
    }
    if (s >= base) return {scope, scope ? scope->isolation : 0, bound_of_record(s, scope)};
    stolen_side& side = owner.side(s);
    return {side.scope.load(std::memory_order_relaxed), side.isolation.load(std::memory_order_relaxed),
            side.bound.load(std::memory_order_relaxed)};
  }
}

}  // namespace

bool is_loop(const stolen& task) noexcept { return task.side() && tagged(task.frame(), detail::loop_tag); }

// A loop above the boundary is shared; a join there is on its way to slow_fork, which takes it back.
std::uint32_t bound_of_record(const detail::slot* s, const detail::scope* forked_in) noexcept {
  const std::uint32_t bound = bound_of(forked_in);
  return bound == bound_to_none && loop_of(s) ? 0 : bound;
}

bool join_records::interrupt(detail::slot* s) noexcept {
  detail::loop_share* loop = loop_of(s);
  if (!loop) return false;
  if (!loop->is_shared()) has_new_words(*loop);
  return loop->interrupt();
}

void join_records::resume(detail::slot* s) noexcept {
  if (detail::loop_share* const loop = loop_of(s)) loop->resume();
}

void join_records::publish(detail::slot* s) noexcept {
  detail::loop_share* const loop = loop_of(s);
  if (loop) {
    if (!loop->is_shared()) has_new_words(*loop);
    loop->share();
  }
  stolen_side& side = owner.side(s);
  const context_of_record context = read_context(owner, s);
  side.scope.store(context.scope, std::memory_order_relaxed);
  side.isolation.store(context.isolation, std::memory_order_relaxed);
  side.bound.store(context.bound, std::memory_order_relaxed);
  side.runner.store(nullptr, std::memory_order_relaxed);
  side.done.reset();
  keep_hint(owner.hints, owner.index_of(s), hint_of(s));
}

bool join_records::before_force() noexcept {
  // Its tasks on earlier workers were published when it left them.
  for (auto& p : owner.pool->all_workers)
    if (p->current.load(std::memory_order_acquire) == &owner)
      force_publish<host_platform>(p->tasks, task_records{p->tasks}, true);
  return host_platform::heavy_fence_works();
}

void publish_tasks_of(worker& owner, stack& self) noexcept {
  force_publish<host_platform>(owner.tasks, task_records{owner.tasks}, true);
  if (host_platform::heavy_fence_works()) return;
  // The kernel has refused membarrier(2) since the tasks were pushed. Their owner publishes them at its next push or
  // wait, or at the end of its task.
  publish_here(self);  // and so does this thread, for others that wait like this
  std::atomic<std::uint32_t> none{0};
  while (!all_public<host_platform>(owner.tasks)) {
    request<host_platform>(owner.tasks);
    host_platform::park(none, 0, 50);
  }
}

void task_records::publish(detail::slot* s) noexcept {
  auto* t = static_cast<detail::task*>(s->frame.load(std::memory_order_relaxed));
  keep_hint(pool.owner->hints, pool.index_of(s), t->marks & detail::task::hinted ? t->hint : nullptr);
  if (t->marks & detail::task::counted) return;
  t->mark(detail::task::counted);
  detail::group_base* const group = t->group.load(std::memory_order_relaxed);
  if (!ahead || ahead->of != group) return group->count(1);
  constexpr std::uint64_t at_once =
      1024;  // what is left costs nothing: it is given back with the ends of the row
  if (ahead->left == 0) group->count(ahead->left = at_once);
  --ahead->left;
}

}  // namespace skua::core
