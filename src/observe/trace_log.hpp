// The events of one worker's trace, as they are stored during a run. An event is one word with 56 bits of time and 8
// bits of kind. A name that differs from the previous one is a separate word before the event, because consecutive
// tasks mostly run the same code. Events are compact because the first touch of memory is the most expensive part of
// storing an event.
#pragma once

#include <cstddef>
#include <cstdint>

#include "observe/event_log.hpp"
#include "observe/trace_event.hpp"

namespace skua::observe {

/// As event_log; an event takes one or two words.
template <class P>
class trace_log {
 public:
  /// `since` is a reference time. The times of all events differ from it by less than 2^55 ticks, some months.
  trace_log(std::size_t words, std::uint64_t since, event_room* room = nullptr)
      : words_(words, room), since_(since) {}

  void add(const trace_event& event) noexcept {
    if (event.kind != trace_kind::end && event.name != name_ && !words_.full()) {
      name_ = event.name;
      words_.add(packed(name_, names_the_next));
      if (words_.lost() != 0) return;  // there was no room for the name, which counts as one lost event
    }
    words_.add(packed(event.ticks - since_, static_cast<std::uint8_t>(event.kind)));
  }

  template <class Use>
  void read(Use use) const {
    std::uint64_t name = 0;
    words_.read([&](std::uint64_t word) {
      const auto kind = static_cast<std::uint8_t>(word >> bits);
      if (kind == names_the_next) {
        name = word & low;
        return;
      }
      // The clocks of two CPUs may differ, so a difference may be slightly negative.
      const auto passed = static_cast<std::int64_t>(word << (64 - bits)) >> (64 - bits);
      const auto what = static_cast<trace_kind>(kind);
      use(trace_event{since_ + static_cast<std::uint64_t>(passed), what == trace_kind::end ? 0 : name, what});
    });
  }
  std::uint64_t lost() const noexcept { return words_.lost(); }
  std::size_t words() const noexcept { return words_.size(); }
  bool full() const noexcept { return words_.full(); }

 private:
  static constexpr unsigned bits = 56;
  static constexpr std::uint64_t low = (std::uint64_t{1} << bits) - 1;
  static constexpr std::uint8_t names_the_next = 0xff;
  static std::uint64_t packed(std::uint64_t value, std::uint8_t kind) noexcept {
    return (value & low) | std::uint64_t{kind} << bits;
  }

  event_log<P, std::uint64_t> words_;
  const std::uint64_t since_;
  std::uint64_t name_ = 0;  // the name of the last event with a name
};

}  // namespace skua::observe
