// What a task says about itself to whoever listens: which bytes it reads and writes, and how long it computes.
//
//   skua::reads(row - 1, 3 * n);                    // 3 n objects from row - 1 on
//   skua::writes(tile, 64, 64, pitch);              // 64 objects, and so for 64 rows, `pitch` objects apart
//   skua::costs(9 * n);                             // cycles that the leaf computes on one core with all data at hand
//
// A region that is being learnt (shaped.hpp) listens, and so does a model of a machine's caches. Results never depend on
// it. Say it once for a leaf, before or after its work, for all it touches: lines are counted once for each declaration.
//
// - Parameters: objects of the pointer's type; a pitch in objects too, of at least `count`; cycles of a core.
// - Cost: one load unless somebody listens. Nothing throws. Thread-safety: any task; outside of tasks nothing happens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/export.hpp>

namespace skua {

namespace detail {

enum class declared : std::uint8_t { read, written };

extern SKUA_API constinit std::atomic<int> listeners;
SKUA_API void declare(declared how, const void* first, std::size_t bytes, std::size_t rows,
                      std::size_t pitch) noexcept;
SKUA_API void declare_cycles(double cycles) noexcept;

}  // namespace detail

/// Ask before computing what only the declarations need: ranges, say, in a loop.
inline bool has_listener() noexcept { return detail::listeners.load(std::memory_order_relaxed) != 0; }

template <class T>
void reads(const T* first, std::size_t count, std::size_t rows = 1, std::size_t pitch = 0) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare(detail::declared::read, first, count * sizeof(T), rows, pitch * sizeof(T));
}

template <class T>
void writes(T* first, std::size_t count, std::size_t rows = 1, std::size_t pitch = 0) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare(detail::declared::written, first, count * sizeof(T), rows, pitch * sizeof(T));
}

/// What the leaf computes, in cycles, without waiting for memory.
inline void costs(double cycles) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare_cycles(cycles);
}

}  // namespace skua
