// What a fork and a loop report when work and span are recorded (scheduler_options::keep_report): the begin and end of
// each of their callables. None of it is on an inlined path. src/core/work_span/work_span.hpp is the other half.
#pragma once

#include <cstdint>

#include <skua/detail/export.hpp>
#include <skua/detail/task_context.hpp>

namespace skua::detail {

/// Exists while the callables of a fork run, if slow_fork() returned `watched`.
class fork_work_span {
 public:
  fork_work_span(task_context& w, fork_way way) noexcept : worker_(way == fork_way::watched ? &w : nullptr) {}
  ~fork_work_span() {
    if (worker_) end();
  }
  fork_work_span(const fork_work_span&) = delete;
  fork_work_span& operator=(const fork_work_span&) = delete;

  void first_ended() noexcept {
    if (worker_) end_first();
  }
  /// The second callable begins here; it was not stolen.
  void second_begins() noexcept {
    if (worker_) begin_second();
  }

 private:
  SKUA_API void end_first() noexcept;
  SKUA_API void begin_second() noexcept;
  SKUA_API void end() noexcept;
  task_context* const worker_;  // null: not recorded
};

/// Marks a block outside of the core that is not work of the program. On a simulated machine it takes virtual time.
class work_span_pause {
 public:
  explicit work_span_pause(task_context& w) noexcept
      : worker_(time_is_virtual && w.work_span ? &w : nullptr) {
    if (worker_) begin();
  }
  ~work_span_pause() {
    if (worker_) end();
  }
  work_span_pause(const work_span_pause&) = delete;
  work_span_pause& operator=(const work_span_pause&) = delete;

 private:
  SKUA_API void begin() noexcept;
  SKUA_API void end() noexcept;
  task_context* worker_;
};

/// Exists for a part of a loop, if slow_loop() returned `watched`, until the iterations that thieves took have ended.
class loop_work_span {
 public:
  explicit loop_work_span(task_context& w) noexcept : worker_(w) {}
  ~loop_work_span() { end(); }
  loop_work_span(const loop_work_span&) = delete;
  loop_work_span& operator=(const loop_work_span&) = delete;

  /// Claimed iterations are about to run.
  void runs() noexcept {
    if (time_is_virtual) begin_chunk();
  }
  /// `iterations` have been run since the last call.
  void ran(std::uint64_t iterations) noexcept {
    iterations_ += iterations;
    if (++chunks_ >= chunks_a_piece_) end_piece();
  }
  /// All iterations that the part runs itself have been run.
  SKUA_API void ran_all() noexcept;

 private:
  SKUA_API void begin_chunk() noexcept;
  SKUA_API void end_piece() noexcept;
  SKUA_API void end() noexcept;
  task_context& worker_;
  std::uint64_t iterations_ = 0;  // not yet reported
  std::uint32_t chunks_ = 0, chunks_a_piece_ = 1;
};

}  // namespace skua::detail
