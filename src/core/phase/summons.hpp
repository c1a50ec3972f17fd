// Asking an owner to read its messages in its next slow path, so that neither the call nor a message gets lost.
//
// A sender posts a message, calls the owner, and then lowers the limit of the owner's queues. The owner opens its
// limits and then checks whether it was called. All four operations are seq_cst: either the owner sees the call, or the
// sender sees the open limit and lowers it, and the owner's next push takes the slow path. Owners pay for this in their
// slow paths; the fast path of a push does not. Checked by tests/model/summons_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/queue/queue_operations.hpp"

namespace skua::core {

template <class P>
class summons {
 public:
  summons() { called_.store(0, std::memory_order_relaxed); }

  /// Sender, after it has posted. It then calls lower() for each queue of the owner, and wakes the owner if it sleeps.
  void call() {
    // seq_cst: partner of called(), see above; and of answer(): an owner that sees this call or a later one sees the
    // message.
    called_.exchange(1, std::memory_order_seq_cst);
  }
  static void lower(queue_of<P>& q) {
    // seq_cst: partner of open(), see above.
    if (q.limit.load(std::memory_order_seq_cst) != q.lowered)
      q.limit.store(q.lowered, std::memory_order_relaxed);
  }

  /// Owner, before it reads its messages.
  void answer() {
    // acquire: partner of call(); it makes the message visible.
    if (called_.load(std::memory_order_relaxed) != 0) called_.exchange(0, std::memory_order_acquire);
  }
  /// Owner: opens the fast path of a queue again. It must then check called().
  static void open(queue_of<P>& q) {
    // seq_cst: partner of lower(), see above.
    q.limit.store(open_limit<P>(q), std::memory_order_seq_cst);
  }
  // seq_cst: partner of call(), see above.
  bool called() const { return called_.load(std::memory_order_seq_cst) != 0; }
  /// A hint, for callers that check again later.
  bool maybe_called() const { return called_.load(std::memory_order_relaxed) != 0; }

 private:
  typename P::template atomic<std::uint32_t> called_;
};

}  // namespace skua::core
