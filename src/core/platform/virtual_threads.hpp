// The operating system and the processor of a simulated machine, as its virtual threads see them. host_platform
// (platform.hpp) calls this for a virtual thread and Linux for a real one, so that the rest of the core need not ask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <skua/detail/atomics.hpp>
#include <skua/topology.hpp>

#include "base/for_simulator.hpp"

namespace skua::core {

/// What takes a thread a time that the machine's model states.
enum class timed_step : std::uint8_t {
  // Code that is inlined in the program. It does not stop for each use; the core charges it when it is entered next.
  fork,
  group_task,
  loop_chunk,
  // Instructions and calls of the system.
  relax,
  yield,
  heavy_fence
};

/// Every function acts for the virtual thread that calls it.
class virtual_threads {
 public:
  virtual void touch(const void* word, detail::use how) noexcept = 0;
  /// The caller has made an object with such words where something else was before.
  virtual void new_words(const void* object, std::size_t bytes) noexcept = 0;
  virtual void spend(timed_step taken) noexcept = 0;
  virtual void park(const void* word, std::int64_t timeout_us) noexcept = 0;
  virtual void unpark(const void* word) noexcept = 0;
  virtual std::int64_t now_ns() noexcept = 0;
  virtual std::uint32_t current_cpu() noexcept = 0;
  /// Starts a thread on the caller's CPU.
  virtual void start_helper(std::function<void()> code) = 0;
  /// From now on the caller is that worker and runs on that CPU.
  virtual void attach(worker_id worker, std::uint32_t cpu) noexcept = 0;

 protected:
  ~virtual_threads() = default;
};

/// The machine of the calling thread, which is a virtual one.
SKUA_FOR_SIMULATOR virtual_threads& virtual_threads_here() noexcept;

}  // namespace skua::core
