#include "core/platform/stack_memory.hpp"

#include <new>
#include <sys/mman.h>

namespace skua::core {

namespace {

constexpr std::size_t guard_bytes = 1 << 16;

std::size_t mapped(std::size_t bytes) {
  return guard_bytes + (bytes + guard_bytes - 1) / guard_bytes * guard_bytes;
}

}  // namespace

stack_memory::stack_memory(std::size_t bytes) : bytes_(bytes) {
  mapping_ = mmap(nullptr, mapped(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                  -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(mapping_, guard_bytes, PROT_NONE) == 0) return;
  munmap(mapping_, mapped(bytes_));  // no more mappings: without a guard an overflow would go unnoticed
  throw std::bad_alloc();
}

stack_memory::~stack_memory() {
  if (mapping_) munmap(mapping_, mapped(bytes_));
}

void* stack_memory::memory() const noexcept { return static_cast<std::byte*>(mapping_) + guard_bytes; }

}  // namespace skua::core
