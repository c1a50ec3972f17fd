#include "core/start/fewer_workers.hpp"

#include <atomic>
#include <cstdio>

#include "core/platform/resource_limits.hpp"

namespace skua::core {

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

void warn_of_fewer_workers(std::size_t workers, std::size_t wanted, const std::string& limit) noexcept {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "skua: %zu of %zu workers run, since no more could be started: %s\n", workers,
                 wanted, limit.c_str());
}

void refuse_without_workers(std::size_t wanted, const std::string& limit) {
  throw std::runtime_error("skua: none of " + std::to_string(wanted) + " workers could be started: " + limit);
}

}  // namespace skua::core
