// One event of a trace.
#pragma once

#include <cstdint>

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

}  // namespace skua::observe
