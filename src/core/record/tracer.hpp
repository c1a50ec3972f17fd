// What a scheduler with keep_trace keeps: the events of its workers, and the names of trace spans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/platform/process_fork.hpp"
#include "core/worker.hpp"

namespace skua::core {

/// The room of the process for what all traces keep, and for the texts of schedulers that have ended.
class trace_room final : public observe::event_room {
 public:
  explicit trace_room(std::size_t max) noexcept : max_(max) {}
  std::size_t take(std::size_t events) noexcept override;
  void give_back(std::size_t events) noexcept override;
  /// Takes room even if there is none.
  static void keep(std::size_t events) noexcept;

 private:
  const std::size_t max_;
};

class tracer {
 public:
  /// `events`: the limit for all workers together, and for all other tracers of the process.
  tracer(std::size_t workers, std::size_t events);
  ~tracer();
  tracer(const tracer&) = delete;
  tracer& operator=(const tracer&) = delete;

  trace_log& log(std::size_t worker) noexcept { return *logs_[worker]; }
  const trace_log& log(std::size_t worker) const noexcept { return *logs_[worker]; }

  /// Words of events that were kept, and events that were lost, by all workers.
  std::size_t kept() const noexcept;
  std::uint64_t lost() const noexcept;

  /// A number for the text: the same for the same text, and one number for all texts beyond a limit. 0, which has no text,
  /// when there is no memory.
  std::uint64_t name_of_trace_span(std::string_view text) noexcept;
  /// The texts by their numbers.
  std::vector<std::string> spans() const;

 private:
  trace_room room_;  // must outlive the logs
  std::vector<std::unique_ptr<trace_log>> logs_;
  mutable fork_safe_lock guard_;  // real also in virtual time: no other thread runs meanwhile
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

}  // namespace skua::core
