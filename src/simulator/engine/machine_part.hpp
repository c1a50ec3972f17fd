// A part of a simulated machine that acts by itself in virtual time, as a network does: a virtual thread of its own, the
// world's clock, calls it when something is due.
#pragma once

#include <optional>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

class machine_part {
 public:
  /// When something happens next, if nobody uses it before.
  virtual std::optional<cycles> next() const = 0;
  /// Everything until then happens. Time goes forward only; the caller spends none.
  virtual void advance(cycles now) = 0;

 protected:
  ~machine_part() = default;
};

}  // namespace skua::simulator
