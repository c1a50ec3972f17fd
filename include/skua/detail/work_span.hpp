// What a fork and a loop say of themselves where the structure of a run is kept (scheduler_options::keep_report): when
// each of their callables begins and ends. None of it stands on an inlined path; src/core/work_span/work_span.hpp is the other half.
#pragma once

#include <cstdint>

#include <skua/detail/export.hpp>
#include <skua/detail/task_context.hpp>

namespace skua::detail {

/// A fork that slow_fork() wants watched, while its callables run.
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
  /// The second one, here and not by a thief.
  void second_begins() noexcept {
    if (worker_) begin_second();
  }

 private:
  SKUA_API void end_first() noexcept;
  SKUA_API void begin_second() noexcept;
  SKUA_API void end() noexcept;
  task_context* const worker_;  // null: nobody watches
};

/// What is no work of the program, although its thread does it outside of the core: on a simulated machine it takes time.
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

/// A part of a loop that slow_loop() wants watched, until what thieves took of it has ended.
class loop_work_span {
 public:
  explicit loop_work_span(task_context& w) noexcept : worker_(w) {}
  ~loop_work_span() { end(); }
  loop_work_span(const loop_work_span&) = delete;
  loop_work_span& operator=(const loop_work_span&) = delete;

  /// Iterations are about to be run, which have been claimed.
  void runs() noexcept {
    if (time_is_virtual) begin_chunk();
  }
  /// So many iterations have been run since the last call.
  void ran(std::uint64_t iterations) noexcept {
    iterations_ += iterations;
    if (++chunks_ >= chunks_a_piece_) end_piece();
  }
  /// The part's own ones have all been run.
  SKUA_API void ran_all() noexcept;

 private:
  SKUA_API void begin_chunk() noexcept;
  SKUA_API void end_piece() noexcept;
  SKUA_API void end() noexcept;
  task_context& worker_;
  std::uint64_t iterations_ = 0;  // not yet told
  std::uint32_t chunks_ = 0, chunks_a_piece_ = 1;
};

}  // namespace skua::detail
