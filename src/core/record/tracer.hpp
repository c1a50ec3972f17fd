// What a scheduler with keep_trace keeps: the events of its workers, and the names of regions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker.hpp"

namespace skua::core {

/// Of the process: what all traces keep, and what is written of schedulers that have ended.
class trace_room final : public observe::event_room {
 public:
  explicit trace_room(std::size_t max) noexcept : max_(max) {}
  std::size_t take(std::size_t events) noexcept override;
  void give_back(std::size_t events) noexcept override;
  /// Also where there is no room.
  static void keep(std::size_t events) noexcept;

 private:
  const std::size_t max_;
};

class tracer {
 public:
  /// `events` in all, of all workers together, and of all other tracers of the process.
  tracer(std::size_t workers, std::size_t events);
  ~tracer();
  tracer(const tracer&) = delete;
  tracer& operator=(const tracer&) = delete;

  trace_log& log(std::size_t worker) noexcept { return *logs_[worker]; }
  const trace_log& log(std::size_t worker) const noexcept { return *logs_[worker]; }

  /// Words of events that have been kept, and events that have been lost, of all workers.
  std::size_t kept() const noexcept;
  std::uint64_t lost() const noexcept;

  /// A number for the text, the same for the same text, and one for all after the first many; 0, for which there is no
  /// text, without memory.
  std::uint64_t name_of_trace_span(std::string_view text) noexcept;
  /// By their numbers.
  std::vector<std::string> regions() const;

 private:
  trace_room room_;  // lives longer than the logs
  std::vector<std::unique_ptr<trace_log>> logs_;
  mutable std::mutex guard_;  // real also where time is virtual: nobody else runs meanwhile
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

}  // namespace skua::core
