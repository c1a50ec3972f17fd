// The platform of the model tests: Relacy's atomics with the interface of std::atomic, so that the tests check the
// templates that ship. Each memory order in them can be weakened separately (mutants.hpp).
//
// This platform is stricter than Relacy itself in two points:
// - light_fence() and heavy_fence() order each other and nothing else (P1202). A light fence alone is no fence between
//   threads, so it hides no missing release; Relacy's own seq_cst fence would.
// - A relaxed store ends a release sequence, as in C++20.
//
// Relacy does not model a load that returns a value stored later, so an order that keeps a load before a later store
// cannot fail. Nor does it model a read-modify-write that overtakes another one, or a compare-and-swap that fails
// because it reads an old value.
#pragma once

#include <cstddef>
#include <cstdint>

// relacy.hpp is not included, because its macros rename memory orders, new and free.
#include <relacy/base.hpp>
#include <relacy/context.hpp>
#include <relacy/context_base_impl.hpp>
#include <relacy/waitset.hpp>
// Ending a release sequence needs the history of an atomic, which is private. All files that this header includes are
// included above.
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wkeyword-macro"
#endif
#define private public
#include <relacy/atomic.hpp>
#undef private
#ifdef __clang__
#pragma clang diagnostic pop
#endif
#include <relacy/stdlib/condition_variable.hpp>
#include <relacy/stdlib/event.hpp>
#include <relacy/stdlib/mutex.hpp>
#include <relacy/stdlib/semaphore.hpp>
#include <relacy/test_suite.hpp>
#include <relacy/var.hpp>

#include "sites.hpp"

namespace skua::model {

constexpr int max_threads = 4;

/// The part of one run that Relacy does not model: where threads are parked, and what the asymmetric fences have
/// ordered.
struct unmodelled_state {
  const void* parked_on[max_threads];
  rl::timestamp_t seen_by_heavy[max_threads];  // everything before any thread's light fence
  rl::timestamp_t seen_by_light[max_threads];  // everything before a heavy fence
  void (*end_release_sequence)(rl::atomic_data*);

  static void join(rl::timestamp_t* to, const rl::timestamp_t* from) {
    for (int i = 0; i < rl::ctx().get_thread_count(); ++i)
      if (to[i] < from[i]) to[i] = from[i];
  }
};
inline unmodelled_state now;

inline rl::memory_order relacy_order(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    default:
      return rl::mo_seq_cst;
  }
}

template <class T>
class atomic {
 public:
  atomic() = default;
  explicit atomic(T v) { value_.store(v, rl::mo_relaxed, info(site::here())); }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(std::memory_order order, site at = site::here()) const {
    return value_.load(passed(at, "load", order), info(at));
  }
  void store(T v, std::memory_order order, site at = site::here()) {
    const rl::memory_order passed_order = passed(at, "store", order);
    value_.store(v, passed_order, info(at));
    if (passed_order == rl::mo_relaxed) now.end_release_sequence(value_.impl_);
  }
  T exchange(T v, std::memory_order order, site at = site::here()) {
    return value_.exchange(v, passed(at, "exchange", order), info(at));
  }
  T fetch_add(T v, std::memory_order order, site at = site::here()) {
    return value_.fetch_add(v, passed(at, "fetch_add", order), info(at));
  }
  T fetch_sub(T v, std::memory_order order, site at = site::here()) {
    return value_.fetch_sub(v, passed(at, "fetch_sub", order), info(at));
  }
  bool compare_exchange_weak(T& expected, T v, std::memory_order success, std::memory_order failure,
                             site at = site::here()) {
    return compare_exchange<true>(expected, v, success, failure, at);
  }
  bool compare_exchange_strong(T& expected, T v, std::memory_order success, std::memory_order failure,
                               site at = site::here()) {
    return compare_exchange<false>(expected, v, success, failure, at);
  }

  T newest() const { return value_.debug_value(); }

 private:
  static rl::debug_info info(const site& at) { return {at.function, at.file, at.line}; }
  static rl::memory_order passed(const site& at, const char* operation, std::memory_order order) {
    return relacy_order(sites::pass(at, operation, order));
  }

  // Relacy requires that the failure's order is no stronger than the success's, so the failure's acquire is a separate
  // load, with no other thread running in between.
  template <bool Weak>
  bool compare_exchange(T& expected, T v, std::memory_order success, std::memory_order failure,
                        const site& at) {
    const rl::memory_order on_success = passed(at, "compare_exchange", success);
    const rl::memory_order on_failure = passed(at, "compare_exchange failure", failure);
    rl::context& c = rl::ctx();
    c.sched();
    rl::preemption_disabler alone(c);
    if (value_.compare_exchange(rl::bool_t<Weak>(), expected, v, on_success, rl::mo_relaxed, info(at)))
      return true;
    if (on_failure != rl::mo_relaxed) value_.load(on_failure, info(at));
    return false;
  }

  rl::atomic<T> value_;
};

struct checked_atomics {
  template <class T>
  using atomic = model::atomic<T>;

  template <class T>
  static atomic<T>& quietly(atomic<T>& word) {
    return word;
  }
  template <class T>
  static const atomic<T>& quietly(const atomic<T>& word) {
    return word;
  }

  static void made_words(const void*, std::size_t) {}

  static void light_fence(site at = site::here()) {
    if (sites::removes(at, "light_fence")) return;
    rl::timestamp_t* mine = rl::ctx().threadx_->acq_rel_order_;
    unmodelled_state::join(mine, now.seen_by_light);
    unmodelled_state::join(now.seen_by_heavy, mine);
  }
};

struct checked_platform : checked_atomics {
  using atomics = checked_atomics;

  static void relax() { rl::ctx().yield(1, rl::debug_info("relax", __FILE__, __LINE__)); }
  static void yield_thread() { relax(); }

  static std::int64_t now_ns() { return 0; }
  static constexpr bool threads_take_turns() noexcept { return false; }
  static constexpr bool charges_code() noexcept { return false; }
  static constexpr std::uint32_t process_of_waiters() noexcept { return 0; }
  static constexpr bool is_process_of_waiters(std::uint32_t process) noexcept { return process == 0; }
  static constexpr bool heavy_fence_works() noexcept { return true; }
  static bool heavy_fence(site at = site::here()) {
    if (sites::removes(at, "heavy_fence")) return true;
    rl::ctx().atomic_thread_fence_seq_cst();
    rl::timestamp_t* mine = rl::ctx().threadx_->acq_rel_order_;
    unmodelled_state::join(mine, now.seen_by_heavy);
    unmodelled_state::join(mine, now.seen_by_light);
    unmodelled_state::join(now.seen_by_light, mine);
    return true;
  }

  static void wait_for_stores() {}

  // A futex: it compares in the kernel, orders no memory of the program, and may wake spuriously. A timer expires at once.
  static void park(atomic<std::uint32_t>& word, std::uint32_t expected, std::int64_t timeout_us = -1) {
    if (timeout_us >= 0) return relax();
    rl::context& c = rl::ctx();
    c.sched();
    if (word.newest() != expected) return;
    const int me = c.current_thread();
    now.parked_on[me] = &word;
    c.park_current_thread(false, c.is_random_sched(), false, rl::debug_info("park", __FILE__, __LINE__));
    now.parked_on[me] = nullptr;
  }
  static void unpark(atomic<std::uint32_t>& word) {
    rl::context& c = rl::ctx();
    c.sched();
    for (int i = 0; i < c.get_thread_count(); ++i)
      if (now.parked_on[i] == &word) {
        now.parked_on[i] = nullptr;
        c.unpark_thread(i, false, rl::debug_info("unpark", __FILE__, __LINE__));
      }
  }
};

/// A platform on which some heavy fences are refused and order nothing.
struct refusing_platform : checked_platform {
  static bool heavy_fence(site at = site::here()) {
    return rl::rand(2) != 0 && checked_platform::heavy_fence(at);
  }
};

/// A scenario. `Self` has the function thread(unsigned index). Its constructor sets up the state before the threads start.
template <class Self, int Threads>
struct scenario : rl::test_suite<Self, Threads> {
  static_assert(Threads <= max_threads);
  scenario() {
    now = {};
    now.end_release_sequence = [](rl::atomic_data* data) {
      auto& a = *static_cast<rl::atomic_data_impl<Threads>*>(data);
      auto& t = *static_cast<rl::thread_info<Threads>*>(rl::ctx().threadx_);
      auto& last = a.history_[a.current_index_ % rl::atomic_history_size];
      for (int i = 0; i < Threads; ++i) last.acq_rel_order_[i] = t.release_fence_order_[i];
    };
  }
};

}  // namespace skua::model

/// Accesses a plain variable of a scenario. Relacy reports an unordered read or write as a failure.
#define AT(x) x(RL_INFO)
