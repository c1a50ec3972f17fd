// The operating system and the processor of a simulated machine, as its virtual threads see them. host_platform
// (platform.hpp) calls this for a virtual thread and Linux for a real one, so that the rest of the core need not ask. A virtual
// thread also says what it would do on the modelled machine beside the code that it executes (costs.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include <skua/declare.hpp>
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

/// What a declaration (skua/declare.hpp) says about the data of a leaf.
struct declared_range {
  detail::declared how;
  const void* first;
  std::size_t bytes, rows, pitch;
};

/// How the calling virtual thread is charged while a scoped_charge lives.
enum class charge : std::uint8_t {
  /// A policy looks at other workers. Free with simulation::free_looks.
  policy_look,
  /// Many words are read, and often. No other thread runs meanwhile, and the sum is charged at the end: otherwise each read
  /// would be an event.
  scan,
  /// A thief looks at one victim. Where workers run ahead of each other anyway, as a scan until it writes.
  probe,
  /// The thread makes what a real machine would have from the start. Free, and the new words are in no cache.
  setup,
  /// A fork above the boundary level of a region. Charged as usual, and counted apart.
  above_boundary,
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

  // The time of code that is not executed on the modelled machine.
  virtual void set_charge(charge kind, bool begins) noexcept = 0;
  virtual void declare(const declared_range& range) noexcept = 0;
  virtual void declare_cycles(double cycles) noexcept = 0;

 protected:
  ~virtual_threads() = default;
};

/// The machine of the calling thread, which is a virtual one.
SKUA_FOR_SIMULATOR virtual_threads& virtual_threads_here() noexcept;

}  // namespace skua::core
