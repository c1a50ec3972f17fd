// Who listens to what tasks say about themselves: a simulated machine, and a region that is being learnt.
#include <skua/declare.hpp>

#include <new>

#include "core/learning/learning.hpp"
#include "core/platform/simulated_machine.hpp"
#include "core/stack.hpp"

namespace skua::detail {

constinit std::atomic<int> listeners{0};

void declare(declared how, const void* first, std::size_t bytes, std::size_t rows,
             std::size_t pitch) noexcept {
  const task_context* const w = current;
  const scope* const now = w ? w->scope.load(std::memory_order_relaxed) : nullptr;
  core::declare_to_machine({how, first, bytes, rows, pitch});
  if (w)
    if (observe::pair_counts* const account = static_cast<const core::stack*>(w)->account)
      account->bytes.add(bytes * rows);
  if (!now || !now->learns) return;
  try {
    const auto begin = reinterpret_cast<std::uintptr_t>(first);
    for (std::size_t row = 0; row < rows; ++row) now->learns->touched(now->level, begin + row * pitch, bytes);
  } catch (const std::bad_alloc&) {  // then the region looks smaller than it is
  }
}

}  // namespace skua::detail
