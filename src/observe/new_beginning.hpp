// Lets other threads reset the sums of one writer. They request a reset, and the writer does it before its next
// addition, because the writer could overwrite a zero that another thread stores. Until then readers treat the sums as
// zero.
//
//   new_beginning<plain_platform> begins;
//   begins.ask(now);                                     // by any thread, one at a time
//   begins.if_due([&] { sum = 0; });                     // by the writer, before each addition
//   begins.is_due() ? 0 : sum                            // by a reader
//
// P is a platform. Checked by tests/model/new_beginning_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::observe {

struct plain_platform {
  template <class T>
  using atomic = std::atomic<T>;
};

template <class P>
class new_beginning {
 public:
  explicit new_beginning(std::uint64_t at = 0) noexcept {
    at_.store(at, std::memory_order_relaxed);
    asked_.store(0, std::memory_order_relaxed);
    done_.store(0, std::memory_order_relaxed);
  }

  void ask(std::uint64_t at) noexcept {
    at_.store(at, std::memory_order_relaxed);
    // release: partner of if_due(). A thread that sees the request sees its time.
    asked_.store(asked_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  /// The time of the last reset request. Earlier events no longer count.
  std::uint64_t at() const noexcept { return at_.load(std::memory_order_relaxed); }
  bool is_due() const noexcept {
    // acquire: partner of if_due(). A thread that sees the reset sees the zeros and the request.
    const std::uint64_t done = done_.load(std::memory_order_acquire);
    return asked_.load(std::memory_order_relaxed) != done;
  }
  /// For the writer. A request during the reset is handled at the next call.
  template <class Zeros>
  void if_due(Zeros zeros) noexcept {
    const std::uint64_t asked = asked_.load(std::memory_order_acquire);  // partner: ask()
    if (asked == done_.load(std::memory_order_relaxed)) [[likely]]
      return;
    zeros();
    done_.store(asked, std::memory_order_release);  // partner: is_due()
  }

 private:
  typename P::template atomic<std::uint64_t> at_, asked_, done_;
};

}  // namespace skua::observe
