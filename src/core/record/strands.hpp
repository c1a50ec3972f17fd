// The strands of a measured run, as the core names them (skua/detail/strand.hpp).
#pragma once

#include <cstdint>

#include <skua/detail/strand.hpp>
#include <skua/detail/task.hpp>

#include "base/for_simulator.hpp"
#include "core/stack.hpp"

namespace skua::core {

/// The strand of the running stack, or of a thread without one. Called by virtual threads.
SKUA_FOR_SIMULATOR detail::strand& current_strand() noexcept;

/// Whether the core divides a loop here, on a machine that measures.
bool divides_loop() noexcept;

/// As strand_pauses, while the core divides a loop. The forks that divide it begin no strands. Positions and results do.
class strand_divides {
 public:
  strand_divides() noexcept {
    if (detail::time_is_virtual) [[unlikely]]
      begin();
  }
  ~strand_divides() {
    if (strand_) [[unlikely]]
      strand_->divides = outer_;
  }
  strand_divides(const strand_divides&) = delete;
  strand_divides& operator=(const strand_divides&) = delete;

 private:
  void begin() noexcept;
  const detail::strand_pauses pause_;
  detail::strand* strand_ = nullptr;  // null: no measurement
  bool outer_ = false;
};

// What is pushed is named before any time passes, because a thief may take it by force. Does nothing in real time.

/// The name of the next call from outside; 0 where strands are not measured.
std::uint64_t name_of_next_root() noexcept;
/// A group task that the running strand begins runs as a strand of its own, on whichever worker.
void name_task(detail::task& t) noexcept;
/// Names a fork's second child; `side` lies beside its record.
void name_child(const stolen_side& side) noexcept;
/// What the task runs in the end, if `run` is its code now: its code before it was named.
using detail::task_code;
task_code code_before_name(const detail::task& t, task_code run) noexcept;
/// The name of such a child; 0: none.
std::uint64_t name_of_child(const stolen_side& side) noexcept;

}  // namespace skua::core
