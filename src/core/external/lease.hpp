// A worker that an external thread keeps between its calls: entering and leaving cost it a store and a load.
//
// Between two calls any other thread may take the worker back. It first says so, and then looks whether a call is in
// progress; the holder says that a call begins, and then looks whether the worker is wanted. A heavy fence of the first and
// light fences of the holder order the two, so at least one of them sees the other. If both do, end() chooses one. The one
// that end() chooses holds the worker alone from then on, and releases it.
//
// A lease has one holder for all its life, and is not used again. The worker points to it while it lasts (lease_at_worker).
// Checked by tests/model/lease_test.cpp and, with a worker's own thread that sleeps, by tests/model/idle_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/locks/guard_word.hpp"

namespace skua::core {

template <class P>
class lease {
 public:
  lease() {
    in_call_.store(0, std::memory_order_relaxed);
    calls_.store(0, std::memory_order_relaxed);
    wanted_.store(0, std::memory_order_relaxed);
    ended_.store(0, std::memory_order_relaxed);
  }

  // ---- for the holder

  /// A call begins. False: the worker is wanted or was taken back; end() says which.
  bool enter() noexcept {
    in_call_.store(1, std::memory_order_relaxed);
    calls_.store(calls_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    P::light_fence();  // partner: take_back()
    return wanted_.load(std::memory_order_relaxed) == 0;
  }
  /// A call ends. False: the worker is wanted.
  bool leave() noexcept {
    in_call_.store(0, std::memory_order_release);  // partner: take_back(), which gets the worker as it is now
    P::light_fence();                              // partner: take_back()
    return wanted_.load(std::memory_order_relaxed) == 0;
  }
  /// Ends the lease, after enter() or leave() has returned false, or in a call. True: the caller has the worker, alone and
  /// without a lease. False: another thread has taken it.
  bool end() noexcept { return ended_.exchange(1, std::memory_order_relaxed) == 0; }

  // ---- for other threads

  /// Whether no call is in progress. A guess.
  bool is_away() const noexcept { return in_call_.load(std::memory_order_relaxed) == 0; }
  /// A guess, but what has ended stays so.
  bool has_ended() const noexcept { return ended_.load(std::memory_order_relaxed) != 0; }
  /// How many calls have begun. A guess.
  std::uint32_t calls() const noexcept { return calls_.load(std::memory_order_relaxed); }
  /// Ends the lease. True: the caller has the worker. False: the holder is in a call, and gives the worker back at its
  /// end; or another thread takes it back now.
  bool take_back() noexcept {
    if (wanted_.exchange(1, std::memory_order_relaxed) != 0) return false;
    if (!P::heavy_fence()) P::wait_for_stores();  // partners: enter(), leave()
    // acquire: partner of leave().
    return in_call_.load(std::memory_order_acquire) == 0 && end();
  }

 private:
  typename P::template atomic<std::uint32_t> in_call_;
  typename P::template atomic<std::uint32_t> calls_;
  typename P::template atomic<std::uint32_t> wanted_;
  typename P::template atomic<std::uint32_t> ended_;
};

/// Where a worker points to what an external thread keeps: a `Kept` with a lease<P> `between_calls`. Other threads than the
/// holder look into it only under the guard.
template <class P, class Kept>
class lease_at_worker {
 public:
  lease_at_worker() {
    guard_.store(0, std::memory_order_relaxed);
    kept_.store(nullptr, std::memory_order_relaxed);
  }

  /// A guess, except for the holder, and for the own thread once its word says that it watches (sleepers::watch()).
  bool any() const noexcept { return kept_.load(std::memory_order_relaxed) != nullptr; }
  /// For the own thread, after it has said that it is displaced. seq_cst: partner of keep().
  bool begins_to_watch() const noexcept { return kept_.load(std::memory_order_seq_cst) != nullptr; }

  /// The holder of the worker, in a call, begins to keep it. watch() makes the own thread look after it. If that thread
  /// is awake, it does so itself when it finds that it is displaced (attach_again), and so does a thread that makes it a sleeper
  /// too late (restore_thread).
  template <class Watch>
  void keep(Kept& one, Watch watch) noexcept {
    // seq_cst: partner of begins_to_watch(), as watch() is of park_displaced(). release: partner of found().
    kept_.store(&one, std::memory_order_seq_cst);
    watch();
  }
  /// The holder ends the lease. As lease::end().
  bool lose(Kept& one) noexcept {
    if (!one.between_calls.end()) return false;
    clear();
    return true;
  }
  /// For a thread that needs the worker. Returns what it has taken back, and then it has the worker; null if nothing.
  /// A lease in a call is not touched. It may miss a lease that begins now; the own thread does not.
  Kept* take_back() noexcept {
    return any() ? take_back_if([](const Kept& kept) { return kept.between_calls.is_away(); }, [] {})
                 : nullptr;
  }
  /// The same if must(kept). Calls in_call() if the lease must be taken back but is not, because the holder is in a
  /// call.
  template <class Must, class InCall>
  Kept* take_back_if(Must must, InCall in_call) noexcept {
    take_guard<P>(guard_);
    Kept* taken = found();
    if (taken && !must(*taken)) {
      taken = nullptr;
    } else if (taken && !taken->between_calls.take_back()) {
      taken = nullptr;
      in_call();
    }
    if (taken) kept_.store(nullptr, std::memory_order_relaxed);
    leave_guard(guard_);
    return taken;
  }

 private:
  Kept* found() const noexcept { return kept_.load(std::memory_order_acquire); }  // partner: keep()
  // Under the guard: no other thread looks into it afterwards.
  void clear() noexcept {
    take_guard<P>(guard_);
    kept_.store(nullptr, std::memory_order_relaxed);
    leave_guard(guard_);
  }

  typename P::template atomic<int> guard_;
  typename P::template atomic<Kept*> kept_;
};

}  // namespace skua::core
