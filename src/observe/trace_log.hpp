// The events of one worker's trace while the program runs: one word of 32 bits each, with 4 bits of kind and 28 bits of
// ticks since the event before. If the name differs from the last one, two words with the name precede the event:
// consecutive tasks mostly run the same code. If the time since the event before is longer, or negative, two words with
// the time precede it. The first use of memory is the most expensive part of recording an event.
#pragma once

#include <cstddef>
#include <cstdint>

#include "observe/event_log.hpp"

namespace skua::observe {

enum class trace_kind : std::uint8_t {
  call,    // begins: a call into the scheduler by an external thread
  task,    // begins: a task; `name` is its code's address
  span,    // begins: skua::trace_span; `name` is the index of its text
  end,     // the innermost open one ends
  next,    // the same, and a task begins
  state,   // the state of the worker from here on; `name` is a trace_state
  steal,   // a task was stolen from worker `name`, and begins next
  message  // was sent; `name` is a trace_message
};

/// The states of a worker that are drawn; single looks and attempts of a search are not.
enum class trace_state : std::uint8_t { busy, searching, asleep };

struct trace_event {
  std::uint64_t ticks = 0;
  std::uint64_t name = 0;  // 56 bits: enough for addresses and packed messages
  trace_kind kind = trace_kind::end;
};

/// A message of managers: its type, and sender and receiver, each with a height (0: a worker) and a number.
struct trace_message {
  std::uint8_t type = 0, from_height = 0, to_height = 0;
  std::uint16_t from = 0, to = 0;

  std::uint64_t pack() const noexcept {
    return std::uint64_t{type} | std::uint64_t{from_height} << 8 | std::uint64_t{to_height} << 16 |
           std::uint64_t{from} << 24 | std::uint64_t{to} << 40;
  }
  static trace_message unpack(std::uint64_t word) noexcept {
    return {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
            static_cast<std::uint8_t>(word >> 16), static_cast<std::uint16_t>(word >> 24),
            static_cast<std::uint16_t>(word >> 40)};
  }
};

/// Like event_log, of words: an event takes one, three or five.
template <class P>
class trace_log {
 public:
  /// `since`: the times of all events differ from it by less than 2^55 ticks, which is some months.
  trace_log(std::size_t words, std::uint64_t since, event_room* room = nullptr)
      : words_(words, room), since_(since), before_(since) {}

  void add(const trace_event& event) noexcept {
    // Without room nothing precedes the event: it is lost below, and counts once.
    if (event.kind != trace_kind::end && event.name != name_ && !full()) [[unlikely]] {
      if (!put_before(names_the_next, event.name)) return;
      name_ = event.name;
    }
    std::uint64_t passed = event.ticks - before_;
    if (passed > low && !full()) [[unlikely]] {  // a pause, or the clock of another CPU is behind
      if (!put_before(times_the_next, event.ticks - since_)) return;
      passed = 0;
    }
    before_ = event.ticks;
    words_.add(packed(static_cast<std::uint8_t>(event.kind), static_cast<std::uint32_t>(passed)));
  }

  template <class Use>
  void read(Use use) const {
    std::uint64_t name = 0, now = since_, wide = 0;
    std::uint8_t widens = none;
    words_.read([&](std::uint32_t word) {
      const auto kind = static_cast<std::uint8_t>(word >> bits);
      if (widens != none) {
        wide |= word;
        // Extends the sign: the event may be slightly before `since`.
        const auto passed = static_cast<std::int64_t>(wide << (64 - wide_bits)) >> (64 - wide_bits);
        if (widens == names_the_next)
          name = wide;
        else
          now = since_ + static_cast<std::uint64_t>(passed);
        widens = none;
      } else if (kind == names_the_next || kind == times_the_next) {
        widens = kind;
        wide = std::uint64_t{word & low} << 32;
      } else {
        now += word & low;
        const auto what = static_cast<trace_kind>(kind);
        use(trace_event{now, what == trace_kind::end ? 0 : name, what});
      }
    });
  }
  std::uint64_t lost() const noexcept { return words_.lost(); }
  std::size_t words() const noexcept { return words_.size(); }
  bool full() const noexcept { return words_.full(); }

 private:
  static constexpr unsigned bits = 28, wide_bits = 56;
  static constexpr std::uint32_t low = (std::uint32_t{1} << bits) - 1;
  static constexpr std::uint8_t none = 0, times_the_next = 0xe, names_the_next = 0xf;
  static std::uint32_t packed(std::uint8_t kind, std::uint32_t value) noexcept {
    return std::uint32_t{kind} << bits | value;
  }

  /// Two words. False if they found no room: then the event is lost, and has been counted.
  [[gnu::noinline]] bool put_before(std::uint8_t kind, std::uint64_t wide) noexcept {
    words_.add(packed(kind, static_cast<std::uint32_t>(wide >> 32) & low));
    if (words_.lost() == 0) words_.add(static_cast<std::uint32_t>(wide));
    return words_.lost() == 0;
  }

  event_log<P, std::uint32_t, 8192> words_;
  const std::uint64_t since_;
  std::uint64_t before_;    // of the last event
  std::uint64_t name_ = 0;  // of the last event that has one
};

}  // namespace skua::observe
