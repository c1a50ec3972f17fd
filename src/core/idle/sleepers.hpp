// Which workers search and which sleep: the idle protocol. src/core/idle/sleep.md explains and proves it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/idle/idle_counts.hpp"
#include "core/locks/spin_pause.hpp"

namespace skua::core {

/// `GroupSize` as in idle_counts.
template <class P, std::size_t GroupSize = 8>
class sleepers {
 public:
  // waking: another thread wakes it, and has not yet counted it as searching. It must not continue before that.
  // Otherwise it could stop searching before it is counted, and a publisher would rely on a searcher that does not
  // exist.
  // watching: displaced by an external thread that keeps the worker between its calls; wakes on a timer to look after it.
  enum state : std::uint32_t { awake = 0, asleep = 1, displaced = 2, waking = 3, watching = 4 };

  explicit sleepers(std::size_t workers) : parked_(new parked_word[workers]) {
    for (std::size_t i = 0; i < workers; ++i) parked_[i].word.store(awake, std::memory_order_relaxed);
  }

  /// As idle_counts::use_groups().
  void use_groups(std::size_t workers) { counts_.use_groups(workers); }

  /// seq_cst: partner of restore(). A worker that begins a task sets `running` and then looks here. An external thread
  /// that leaves restores the sleeper and then looks at `running`, to save a fence if no worker runs.
  idle_count count() const { return counts_.read(); }

  void begin_search(std::size_t i) { counts_.begin_search(i); }

  /// True when the caller was the last searcher and others sleep. It must then wake one of them: a thread that published
  /// work meanwhile may have relied on it.
  bool end_search(std::size_t i) {
    const bool last = counts_.end_search(i);
    P::light_fence();  // partner of a sleeper's: the caller sees that it is asleep, or the sleeper sees the work
    return last;
  }

  /// A searcher parks. The caller then runs P::heavy_fence(), lowers the limits of the running workers, runs
  /// P::heavy_fence() again, looks for work once more, and either unpark()s or sleeps. The fences order what is relaxed
  /// here: every other thread has a P::light_fence() between what it publishes and its look at the count or at a word.
  void park(std::size_t i) {
    counts_.falls_asleep(i);
    parked_[i].word.store(asleep, std::memory_order_relaxed);
  }

  /// The sleeper itself continues, as a searcher. Correct also when another thread wakes it meanwhile.
  void unpark(std::size_t i) {
    if (begin_waking(i))
      parked_[i].word.store(awake, std::memory_order_relaxed);
    else
      for (spin_pause<P> pause; parked_[i].word.load(std::memory_order_acquire) == waking;) pause();
  }

  /// For a publisher, after its publication and P::light_fence(): whether a sleeper must be woken.
  bool must_wake() const {
    const idle_count c = count();
    return c.sleeping != 0 && c.searching == 0;
  }

  /// Wakes `i` if it sleeps. It then counts as searching already, so that no thread wakes a second worker for the same
  /// work.
  bool wake(std::size_t i) {
    if (!begin_waking(i)) return false;
    // release: partner of the sleeper's acquire; what it does to the count comes after begin_waking().
    parked_[i].word.store(awake, std::memory_order_release);
    P::unpark(parked_[i].word);
    return true;
  }

  /// seq_cst: partner of restore().
  bool is_asleep(std::size_t i) const { return parked_[i].word.load(std::memory_order_seq_cst) == asleep; }
  auto& word(std::size_t i) { return parked_[i].word; }

  /// An external thread has attached to the worker of a sleeper, which then no longer counts.
  void displace(std::size_t i) {
    std::uint32_t expected = asleep;
    if (parked_[i].word.compare_exchange_strong(expected, displaced, std::memory_order_relaxed,
                                                std::memory_order_relaxed))
      counts_.remove_sleeper();
  }
  /// The external thread has left: the displaced thread counts as a sleeper again. True when there was one.
  bool restore(std::size_t i) {
    // seq_cst: partner of park_displaced(). The external thread has freed the worker before this load; the displaced
    // thread looks at the worker after its store.
    std::uint32_t expected = parked_[i].word.load(std::memory_order_seq_cst);
    if (!is_displaced(expected)) return false;
    // seq_cst: partner of is_asleep(), as add_sleeper() is of count(). If a worker misses one of them, the caller sees
    // that it runs.
    counts_.add_sleeper();
    do {
      if (parked_[i].word.compare_exchange_strong(expected, asleep, std::memory_order_seq_cst,
                                                  std::memory_order_relaxed))
        return true;
    } while (is_displaced(expected));
    counts_.remove_sleeper();
    return false;
  }
  /// For an external thread that begins to keep the worker, or for the worker's own thread when it finds that the
  /// worker is kept: from now on the own thread wakes on a timer. A thread that was restored too late, because the worker was
  /// taken meanwhile, is displaced again. False when the own thread is awake: then it will find out itself.
  bool watch(std::size_t i) {
    for (;;) {
      // seq_cst: partner of park_displaced() and restore(), after which that thread looks whether the worker is kept.
      std::uint32_t now = parked_[i].word.load(std::memory_order_seq_cst);
      if (now == asleep) {
        displace(i);
      } else if (now != displaced) {
        return false;
      } else if (parked_[i].word.compare_exchange_strong(now, watching, std::memory_order_relaxed,
                                                         std::memory_order_relaxed)) {
        P::unpark(parked_[i].word);  // it may sleep without a timer
        return true;
      }
    }
  }
  /// For the own thread: it needs no timer any more.
  void stop_watching(std::size_t i) {
    std::uint32_t expected = watching;
    parked_[i].word.compare_exchange_strong(expected, displaced, std::memory_order_relaxed,
                                            std::memory_order_relaxed);
  }
  /// A worker's own thread that finds an external thread attached, and is not counted at all, parks as displaced.
  void park_displaced(std::size_t i) { parked_[i].word.store(displaced, std::memory_order_seq_cst); }
  /// Takes park_displaced() back. True when it counts as searching, because external threads have come and gone
  /// meanwhile.
  bool unpark_displaced(std::size_t i) {
    for (;;) {
      for (std::uint32_t expected = displaced; is_displaced(expected);)
        if (parked_[i].word.compare_exchange_strong(expected, awake, std::memory_order_relaxed,
                                                    std::memory_order_relaxed))
          return false;
      unpark(i);
      if (parked_[i].word.load(std::memory_order_acquire) == awake) return true;
    }
  }

 private:
  static bool is_displaced(std::uint32_t state) { return state == displaced || state == watching; }

  // Only one of several wakers wins. The caller then sets `awake`.
  bool begin_waking(std::size_t i) {
    std::uint32_t expected = asleep;
    if (!parked_[i].word.compare_exchange_strong(expected, waking, std::memory_order_relaxed,
                                                 std::memory_order_relaxed))
      return false;
    counts_.wakes(i);
    return true;
  }

  struct alignas(64) parked_word {
    typename P::template atomic<std::uint32_t> word;
  };
  idle_counts<P, GroupSize> counts_;
  std::unique_ptr<parked_word[]> parked_;
};

}  // namespace skua::core
