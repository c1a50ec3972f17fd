#include "core/phase/manager_posts.hpp"

#include "core/locks/spin_pause.hpp"
#include "core/record/slices.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

using managers::envelope;
using managers::party;

namespace {

/// A STEAL message that stays unanswered is withdrawn after one to two of these intervals. A thief polls for 20
/// microseconds before it sleeps, so it is about to give up by then.
constexpr std::int64_t answer_interval_ns = 25'000;

/// Adds the message to the trace line of the worker that posts it.
void trace(const envelope& e) noexcept {
  stack* const self = current_stack();
  if (self && self->worker && self->worker->observer.events)
    trace_message(*self->worker, e, host_platform::ticks());
}

}  // namespace

void trace_message(worker& from, const envelope& e, std::uint64_t ticks) noexcept {
  if (!from.observer.events) return;
  const observe::trace_message sent{.type = static_cast<std::uint8_t>(e.content.index()),
                                    .from_height = static_cast<std::uint8_t>(e.from.height),
                                    .to_height = static_cast<std::uint8_t>(e.to.height),
                                    .from = static_cast<std::uint16_t>(e.from.index),
                                    .to = static_cast<std::uint16_t>(e.to.index)};
  from.observer.events->add({ticks, sent.pack(), observe::trace_kind::message});
}

manager_posts::manager_posts(std::uint32_t workers, std::uint32_t radix, managers::manager_options options,
                             managers::reduction* reductions, std::uint32_t dedicated)
    : tree(workers, radix), serving_(dedicated) {
  host_platform::made_words(serving_.get(), serving_.size() * sizeof(shared<bool>));
  for (managers::level_id level = 0; level < tree.levels(); ++level)
    for (std::uint32_t i = 0; i < tree.managers(level); ++i)
      every_manager.emplace_back(tree, managers::manager_party(level, i), options, reductions);
}

manager_posts::~manager_posts() {
  for (posted_manager& m : every_manager) read_all(m.letters, [](const envelope&) {});
}

void manager_posts::send(outbox& out) noexcept {
  if (out.empty()) return;
  parties free;
  post(out, free);
  run_all(free);
}

void manager_posts::run_all(parties& free) noexcept {
  while (!free.empty()) {
    const party next = free.back();
    free.pop_back();
    run_if_free(next, free);
  }
}

void manager_posts::post(outbox& out, parties& free) noexcept {
  for (envelope& e : out) {
    const party to = e.to;
    trace(e);
    if (to.height == 0) {
      if (post_to_worker(std::move(e))) free.push_back(to);
      continue;
    }
    posted_manager& m = at(to);
    if (m.letters.post(new letter{nullptr, std::move(e)}) == found_holder::none && !left_to_dedicated(m))
      free.push_back(to);
  }
  out.clear();
}

void manager_posts::run_if_free(party next, parties& free) noexcept {
  if (next.height == 0) return run_worker(next.index, free);
  posted_manager& m = at(next);
  if (m.letters.try_hold()) run_manager(m, free, false);
}

void manager_posts::run_manager(posted_manager& m, parties& free, bool time_passes) noexcept {
  outbox out;
  if (time_passes) m.machine.time_passed(out);
  do {
    read_all(m.letters, [&](envelope e) { m.machine.receive(std::move(e), out); });
    post(out, free);
  } while (!m.letters.try_release());
}

void manager_posts::report_time(posted_manager& m) noexcept {
  const std::int64_t now = host_platform::now_ns();
  if (now - m.last_time.load(std::memory_order_relaxed) < answer_interval_ns || !m.letters.try_hold()) return;
  m.last_time.store(now, std::memory_order_relaxed);
  parties free;
  run_manager(m, free, true);
  run_all(free);
}

// ---- dedicated managers

/// A dedicated thread that stops serving first clears `serving_`, and then holds each of its mailboxes once.
bool manager_posts::left_to_dedicated(const posted_manager& m) const noexcept {
  if (dedicated() == 0) return false;
  // acquire: partner of the try_release() that stop_serving() calls, if it came before this sender's post.
  m.letters.word().load(std::memory_order_acquire);
  return serving_[server_of(m)].load(std::memory_order_relaxed);
}

/// False when there was no message for any of its managers.
bool manager_posts::serve_once(std::uint32_t which) noexcept {
  bool any = false;
  for (posted_manager& m : every_manager) {
    if (server_of(m) != which) continue;
    if (m.letters.any()) {
      any = true;
      parties free{m.self};
      run_all(free);
    } else {
      report_time(m);
    }
  }
  return any;
}

void manager_posts::stop_serving(std::uint32_t which) noexcept {
  serving_[which].store(false, std::memory_order_relaxed);
  // Senders that posted before this thread holds the mailbox relied on this thread; later senders see that it does not
  // serve.
  for (posted_manager& m : every_manager) {
    if (server_of(m) != which) continue;
    for (spin_pause<host_platform> pause; !m.letters.try_hold();) pause();
    parties free;
    run_manager(m, free, false);
    run_all(free);
  }
}

void manager_posts::time_passes(std::uint32_t worker) noexcept {
  for (party m = managers::worker_party(worker); m != tree.root();) {
    m = tree.parent(m);
    if (!left_to_dedicated(at(m))) report_time(at(m));
  }
}

}  // namespace skua::core
