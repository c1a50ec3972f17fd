// What a wait in place runs meanwhile: nobody else may be able to, and what it waits for may wait for that.
#pragma once

#include <cstdint>

#include "core/stealing.hpp"

namespace skua::core {

/// Of this worker's own tasks; they may lie below, or above, what the wait must not touch.
stolen take_own_help(worker& here, const restriction& only);

/// tasks: what thieves put aside, without what runs elsewhere has forked, which nested waits could pile up for ever.
enum class help_from { all_queues, tasks };

/// Its own, then the others'; those by force once it has waited for force_after_ns.
stolen take_help(stack& self, const restriction& only, std::int64_t waited_ns, help_from where);

/// Whether this worker may take from others without messages.
bool may_help_elsewhere(const worker& here) noexcept;

}  // namespace skua::core
