// Managers as passive state: each behind a mailbox, and run by whoever posts to it and finds nobody holding it.
//
// Phases (phase_run.hpp) and the policy `managers` (management.hpp) both have one; how a worker gets its messages
// differs, so that is asked of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/phase/mailbox.hpp"
#include "core/platform/platform.hpp"
#include "core/queue/shared_words.hpp"
#include "managers/manager.hpp"
#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"

namespace skua::core {

struct worker;

/// In the trace, on the line of a worker that sends it, then; nothing without one.
void draw_message(worker& from, const managers::envelope& sent, std::uint64_t ticks) noexcept;

struct letter {
  letter* next;
  managers::envelope content;
};
using letterbox = mailbox<host_platform, letter>;

/// Takes out what lies in a mailbox; the caller holds it.
template <class Read>
void read_all(letterbox& letters, Read read) {
  for (letter* l = letters.take_all(); l;) {
    letter* const next = l->next;
    read(std::move(l->content));
    delete l;
    l = next;
  }
}

/// A manager, run by whoever posts to it and finds it free.
struct manager_seat : on_new_words<manager_seat> {
  manager_seat(const managers::manager_tree& tree, managers::party who, managers::manager_options options,
               managers::reduction* reductions)
      : self(who), machine(tree, who, options, reductions) {}
  const managers::party self;
  letterbox letters;
  managers::manager machine;
  shared<std::int64_t> last_time{0};  // when it was told last that time has passed
};

class manager_posts {
 public:
  using outbox = managers::outbox;
  /// Who has been posted something and was not held.
  using parties = std::vector<managers::party>;

  /// Sends, and runs everybody that is free and has been sent something, until nobody is left. Not recursive: a message
  /// may cause others without end.
  void send(outbox& out) noexcept;
  void run_all(parties& free) noexcept;
  /// While its sender is still held, so that what it sends next cannot overtake this.
  void post(outbox& out, parties& free) noexcept;
  /// The caller holds it, and does not afterwards.
  void run_manager(manager_seat& m, parties& free, bool time_passes) noexcept;
  void tell_time(manager_seat& m) noexcept;
  /// By a worker that waits: its managers look after what they have asked for.
  void time_passes(std::uint32_t worker) noexcept;

  const managers::manager_tree tree;
  std::deque<manager_seat> every_manager;
  manager_seat& at(managers::party manager) noexcept {
    return every_manager[tree.number_of(manager) - tree.workers()];
  }

 protected:
  /// With so many dedicated threads each manager belongs to one of them, and while that serves nobody else runs it.
  manager_posts(std::uint32_t workers, std::uint32_t radix, managers::manager_options options,
                managers::reduction* reductions, std::uint32_t dedicated = 0);
  ~manager_posts();
  manager_posts(const manager_posts&) = delete;
  manager_posts& operator=(const manager_posts&) = delete;

  /// Puts it into the worker's mailbox. True when somebody must run_worker() afterwards.
  virtual bool post_to_worker(managers::envelope message) noexcept = 0;
  virtual void run_worker(std::uint32_t worker, parties& free) noexcept = 0;

  std::uint32_t dedicated() const noexcept { return static_cast<std::uint32_t>(serving_.size()); }
  /// By dedicated thread `which`: runs its managers as long as go_on(nanoseconds without a message). Afterwards whoever
  /// posts to them runs them again, so nothing depends on this thread.
  template <class GoOn>
  void serve(std::uint32_t which, GoOn go_on) noexcept;

 private:
  void run_if_free(managers::party who, parties& free) noexcept;
  bool left_to_dedicated(const manager_seat& m) const noexcept;
  std::uint32_t server_of(const manager_seat& m) const noexcept {
    return tree.thread_of(m.self, dedicated()) - tree.workers();
  }
  bool serve_once(std::uint32_t which) noexcept;
  void stop_serving(std::uint32_t which) noexcept;

  line_array<shared<bool>> serving_;  // by dedicated thread
};

template <class GoOn>
void manager_posts::serve(std::uint32_t which, GoOn go_on) noexcept {
  serving_[which].store(true, std::memory_order_relaxed);
  std::int64_t quiet_since = host_platform::now_ns();
  while (go_on(host_platform::now_ns() - quiet_since)) {
    if (serve_once(which)) quiet_since = host_platform::now_ns();
    host_platform::yield_thread();
  }
  stop_serving(which);
}

}  // namespace skua::core
