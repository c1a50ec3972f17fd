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

#include "core/place.hpp"

namespace skua::core {

class tracer {
 public:
  /// `events` in all, of all workers together.
  tracer(std::size_t workers, std::size_t events);
  ~tracer();
  tracer(const tracer&) = delete;
  tracer& operator=(const tracer&) = delete;

  trace_log& log(std::size_t worker) noexcept { return *logs_[worker]; }
  const trace_log& log(std::size_t worker) const noexcept { return *logs_[worker]; }

  /// A number for the text, the same for the same text; 0, for which there is no text, without memory.
  std::uint64_t name_of_region(std::string_view text) noexcept;
  /// By their numbers.
  std::vector<std::string> regions() const;

 private:
  std::vector<std::unique_ptr<trace_log>> logs_;
  mutable std::mutex guard_;  // real also where time is virtual: nobody else runs meanwhile
  std::map<std::string, std::uint64_t, std::less<>> numbers_;
};

}  // namespace skua::core
