// A scheduler with fewer workers than wanted, where limits of threads or memory (ulimit, containers) forbid more.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/platform/resource_limits.hpp"
#include "core/start/settings.hpp"

namespace skua::core {

/// A worker's thread could not be started.
class thread_refused : public std::runtime_error {
 public:
  /// `before`: the threads of the same scheduler that were started.
  thread_refused(std::size_t before, const std::string& limit)
      : std::runtime_error("skua: no thread can be started: " + limit), before_(before), limit_(limit) {}
  std::size_t before() const noexcept { return before_; }
  const std::string& limit() const noexcept { return limit_; }

 private:
  std::size_t before_;
  std::string limit_;
};

/// Once in a process: one line on standard error.
inline void warn_of_fewer_workers(std::size_t workers, std::size_t wanted,
                                  const std::string& limit) noexcept {
  static std::atomic<bool> warned{false};
  if (!warned.exchange(true, std::memory_order_relaxed))
    std::fprintf(stderr, "skua: %zu of %zu workers run, since no more could be started: %s\n", workers,
                 wanted, limit.c_str());
}
/// One sentence, for a scheduler that cannot have a single worker.
[[noreturn]] inline void refuse_without_workers(std::size_t wanted, const std::string& limit) {
  throw std::runtime_error("skua: none of " + std::to_string(wanted) + " workers could be started: " + limit);
}

/// With somewhat fewer workers, all of them may have enough memory.
inline std::size_t somewhat_fewer(std::size_t workers) noexcept {
  return workers - std::max<std::size_t>(1, workers / 8);
}

/// Calls make(settings), with fewer workers than chosen while it throws thread_refused or bad_alloc. Throws
/// std::runtime_error when not even one worker is possible.
template <class Make>
auto with_possible_workers(settings chosen, Make make) {
  const std::size_t wanted = chosen.workers;
  std::string limit;
  // malloc keeps a part of the memory of each attempt for good, and more of it for more workers. So attempts that
  // cannot succeed are left out: they could leave too little memory for a single worker.
  while (!chosen.simulate && chosen.workers > 1 && !may_have_room_for_threads(chosen.workers)) {
    limit = limit_of_memory();
    chosen.workers = somewhat_fewer(chosen.workers);
  }
  for (;;) {
    std::size_t known = 0;  // this many workers are possible
    try {
      auto made = make(chosen);
      if (chosen.workers < wanted) warn_of_fewer_workers(chosen.workers, wanted, limit);
      return made;
    } catch (const thread_refused& refused) {
      limit = refused.limit();
      known = refused.before();
    } catch (const std::bad_alloc&) {
      if (chosen.simulate) throw;
      limit = limit_of_memory();
    }
    // Every worker takes memory, even if its thread does not start.
    chosen.workers = std::max(known, somewhat_fewer(chosen.workers));
    if (chosen.workers == 0) refuse_without_workers(wanted, limit);
  }
}

}  // namespace skua::core
