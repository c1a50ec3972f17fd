// Memory that will soon be written is taken from the operating system in one call. A page fault for each page costs
// several times as much, above all on a virtual machine.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace skua::base {

/// Takes the pages of `bytes` bytes from `at` from the operating system. They must be writable. Their contents stay.
/// Before Linux 5.14 it does nothing, and the first use of a page takes it.
inline void populate(void* at, std::size_t bytes) noexcept {
  constexpr int populate_write = 23;         // MADV_POPULATE_WRITE, which older headers lack
  constexpr std::uintptr_t page = 4096 - 1;  // larger pages: a refused call, which changes nothing
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(at) & ~page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(at) + bytes + page) & ~page;
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin, populate_write));
}

}  // namespace skua::base
