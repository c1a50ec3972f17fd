// What happened at one worker, in order, as far as there is room: the first so many events, and how many were lost.
//
//   event_log<P, trace_event> log(100'000);
//   log.add(event);                      // by whoever holds the worker's place
//   log.read([](const trace_event& e) {});   // by anybody, at any time
//
// Memory comes piece by piece, as it is needed. P is a platform; on a simulated machine the log takes no time. Checked by tests/model/event_log_test.cpp.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace skua::observe {

template <class P, class Event, std::size_t Piece = 4096>
class event_log {
 public:
  explicit event_log(std::size_t capacity)
      : pieces_(new piece[(capacity + Piece - 1) / Piece]), capacity_(capacity) {
    P::quietly(size_).store(0, std::memory_order_relaxed);
    P::quietly(lost_).store(0, std::memory_order_relaxed);
  }

  void add(const Event& event) noexcept {
    const std::size_t at = P::quietly(size_).load(std::memory_order_relaxed);
    if (at == capacity_ || !has_piece(at / Piece)) {
      P::quietly(lost_).store(P::quietly(lost_).load(std::memory_order_relaxed) + 1,
                              std::memory_order_relaxed);
      return;
    }
    pieces_[at / Piece][at % Piece] = event;
    // release: partner of read(); whoever sees the size sees the event, and the piece in which it lies.
    P::quietly(size_).store(at + 1, std::memory_order_release);
  }

  template <class Use>
  void read(Use use) const {
    const std::size_t size = P::quietly(size_).load(std::memory_order_acquire);  // partner: add()
    for (std::size_t at = 0; at < size; ++at) use(pieces_[at / Piece][at % Piece]);
  }
  std::uint64_t lost() const noexcept { return P::quietly(lost_).load(std::memory_order_relaxed); }

 private:
  using piece = std::unique_ptr<Event[]>;
  bool has_piece(std::size_t which) noexcept {
    try {
      if (!pieces_[which]) pieces_[which].reset(new Event[Piece]);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::unique_ptr<piece[]> pieces_;
  std::size_t capacity_;
  typename P::template atomic<std::size_t> size_;
  typename P::template atomic<std::uint64_t> lost_;
};

}  // namespace skua::observe
