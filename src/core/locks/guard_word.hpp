// A lock in one word, for an object in which a larger lock would take too much room. Threads hold it for a few
// instructions. A thread that waits for it spins, and yields its CPU now and then.
//
// The word is 0, or it names the process of its holder. A thread that held it when another one called fork() is missing in
// the child, where the word would stay taken for ever. So the word of another process counts as free. What it guards may be
// half changed then. lock_line begins anew there; the other holders keep the oldest of several exceptions, and may keep a
// later one or lose one that the missing thread was storing.
// Checked by tests/model/lock_line_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/locks/spin_pause.hpp"

namespace skua::core {

template <class P, class Word>
void take_guard(Word& word) noexcept {
  const int mine = static_cast<int>(P::process_of_waiters()) + 1;
  int seen = 0;
  // If not, the next attempt takes it from a thread that is missing.
  const auto is_held_here = [&] { return P::is_process_of_waiters(static_cast<std::uint32_t>(seen - 1)); };
  spin_pause<P> pause;
  // acquire: partner of leave_guard().
  while (!word.compare_exchange_strong(seen, mine, std::memory_order_acquire, std::memory_order_relaxed)) {
    if (!is_held_here()) continue;
    seen = 0;
    pause.until([&] { return (seen = word.load(std::memory_order_relaxed)) == 0 || !is_held_here(); });
  }
}

template <class Word>
void leave_guard(Word& word) noexcept {
  word.store(0, std::memory_order_release);  // partner: take_guard()
}

}  // namespace skua::core
