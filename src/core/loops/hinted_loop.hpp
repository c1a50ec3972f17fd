// Loops with a hint for the positions that a steal would take (skua/hint.hpp).
#pragma once

#include <cstdint>

#include <skua/detail/loop.hpp>
#include <skua/hint.hpp>

namespace skua::core {

/// What the parts of such a loop share.
struct hinted_run : detail::loop_run {
  hinted_run(const detail::loop_functions& functions, std::uint32_t min, void* of_body,
             const loop_hint& function, std::int64_t first_number)
      : loop_run(functions, min, of_body), hint(function), start(first_number) {}
  const loop_hint& hint;
  const std::int64_t start;  // number of the loop's first position
};

struct hinted_loop_part : detail::loop_part, detail::hint_source {
  static constexpr std::uintptr_t tags = detail::loop_tag | detail::hint_tag;
  using run_of = hinted_run;

  hinted_loop_part(hinted_run& all, std::uint64_t base, std::uint32_t size, void* room)
      : loop_part(all, base, size, room), hint_source{&describe_rest} {}

 private:
  static void describe_rest(const hint_source& self, detail::hint_sink& sink) noexcept {
    const auto& part = static_cast<const hinted_loop_part&>(self);
    const auto& all = static_cast<const hinted_run&>(part.all());
    const piece back = part.back_half(all.grain);
    // Unsigned: the numbers of a loop over 64-bit positions may pass the largest signed one.
    const std::uint64_t first = static_cast<std::uint64_t>(all.start) + part.base();
    if (back)
      all.hint.describe(static_cast<std::int64_t>(first + back.first),
                        static_cast<std::int64_t>(first + back.last), sink);
  }
};

}  // namespace skua::core
