// Which workers are idle and which sleep: the idle protocol. The prose and the proof are in sleep.md beside this file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace skua::core {

/// Searching workers look for work; sleeping ones must be woken.
struct idle_count {
  std::uint32_t searching;
  std::uint32_t sleeping;
  bool any() const { return searching != 0 || sleeping != 0; }
};

template <class P>
class sleepers {
 public:
  // waking: somebody wakes it and has not yet counted it among those who search. It must not go on before
  // that, or it could stop searching before it has begun, and a publisher would rely on a searcher that is
  // none.
  enum state : std::uint32_t { awake = 0, asleep = 1, displaced = 2, waking = 3 };

  explicit sleepers(std::size_t workers) : parked_(new parked_word[workers]) {
    counts_.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < workers; ++i) parked_[i].word.store(awake, std::memory_order_relaxed);
  }

  /// seq_cst: partner of restore(). Who begins a task says so and then looks here; a guest that leaves
  /// restores the sleeper and then looks who has begun one, before it goes to the expense of a fence.
  idle_count count() const { return unpack(counts_.load(std::memory_order_seq_cst)); }

  void begin_search() { counts_.fetch_add(one_searching, std::memory_order_relaxed); }

  /// True when the caller was the last one searching while others sleep: it must wake one in its place, since
  /// work published while it searched may have relied on it.
  bool end_search() {
    const idle_count before = unpack(counts_.fetch_sub(one_searching, std::memory_order_relaxed));
    P::light_fence();  // partner of a sleeper's: the caller sees that it is asleep, or it sees the work
    return before.searching == 1 && before.sleeping != 0;
  }

  /// A searcher lies down. The caller then runs P::heavy_fence(), lowers the limits of those at work, runs
  /// P::heavy_fence() again, looks for work once more, and either rises() or sleeps. The fences order what is
  /// relaxed here: everybody else has a P::light_fence() between what he publishes and a look at the count or
  /// at a word.
  void park(std::size_t i) {
    counts_.fetch_add(one_sleeping - one_searching, std::memory_order_relaxed);
    parked_[i].word.store(asleep, std::memory_order_relaxed);
  }

  /// The sleeper itself gets up, as a searcher. Also right when somebody wakes it meanwhile.
  void unpark(std::size_t i) {
    if (begin_waking(i))
      parked_[i].word.store(awake, std::memory_order_relaxed);
    else
      while (parked_[i].word.load(std::memory_order_acquire) == waking) P::relax();
  }

  /// Publisher, after its publication and P::light_fence(): whether somebody must be woken.
  bool must_wake() const {
    const idle_count c = count();
    return c.sleeping != 0 && c.searching == 0;
  }

  /// Wakes `i` if it sleeps; it then counts as searching already, so that nobody wakes a second one for the
  /// same work.
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

  /// A guest takes the place of a sleeper, which then no longer counts.
  void displace(std::size_t i) {
    std::uint32_t expected = asleep;
    if (parked_[i].word.compare_exchange_strong(expected, displaced, std::memory_order_relaxed,
                                                std::memory_order_relaxed))
      counts_.fetch_sub(one_sleeping, std::memory_order_relaxed);
  }
  /// The guest has left: the displaced thread counts as a sleeper again. True when it did.
  bool restore(std::size_t i) {
    std::uint32_t expected = displaced;
    // seq_cst: partner of park_displaced(); the guest has freed the place before, the thread looks at it
    // after.
    if (parked_[i].word.load(std::memory_order_seq_cst) != displaced) return false;
    // seq_cst, both: partners of count() and is_asleep(). Who misses one of them is seen by the caller to
    // run.
    counts_.fetch_add(one_sleeping, std::memory_order_seq_cst);
    if (parked_[i].word.compare_exchange_strong(expected, asleep, std::memory_order_seq_cst,
                                                std::memory_order_relaxed))
      return true;
    counts_.fetch_sub(one_sleeping, std::memory_order_relaxed);
    return false;
  }
  /// A worker that finds a guest in its place, and is not counted at all, parks as displaced.
  void park_displaced(std::size_t i) { parked_[i].word.store(displaced, std::memory_order_seq_cst); }
  /// And takes that back. True when it counts as searching, since guests have come and gone meanwhile.
  bool unpark_displaced(std::size_t i) {
    for (;;) {
      std::uint32_t expected = displaced;
      if (parked_[i].word.compare_exchange_strong(expected, awake, std::memory_order_relaxed,
                                                  std::memory_order_relaxed))
        return false;
      unpark(i);
      if (parked_[i].word.load(std::memory_order_acquire) == awake) return true;
    }
  }

 private:
  static constexpr std::uint64_t one_searching = 1;
  static constexpr std::uint64_t one_sleeping = std::uint64_t{1} << 32;

  static idle_count unpack(std::uint64_t word) {
    return {static_cast<std::uint32_t>(word), static_cast<std::uint32_t>(word >> 32)};
  }

  // Only one of several wakers wins. The caller then sets `awake`.
  bool begin_waking(std::size_t i) {
    std::uint32_t expected = asleep;
    if (!parked_[i].word.compare_exchange_strong(expected, waking, std::memory_order_relaxed,
                                                 std::memory_order_relaxed))
      return false;
    counts_.fetch_add(one_searching - one_sleeping, std::memory_order_relaxed);
    return true;
  }

  struct alignas(64) parked_word {
    typename P::template atomic<std::uint32_t> word;
  };
  typename P::template atomic<std::uint64_t> counts_;
  std::unique_ptr<parked_word[]> parked_;
};

}  // namespace skua::core
