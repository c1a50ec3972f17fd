// Declarations of a task: which bytes it reads and writes, and how long it computes.
//
//   skua::reads(row - 1, 3 * n);                    // 3 n objects, from row - 1 on
//   skua::writes(tile, 64, 64, pitch);              // 64 rows of 64 objects; rows start `pitch` objects apart
//   skua::costs(9 * n);                             // cycles that the leaf computes on one core with all data in its caches
//
// Two parts of skua use the declarations: a region whose shape is being learnt (shaped.hpp), and a model of a machine's
// caches. Results of the program never depend on declarations. In each leaf (a piece of a task that computes and forks
// nothing), declare once everything that it touches, before or after its work. Each declaration counts each of its cache
// lines once.
//
// - Parameters: `count` objects of the pointer's type; `rows` rows of `count` objects; `pitch` is the distance from the
//   start of a row to the start of the next one, in objects, at least `count`; `cycles` are cycles of one core.
// - Cost: one load when no part of skua uses the declarations. Throws: nothing.
// - Thread-safety: any task may declare. Outside of tasks a declaration has no effect.
// Paper: none.
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

/// Whether any part of skua uses declarations now. Ask this before work that only the declarations need, such as a loop
/// that computes ranges.
inline bool has_listener() noexcept { return detail::listeners.load(std::memory_order_relaxed) != 0; }

/// Declares that the task reads `rows` rows of `count` objects from `first` on.
template <class T>
void reads(const T* first, std::size_t count, std::size_t rows = 1, std::size_t pitch = 0) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare(detail::declared::read, first, count * sizeof(T), rows, pitch * sizeof(T));
}

/// Declares that the task writes `rows` rows of `count` objects from `first` on.
template <class T>
void writes(T* first, std::size_t count, std::size_t rows = 1, std::size_t pitch = 0) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare(detail::declared::written, first, count * sizeof(T), rows, pitch * sizeof(T));
}

/// Declares how long the leaf computes: cycles of one core, without waiting for memory.
inline void costs(double cycles) noexcept {
  if (has_listener()) [[unlikely]]
    detail::declare_cycles(cycles);
}

}  // namespace skua
