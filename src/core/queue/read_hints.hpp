// Reading the hints of records that a thief might take, while other threads may take or write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

#include <skua/detail/task.hpp>
#include <skua/hint.hpp>
#include <skua/steal_policy.hpp>

#include "core/queue/hint_cells.hpp"
#include "core/stack.hpp"

namespace skua::core {

// Stores what `read(kind, copy)` finds, if that returns true.
template <class Read>
bool copy_hint(Read read, hint& out) {
  std::vector<std::uint64_t> words;
  std::size_t bytes = 0;
  std::uint64_t kind = 0;
  const bool stable = read(kind, [&](std::size_t size, auto word) {
    bytes = size;
    words.resize((size + 7) / 8);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = word(i);
  });
  if (stable) out.assign(kind, std::as_bytes(std::span(words)).first(bytes));
  return stable;
}

// The hint of the oldest public record of a queue; false when there is none, or it is taken at this moment.
template <class Queue, class Cells>
bool look_at_hint(const Queue& q, const Cells& cells, hint& out) {
  const auto read = [&](std::uint64_t& kind, auto copy) {
    return read_oldest_hint<detail::host_atomics>(q, cells, kind, copy);
  };
  return copy_hint(read, out);
}
// The same of a stack's joins.
template <class Cells>
bool look_at_hint(const stack& s, const Cells& cells, hint& out) {
  if (!s.deque) return look_at_hint<detail::split_queue<detail::host_atomics>>(s, cells, out);
  const auto read = [&](std::uint64_t& kind, auto copy) {
    // A thread that writes the cell again knows that `oldest_` has advanced, as with `range` in hint_cells.hpp.
    return s.deque->look_at_oldest([&](std::uint16_t at) {
      const auto* const cell = cells.find(at);
      kind = cell ? cell->read(copy) : 0;
    });
  };
  return copy_hint(read, out);
}

// The hint of a task that no other thread can take now.
inline hint hint_of_task(const detail::task& t) {
  hint found;
  if (!(t.marks & detail::task::hinted)) return found;
  struct to_hint final : detail::hint_sink {
    explicit to_hint(hint& h) : to(h) {}
    void write(std::uint64_t kind, const void* bytes, std::size_t size) noexcept override {
      try {
        to.assign(kind, {static_cast<const std::byte*>(bytes), size});
      } catch (const std::bad_alloc&) {
        to.assign(0, {});  // no hint
      }
    }
    hint& to;
  } sink(found);
  t.hint->describe(*t.hint, sink);
  return found;
}

template <class Queue, class Cells>
bool confirmed(const confirmation& confirm, const Queue& q, const Cells& cells) {
  if (!confirm) return true;
  hint seen;
  return look_at_hint(q, cells, seen) && confirm(seen);
}

}  // namespace skua::core
