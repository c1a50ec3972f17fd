// Managers as passive state: each behind a mailbox, and run by any thread that posts to it and finds no holder.
//
// Phases (phase_run.hpp) and the policy `managers` (management.hpp) both use this. They differ in how a worker gets its
// messages, so that part is virtual.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/for_simulator.hpp"
#include "base/sure_memory.hpp"
#include "core/phase/mailbox.hpp"
#include "core/platform/platform.hpp"
#include "core/queue/shared_words.hpp"
#include "managers/manager.hpp"
#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"

namespace skua::core {

struct worker;

/// Adds a message to the trace, on the line of the worker that sends it; does nothing without a trace.
SKUA_FOR_SIMULATOR void trace_message(worker& from, const managers::envelope& sent,
                                      std::uint64_t ticks) noexcept;

struct letter {
  letter* next;
  managers::envelope content;

  // It is made where nothing may throw.
  static void* operator new(std::size_t bytes) noexcept { return base::sure_allocate(bytes); }
  static void operator delete(void* memory, std::size_t bytes) noexcept {
    base::sure_deallocate(memory, bytes);
  }
};
using letterbox = mailbox<host_platform, letter>;

/// Takes all messages out of a mailbox that the caller holds.
template <class Read>
void read_all(letterbox& letters, Read read) {
  for (letter* l = letters.take_all(); l;) {
    letter* const next = l->next;
    read(std::move(l->content));
    delete l;
    l = next;
  }
}

/// A manager with its mailbox.
struct alignas(detail::line_pair) posted_manager : on_new_words<posted_manager> {
  posted_manager(const managers::manager_tree& tree, managers::party manager_party,
                 managers::manager_options options, managers::reduction* reductions)
      : self(manager_party), machine(tree, manager_party, options, reductions) {}
  const managers::party self;
  letterbox letters;
  managers::manager machine;
  shared<std::int64_t> last_time{0};  // when the manager was last told the time
};

class manager_posts {
 public:
  using outbox = managers::outbox;
  /// Parties that were posted a message while their mailbox had no holder, and must be run.
  using parties = base::sure_vector<managers::party>;

  /// Sends the messages, and runs every free party that has got one, until none is left. Not recursive, because the
  /// chain of messages that follow from messages has no bound.
  void send(outbox& out) noexcept;
  void run_all(parties& free) noexcept;
  /// Called while the sender's mailbox is still held, so that its next messages cannot overtake these.
  void post(outbox& out, parties& free) noexcept;
  /// The caller holds the manager's mailbox; it is released on return.
  void run_manager(posted_manager& m, parties& free, bool time_passes) noexcept;
  void report_time(posted_manager& m) noexcept;
  /// Called by a worker that waits: its managers check whether their requests were answered.
  void time_passes(std::uint32_t worker) noexcept;

  const managers::manager_tree tree;
  std::deque<posted_manager> every_manager;
  posted_manager& at(managers::party manager) noexcept {
    return every_manager[tree.number_of(manager) - tree.workers()];
  }

 protected:
  /// With dedicated threads each manager belongs to one of them. While that thread serves, no other thread runs the
  /// manager.
  manager_posts(std::uint32_t workers, std::uint32_t radix, managers::manager_options options,
                managers::reduction* reductions, std::uint32_t dedicated = 0);
  ~manager_posts();
  manager_posts(const manager_posts&) = delete;
  manager_posts& operator=(const manager_posts&) = delete;

  /// Puts the message into the worker's mailbox. True when the caller must call run_worker() afterwards.
  virtual bool post_to_worker(managers::envelope message) noexcept = 0;
  virtual void run_worker(std::uint32_t worker, parties& free) noexcept = 0;

  std::uint32_t dedicated() const noexcept { return static_cast<std::uint32_t>(serving_.size()); }
  /// Called by dedicated thread `which`: runs its managers while go_on(nanoseconds without a message) is true.
  /// Afterwards the senders run them again, so nothing depends on this thread.
  template <class GoOn>
  void serve(std::uint32_t which, GoOn go_on) noexcept;

 private:
  void run_if_free(managers::party next, parties& free) noexcept;
  bool left_to_dedicated(const posted_manager& m) const noexcept;
  std::uint32_t server_of(const posted_manager& m) const noexcept {
    return tree.thread_of(m.self, dedicated()) - tree.workers();
  }
  bool serve_once(std::uint32_t which) noexcept;
  void stop_serving(std::uint32_t which) noexcept;

  line_array<shared<bool>> serving_;  // for each dedicated thread
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
