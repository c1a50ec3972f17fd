#include "core/phase/management.hpp"

#include <algorithm>
#include <utility>

#include "base/nearest_name.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

const management_options& checked(const management_options& how) {
  using tree = managers::manager_tree;
  base::in_range("management_options::radix", how.radix, tree::min_radix, tree::max_radix);
  base::in_range("management_options::underflow", how.underflow, 1, tree::max_underflow);
  base::in_range("management_options::dedicated", how.dedicated, 0, tree::max_dedicated);
  return how;
}

using managers::envelope;
using managers::task_descriptor;

namespace {

/// Rounds of a search between two looks into other workers' mailboxes: some tens of microseconds, enough for a worker
/// that reads its own messages.
constexpr unsigned rounds_before_rescue = 64;

task_descriptor describe(const void* run, const void* frame, const void* side) noexcept {
  return {reinterpret_cast<std::uint64_t>(run), reinterpret_cast<std::uint64_t>(frame),
          reinterpret_cast<std::uint64_t>(side), 0};
}
stolen task_of(const task_descriptor& t) noexcept {
  return stolen(reinterpret_cast<void*>(t[0]), reinterpret_cast<void*>(t[1]), reinterpret_cast<void*>(t[2]));
}

void count_answer(const managers::task& m, worker_id victim, worker& thief) noexcept {
  if (!m.is_last) return;
  const placement& placed = thief.pool->placed;
  const bool remote = placed[victim].domain != placed[thief.id].domain;
  if (m.descriptor && victim != thief.id)
    thief.observer.received(victim, placed.distance(thief.id, victim), remote);
  else
    thief.observer.missed(victim, remote);
}

}  // namespace

// ---- the queue

std::uint64_t queue_of_worker::size() const { return load_of_queues(of_) + of_.listed.load(); }

// Without memory to keep the task, it runs at once, under the mailbox.
void queue_of_worker::put(const task_descriptor& t) {
  if (keep_for_later(*reader_, task_of(t))) return;
  stack& self = *current_stack();
  const bool in_task = reader_->running.load(std::memory_order_relaxed);
  execute(task_of(t), self, false);
  if (!in_task) end_task(self);  // a search reads the messages
}

// Publishes only what is about to be taken: the rest stays cheap to pop. A join only after all tasks, as in
// publish_here().
void queue_of_worker::publish_one() {
  stack* const s = of_.current.load(std::memory_order_relaxed);
  if (s && load_of<host_platform>(*s) != 0) {
    publish_all<host_platform>(of_.tasks, task_records{of_.tasks});
    if (!has_public<host_platform>(*s)) publish_oldest<host_platform>(*s, join_records{*s}, 1);
  } else if (!has_public<host_platform>(of_.tasks)) {
    publish_oldest<host_platform>(of_.tasks, task_records{of_.tasks}, 1);
  }
}

task_descriptor queue_of_worker::take(std::uint64_t, std::uint64_t& taken) {
  publish_one();
  const stolen one = take_from(of_, false, {});
  taken = one ? 1 : 0;
  return one ? describe(one.run(), one.frame(), one.side()) : task_descriptor{};
}

task_descriptor queue_of_worker::take_group_task(std::uint64_t& taken) {
  if (!has_public<host_platform>(of_.tasks))
    publish_oldest<host_platform>(of_.tasks, task_records{of_.tasks}, 1);
  const stolen one = take_task(of_, false, {});
  taken = one ? 1 : 0;
  return one ? describe(one.run(), one.frame(), nullptr) : task_descriptor{};
}

// ---- messages

management::management(scheduler_core& pool, const management_options& how)
    : manager_posts(
          static_cast<std::uint32_t>(pool.workers()), how.radix,
          {.amount = how.how_much == amount::one ? managers::steal_amount::one : managers::steal_amount::half,
           .underflow = how.underflow,
           .endless = true},
          nullptr, std::min(how.dedicated, static_cast<std::uint32_t>(pool.workers()) - 1)),
      rescue(how.rescue),
      pool_(pool) {
  outbox out;
  for (const auto& p : pool.all_workers) {
    managed_worker& m = managed_workers_.emplace_back(tree, *p);
    if (!is_dedicated(p->id))
      m.part.arrive(out);  // a dedicated worker has tasks only from external threads, and gives them away
  }
  send(out);
}

management::~management() {
  for (managed_worker& m : managed_workers_) read_all(m.letters, [](const envelope&) {});
}

/// Reads the messages of `m` and then runs act(out), again while more arrive, so `act` must be repeatable. False when
/// another thread holds the mailbox.
template <class Act>
bool management::act_at(managed_worker& m, worker& reader, Act act) noexcept {
  if (!m.letters.try_hold()) return false;
  outbox out;
  parties free;
  m.seen.set_reader(reader);
  do {
    read_all(m.letters, [&](const envelope& e) {
      if (const auto* task = std::get_if<managers::task>(&e.content))
        count_answer(*task, e.from.index, reader);
      m.part.receive(e, out);
    });
    act(out);
    post(out, free);
  } while (!m.letters.try_release());
  run_all(free);
  return true;
}

/// Sets `more` to the number of tasks that may be pushed without a message.
bool management::act_as_owner(worker& here, bool works, std::uint64_t& more) noexcept {
  managed_worker& m = at(here.id);
  m.calls.answer();
  const bool held = act_at(m, here, [&](outbox& out) {
    if (works)
      m.part.go_on();
    else if (m.part.awake() && m.seen.size() == 0)
      m.part.block({}, out);
    // While the scheduler ends, each worker runs what it has: others may have ended already.
    if (!detail::host_atomics::quietly(pool_.stopping).load(std::memory_order_relaxed)) m.part.answer(out);
    m.part.queue_changed(out);
    const std::uint64_t tasks = managers::count_of(m.part.tasks()), upper = m.part.told().upper();
    more = upper > tasks ? upper - tasks - 1 : 0;
    m.believed_busy = m.part.believed_busy();
  });
  if (!held) m.calls.call();  // another thread takes the messages out right now; the owner must return later
  return held;
}

void management::attend(stack& self) noexcept {
  managed_worker& m = at(self.worker->id);
  for (;;) {
    std::uint64_t more = 0;
    const bool held = act_as_owner(*self.worker, true, more);
    if (!self.deque) arm<host_platform>(self, held ? more : 0);  // a deque's limit never opens
    arm<host_platform>(*self.tasks, held ? more : 0);
    summons<host_platform>::open(self);
    summons<host_platform>::open(*self.tasks);
    lower_above_boundary(self);
    if (!held || !m.calls.called()) return;
  }
}

void attend_to_messages(stack& self) noexcept {
  if (management* const managed = self.worker->pool->managed.get()) managed->attend(self);
}

void management::look_for_work(worker& here) noexcept {
  managed_worker& m = at(here.id);
  std::uint64_t more = 0;
  if (m.part.awake() || m.believed_busy || m.calls.maybe_called()) act_as_owner(here, false, more);
  if (is_dedicated(here.id)) return run_managers(here);
  time_passes(here.id);
  if (++m.rounds % rounds_before_rescue == 0) rescue_letters(here);
}

/// Runs for about as long as a round of another policy on a large machine; then the worker checks whether it has other work.
void management::run_managers(worker& here) noexcept {
  constexpr std::int64_t enough_ns = 20'000;
  serve(here.id - first_dedicated(), [&](std::int64_t quiet_ns) {
    return quiet_ns < enough_ns && !has_ready(here) && !pool_.external_threads_want(here) &&
           !at(here.id).calls.maybe_called();
  });
}

void management::say_idle(worker& here) noexcept {
  std::uint64_t more = 0;
  const managed_worker& m = at(here.id);
  if (m.part.awake() || m.believed_busy) act_as_owner(here, false, more);
}

bool management::ends(worker& here) noexcept {
  managed_worker& m = at(here.id);
  return m.end.ends([&] { return m.letters.any(); });
}

void management::leave(worker& here) noexcept {
  std::uint64_t more = 0;
  act_as_owner(here, false, more);
}

void management::pass_on(worker& here) noexcept {
  if (tree.workers() == 1) return;
  managed_worker& m = at(here.id);
  const auto next = managers::worker_party((here.id + 1) % tree.workers());
  act_at(m, here, [&](outbox& out) {
    // These tasks answer no request, so none is marked as the last one.
    for (std::uint64_t taken = 1; load_of_tasks(here) != 0;) {
      const task_descriptor one = m.seen.take_group_task(taken);
      if (taken == 0) break;
      out.push_back({managers::worker_party(here.id), next, managers::task{one, false}});
    }
    m.part.queue_changed(out);
  });
}

// ---- posting to workers

void management::call(worker_id worker) noexcept {
  core::worker& to = pool_.at(worker);
  at(worker).calls.call();
  // seq_cst: a stack that attaches here after this load checks whether it was called.
  if (stack* const s = to.current.load(std::memory_order_seq_cst)) summons<host_platform>::lower(*s);
  summons<host_platform>::lower(to.tasks);
  host_platform::
      light_fence();  // partner: the fences of a worker that parks and then checks whether it was called
  if (pool_.idle.is_asleep(worker)) pool_.idle.wake(worker);
}

bool management::post_to_worker(envelope message) noexcept {
  const worker_id to = message.to.index;
  const bool brings_task = std::holds_alternative<managers::task>(message.content);
  const auto* const asks = std::get_if<managers::steal>(&message.content);
  const worker_id thief = asks && asks->tasks_to_transfer != 0 ? asks->thief.index : to;
  at(to).letters.post(new letter{nullptr, std::move(message)});
  call(to);
  const stack* const s = current_stack();
  worker* const here = s && s->pool == &pool_ ? s->worker : nullptr;
  if (here && here->id == to) return false;
  if (brings_task && here && at(to).end.has_ended()) {
    act_at(at(to), *here, [](outbox&) {});
    return false;
  }
  // The thief is about to be sent tasks, and must watch the time meanwhile.
  if (thief != to && pool_.idle.is_asleep(thief)) pool_.idle.wake(thief);
  // The receiver may be in a long task; then another worker can take the messages (rescue_letters).
  if (brings_task && here && pool_.at(to).running.load(std::memory_order_relaxed)) pool_.published(*here);
  return false;
}

// ---- messages of workers that do not read them

bool management::any_letters() const noexcept {
  return std::ranges::any_of(managed_workers_, [](const managed_worker& m) { return m.letters.any(); });
}

void management::rescue_letters(worker& here) noexcept {
  for (std::size_t level = 0; level < pool_.placed.levels(); ++level)
    for (const worker_id other : pool_.placed.at_distance(here.id, level))
      if (take_letters_of(other, here)) return;
}

bool management::take_letters_of(worker_id other, worker& here) noexcept {
  managed_worker& m = at(other);
  if (!m.letters.any()) return false;
  if (!pool_.at(other).running.load(std::memory_order_relaxed)) {
    if (pool_.idle.is_asleep(other)) pool_.idle.wake(other);
    return false;  // it reads its messages itself
  }
  bool must_answer = false;  // by itself: only the owner knows how many tasks it has
  act_at(m, here, [&](outbox&) { must_answer = m.part.owes_answers() || m.part.believed_busy(); });
  if (must_answer) call(other);
  return load_of_tasks(here) != 0;
}

bool management::may_touch(const worker& of) const noexcept {
  const stack* const self = current_stack();
  return rescue || (self && self->worker == &of);
}

}  // namespace skua::core
