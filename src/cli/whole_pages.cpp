// Large arrays of the tool begin a page, whoever allocates them: what a simulated machine's caches make of an array depends
// on where it begins in its lines and pages, and that must not depend on what malloc served before (the length of a path,
// the version of the C library). Not small ones: where each of many fills little more than a page, every second page would be
// nearly empty, and so every second memory of a machine that deals pages out nearly idle.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t page = 4096, large = 16 * page;

void* allocated(std::size_t bytes) noexcept {
  if (bytes < large) return std::malloc(bytes == 0 ? 1 : bytes);
  if (bytes > static_cast<std::size_t>(-1) - page) return nullptr;
  return std::aligned_alloc(page, (bytes + page - 1) / page * page);
}

}  // namespace

// What the standard calls replacing. The forms for arrays and for stricter alignment stay as they are.
void* operator new(std::size_t bytes) {
  while (true) {
    if (void* const got = allocated(bytes)) return got;
    const std::new_handler handler = std::get_new_handler();
    if (!handler) throw std::bad_alloc();
    handler();
  }
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return allocated(bytes); }
void operator delete(void* at) noexcept { std::free(at); }
void operator delete(void* at, const std::nothrow_t&) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
