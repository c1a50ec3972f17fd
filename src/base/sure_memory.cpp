#include "base/sure_memory.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <new>

namespace skua::base {

namespace {

constexpr std::size_t block_bytes = 128, blocks = 2048;

// In pages that the system provides when they are first touched.
alignas(__STDCPP_DEFAULT_NEW_ALIGNMENT__) constinit std::array<std::byte, block_bytes * blocks> reserve{};
// Each by itself and no lock: a child of fork() may find some taken, but no lock held.
constinit std::array<std::atomic<bool>, blocks> taken{};

std::size_t blocks_of(std::size_t bytes) noexcept { return (bytes + block_bytes - 1) / block_bytes; }

// release and acquire: the thread that takes a block comes after the one that gave it back.
void give_back(std::size_t first, std::size_t count) noexcept {
  for (std::size_t i = first; i < first + count; ++i) taken[i].store(false, std::memory_order_release);
}

/// The number of blocks from `first` on that it has taken, up to `count`.
std::size_t take_row(std::size_t first, std::size_t count) noexcept {
  std::size_t got = 0;
  while (got < count && !taken[first + got].exchange(true, std::memory_order_acquire)) ++got;
  return got;
}

void* from_reserve(std::size_t bytes) noexcept {
  const std::size_t count = blocks_of(bytes);
  for (std::size_t first = 0; first + count <= blocks;) {
    const std::size_t got = take_row(first, count);
    if (got == count) return reserve.data() + first * block_bytes;
    give_back(first, got);
    first += got + 1;
  }
  return nullptr;
}

}  // namespace

void* sure_allocate(std::size_t bytes) noexcept {
  constexpr int tries = 1000;
  for (int i = 0; i < tries; ++i) {
    if (void* const memory = ::operator new(bytes, std::nothrow)) return memory;
    if (void* const memory = from_reserve(bytes)) return memory;
    constexpr timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    nanosleep(&pause, nullptr);
  }
  std::fputs("skua: there is no memory for the messages of a phase or of the policy managers\n", stderr);
  std::terminate();
}

void sure_deallocate(void* memory, std::size_t bytes) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  const auto begin = reinterpret_cast<std::uintptr_t>(reserve.data());
  if (at < begin || at >= begin + reserve.size()) return ::operator delete(memory);
  give_back((at - begin) / block_bytes, blocks_of(bytes));
}

}  // namespace skua::base
