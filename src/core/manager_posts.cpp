#include "core/manager_posts.hpp"

namespace skua::core {

using managers::envelope;
using managers::party;

namespace {

/// How long a STEAL may go unanswered before it is withdrawn: between one and two of these. A thief polls for 20
/// microseconds before it sleeps, so it is about to give up by then.
constexpr std::int64_t answer_interval_ns = 25'000;

}  // namespace

manager_posts::manager_posts(std::uint32_t workers, std::uint32_t radix, managers::manager_options options,
                             managers::reduction* reductions)
    : tree(workers, radix) {
  for (managers::level_id level = 0; level < tree.levels(); ++level)
    for (std::uint32_t i = 0; i < tree.managers(level); ++i)
      every_manager.emplace_back(tree, managers::manager_party(level, i), options, reductions);
}

manager_posts::~manager_posts() {
  for (manager_place& m : every_manager) read_all(m.letters, [](const envelope&) {});
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
    if (to.height == 0) {
      if (post_to_worker(std::move(e))) free.push_back(to);
      continue;
    }
    manager_place& m = at(to);
    if (m.letters.post(new letter{nullptr, std::move(e)}) == found_holder::nobody && !left_to_dedicated(m))
      free.push_back(to);
  }
  out.clear();
}

void manager_posts::run_if_free(party who, parties& free) noexcept {
  if (who.height == 0) return run_worker(who.index, free);
  manager_place& m = at(who);
  if (m.letters.try_hold()) run_manager(m, free, false);
}

void manager_posts::run_manager(manager_place& m, parties& free, bool time_passes) noexcept {
  outbox out;
  if (time_passes) m.machine.time_passed(out);
  do {
    read_all(m.letters, [&](envelope e) { m.machine.receive(std::move(e), out); });
    post(out, free);
  } while (!m.letters.try_release());
}

void manager_posts::tell_time(manager_place& m) noexcept {
  const std::int64_t now = host_platform::now_ns();
  if (now - m.last_time.load(std::memory_order_relaxed) < answer_interval_ns || !m.letters.try_hold()) return;
  m.last_time.store(now, std::memory_order_relaxed);
  parties free;
  run_manager(m, free, true);
  run_all(free);
}

void manager_posts::time_passes(std::uint32_t worker) noexcept {
  for (party m = managers::worker_party(worker); m != tree.root();) {
    m = tree.parent(m);
    if (!left_to_dedicated(at(m))) tell_time(at(m));
  }
}

}  // namespace skua::core
