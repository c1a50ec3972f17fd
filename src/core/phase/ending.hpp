// How a thread that reads letters ends: the sender takes back a letter that the thread no longer reads.
//
// The reader says that it ends and then looks for letters once more. A sender posts and then looks whether the reader has
// ended. Both access one word by read-modify-writes, and one of the two comes first: either the sender sees the end, or
// the reader sees the letter. Checked by tests/model/ending_test.cpp.
#pragma once

#include <atomic>

namespace skua::core {

template <class P>
class ending {
 public:
  ending() { ended_.store(0, std::memory_order_relaxed); }

  /// Reader: whether it may end. If not, any_letters() was true, and it must read them and ask again.
  template <class AnyLetters>
  bool ends(AnyLetters any_letters) {
    // acquire: partner of has_ended(); this thread sees the letters of all senders that have not seen it.
    P::quietly(ended_).exchange(1, std::memory_order_acquire);
    if (!any_letters()) return true;
    P::quietly(ended_).store(0, std::memory_order_relaxed);
    return false;
  }

  /// Sender, after it has posted: whether it must take its letter back. The reader or another sender may take it too.
  bool has_ended() {
    // release, and a read-modify-write: partner of ends().
    return P::quietly(ended_).fetch_add(0, std::memory_order_release) != 0;
  }

 private:
  typename P::template atomic<int> ended_;  // quietly: no time passes for it on a simulated machine
};

}  // namespace skua::core
