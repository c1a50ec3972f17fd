// Large arrays of the tool begin at a page boundary. The hits and misses of a simulated machine depend on an array's offset
// in its cache lines and pages, and this offset must not depend on earlier calls of malloc (the length of a path, the
// version of the C library). Small arrays are left alone: many arrays of little more than a page would leave every second
// page nearly empty, and on a machine that interleaves pages every second memory nearly idle.
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

// These replace the global operators. The forms for arrays call them; those for stricter alignment are unchanged.
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
