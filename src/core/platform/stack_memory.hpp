// Memory of stacks: reserved at once, committed as touched, with a guard below. A task or a thread that overflows its stack
// ends the process with a message instead of a bare segmentation fault.
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "base/for_simulator.hpp"

namespace skua::core {

std::size_t whole_pages(std::size_t bytes);

/// A function's frame may be larger than a page and jump over a small guard. A guard uses up addresses only.
inline constexpr std::size_t stack_guard_bytes = 1 << 20;

class stack_memory {
 public:
  stack_memory() = default;
  /// Throws bad_alloc. The guard is a multiple of the page size, or 0.
  SKUA_FOR_SIMULATOR explicit stack_memory(std::size_t bytes, std::size_t guard_bytes = 1 << 16);
  SKUA_FOR_SIMULATOR ~stack_memory();
  stack_memory(stack_memory&& other) noexcept { swap(other); }
  stack_memory& operator=(stack_memory&& other) noexcept {
    swap(other);
    return *this;
  }

  std::size_t bytes() const noexcept { return bytes_; }
  /// The first byte above the guard.
  void* memory() const noexcept { return memory_; }

 private:
  void swap(stack_memory& other) noexcept {
    std::swap(mapping_, other.mapping_);
    std::swap(memory_, other.memory_);
    std::swap(mapped_, other.mapped_);
    std::swap(bytes_, other.bytes_);
  }
  void* mapping_ = nullptr;
  void* memory_ = nullptr;
  std::size_t mapped_ = 0, bytes_ = 0;
};

/// Once in a process: prints a message when a task overflows its stack.
void install_overflow_handler() noexcept;
/// The stack on which a signal handler runs when a thread's own stack is used up. It must live until the thread ends.
class signal_stack {
 public:
  signal_stack() noexcept {}  // leaves the memory untouched
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

  /// For the calling thread.
  void turn_on() noexcept;
  /// False if the thread ends inside a handler that runs there. Leaves a stack that the program has set since.
  bool turn_off() noexcept;

 private:
  std::array<char, 32768> memory_;
};

/// Called once in each thread that has no signal_stack and may overflow its own stack: gives it one, if there is
/// memory.
void watch_overflow_on_this_thread() noexcept;

}  // namespace skua::core
