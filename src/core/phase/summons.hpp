// Asking an owner to come by and read its letters, so that neither the call nor a letter gets lost.
//
// Who posts a letter calls and then lowers the limit of the owner's queues. The owner opens its limits and then looks
// whether it was called; all four are seq_cst, so either the owner sees the call, or the caller sees the open limit and
// lowers it, and the owner's next push comes to the slow path. Owners in their slow paths pay for that, pushes do not.
// Checked by tests/model/summons_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/queue/queue_operations.hpp"

namespace skua::core {

template <class P>
class summons {
 public:
  summons() { called_.store(0, std::memory_order_relaxed); }

  /// Anybody, after a letter. Then lower() for each queue of the owner, and wake it if it sleeps.
  void call() {
    // seq_cst: partner of called(), see above; and of answer(): the letter is there for who hears this, or a later
    // call.
    called_.exchange(1, std::memory_order_seq_cst);
  }
  static void lower(queue_of<P>& q) {
    // seq_cst: partner of open(), see above.
    if (q.limit.load(std::memory_order_seq_cst) != q.lowered)
      q.limit.store(q.lowered, std::memory_order_relaxed);
  }

  /// Owner, before it reads its letters.
  void answer() {
    // acquire: partner of call(); the letter.
    if (called_.load(std::memory_order_relaxed) != 0) called_.exchange(0, std::memory_order_acquire);
  }
  /// Owner: opens the fast path of a queue again; then it must look whether it was called().
  static void open(queue_of<P>& q) {
    // seq_cst: partner of lower(), see above.
    q.limit.store(open_limit<P>(q), std::memory_order_seq_cst);
  }
  // seq_cst: partner of call(), see above.
  bool called() const { return called_.load(std::memory_order_seq_cst) != 0; }
  /// A guess, for those who will look again.
  bool maybe_called() const { return called_.load(std::memory_order_relaxed) != 0; }

 private:
  typename P::template atomic<std::uint32_t> called_;
};

}  // namespace skua::core
