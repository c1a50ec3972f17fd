#include "core/platform/resource_limits.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <optional>

namespace skua::core {

namespace {

std::optional<rlim_t> limit_of(decltype(RLIMIT_AS) what) noexcept {
  rlimit limit{};
  if (getrlimit(what, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

/// With its guard.
std::size_t bytes_of_thread_stack() noexcept {
  std::size_t bytes = 8 << 20;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &bytes);
    pthread_attr_destroy(&attributes);
  }
  return bytes + (64 << 10);
}

/// Null if there are not so many. The system need not have the memory.
void* take_addresses(std::size_t bytes) noexcept {
  void* const there = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
  return there == MAP_FAILED ? nullptr : there;
}

/// "ulimit -v is 300000 kB", "ulimit -d ..."; empty without such a limit.
std::string limit_of_addresses() {
  if (const auto all = limit_of(RLIMIT_AS)) return "ulimit -v is " + std::to_string(*all / 1024) + " kB";
  if (const auto data = limit_of(RLIMIT_DATA)) return "ulimit -d is " + std::to_string(*data / 1024) + " kB";
  return {};
}

/// "ulimit -u is 100"; empty without such a limit.
std::string limit_of_user_threads() {
  const auto threads = limit_of(RLIMIT_NPROC);
  return threads ? "ulimit -u is " + std::to_string(*threads) : std::string();
}

}  // namespace

room_for_thread_stack::room_for_thread_stack() noexcept
    : bytes_(bytes_of_thread_stack()), there_(take_addresses(bytes_)) {}

room_for_thread_stack::~room_for_thread_stack() {
  if (*this) munmap(there_, bytes_);
}

room_for_thread_stack::operator bool() const noexcept { return there_ != nullptr; }

bool may_have_room_for_threads(std::size_t threads) noexcept {
  constexpr std::size_t kept = 40 << 20;  // the limit of glibc
  const std::size_t bytes = threads * bytes_of_thread_stack();
  if (bytes <= kept) return true;
  void* const there = take_addresses(bytes - kept);
  if (there) munmap(there, bytes - kept);
  return there != nullptr;
}

std::string limit_of_memory() {
  const std::string limit = limit_of_addresses();
  return limit.empty() ? "the system has no more memory" : limit;
}

std::string limit_of_threads() {
  if (!room_for_thread_stack()) return limit_of_memory();
  const std::string limit = limit_of_user_threads();
  return (limit.empty() ? "the system starts no more threads" : limit) +
         " (a container may have a lower limit of its own, pids.max)";
}

}  // namespace skua::core
