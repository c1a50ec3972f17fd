// One event of a trace.
#pragma once

#include <cstdint>

namespace skua::observe {

enum class trace_kind : std::uint8_t {
  call,    // begin of a call into the scheduler by an external thread
  task,    // begin of a task; `name` is the address of its code
  region,  // begin of a skua::trace_span; `name` is the number of its text
  end,     // end of the innermost open event
  next,    // end of the innermost open event and begin of a task
  state,   // new state of the worker; `name` is a trace_state
  steal,   // a task was taken from worker `name`, and begins next
  message  // a message was sent; `name` is a trace_message
};

/// The states of a worker in a trace. Single looks and attempts of a search are not shown.
enum class trace_state : std::uint8_t { busy, searching, asleep };

struct trace_event {
  std::uint64_t ticks = 0;
  std::uint64_t name = 0;  // 56 bits are enough for addresses and packed messages
  trace_kind kind = trace_kind::end;
};

/// A message of managers: its type and the two parties, each a height (0: a worker) and a number.
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
