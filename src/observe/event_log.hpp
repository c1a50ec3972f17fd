// The events of one worker, in order: the first ones, as far as there is room, and the number of lost ones.
//
//   event_log<P, trace_event> log(100'000);
//   log.add(event);                      // by the thread that holds the worker
//   log.read([](const trace_event& e) {});   // by any thread, at any time
//
// Memory is allocated piece by piece, as needed and as far as there is room. After one lost event, all later ones are lost:
// an end without its beginning, or a beginning without its end, would be matched with another one. P is a platform; on a
// simulated machine the log takes no time. Checked by tests/model/event_log_test.cpp.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#include "base/populate.hpp"

namespace skua::observe {

/// The room that several logs share.
class event_room {
 public:
  virtual ~event_room() = default;
  /// Takes room for `events` more events, or for fewer if there is less.
  virtual std::size_t take(std::size_t events) noexcept = 0;
  virtual void give_back(std::size_t events) noexcept = 0;
};

template <class P, class Event, std::size_t Piece = 4096>
class event_log {
 public:
  /// Without `room`, the log may use its whole capacity.
  explicit event_log(std::size_t capacity, event_room* room = nullptr)
      : pieces_(new piece[(capacity + Piece - 1) / Piece]),
        capacity_(capacity),
        room_(room),
        taken_(room ? 0 : capacity) {
    P::quietly(size_).store(0, std::memory_order_relaxed);
    P::quietly(lost_).store(0, std::memory_order_relaxed);
  }

  ~event_log() {
    if (room_) room_->give_back(taken_);
  }
  event_log(const event_log&) = delete;
  event_log& operator=(const event_log&) = delete;

  void add(const Event& event) noexcept {
    if (next_ == end_ && !goes_on()) [[unlikely]] {
      P::quietly(lost_).store(lost() + 1, std::memory_order_relaxed);
      return;
    }
    *next_++ = event;
    // release: partner of read(). A thread that sees the size sees the event and its piece.
    P::quietly(size_).store(size() + 1, std::memory_order_release);
  }

  template <class Use>
  void read(Use use) const {
    const std::size_t size = P::quietly(size_).load(std::memory_order_acquire);  // partner: add()
    for (std::size_t at = 0; at < size; ++at) use(pieces_[at / Piece][at % Piece]);
  }
  std::uint64_t lost() const noexcept { return P::quietly(lost_).load(std::memory_order_relaxed); }
  std::size_t size() const noexcept { return P::quietly(size_).load(std::memory_order_relaxed); }
  /// For the writer: whether the next event will be lost, as far as that is known in advance.
  bool full() const noexcept { return lost() != 0 || size() == capacity_; }

 private:
  using piece = std::unique_ptr<Event[]>;
  /// Small shares: other logs may need what this one does not.
  static constexpr std::size_t share = std::min<std::size_t>(Piece, 256);

  [[gnu::noinline]] bool goes_on() noexcept {
    const std::size_t at = size();
    if (lost() != 0 || !has_room(at) || !has_piece(at / Piece)) return false;
    next_ = &pieces_[at / Piece][at % Piece];
    end_ = next_ + std::min(Piece - at % Piece, taken_ - at);
    return true;
  }
  bool has_room(std::size_t at) noexcept {
    if (at == taken_ && at != capacity_) taken_ += room_->take(std::min(share, capacity_ - at));
    return at < taken_;
  }
  bool has_piece(std::size_t which) noexcept {
    try {
      if (pieces_[which]) return true;
      pieces_[which].reset(new Event[Piece]);
      base::populate(pieces_[which].get(), Piece * sizeof(Event));
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::unique_ptr<piece[]> pieces_;
  std::size_t capacity_;
  event_room* room_;
  std::size_t taken_;
  Event *next_ = nullptr, *end_ = nullptr;  // the free part of the current piece; used by the writer only
  typename P::template atomic<std::size_t> size_;
  typename P::template atomic<std::uint64_t> lost_;
};

}  // namespace skua::observe
