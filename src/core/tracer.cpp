#include "core/tracer.hpp"

#include <algorithm>

#include <skua/region.hpp>

namespace skua::core {

namespace {

constexpr std::size_t least_events = 1000;  // of a worker, however many there are

}  // namespace

tracer::tracer(std::size_t workers, std::size_t events) {
  for (std::size_t i = 0; i < workers; ++i)
    logs_.push_back(std::make_unique<trace_log>(std::max(least_events, events / workers)));
  detail::tracers.fetch_add(1, std::memory_order_relaxed);
}

tracer::~tracer() { detail::tracers.fetch_sub(1, std::memory_order_relaxed); }

std::uint64_t tracer::name_of_region(std::string_view text) noexcept try {
  const std::lock_guard lock(guard_);
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const std::uint64_t next = numbers_.size() + 1;
  numbers_.emplace(std::string(text), next);
  return next;
} catch (const std::bad_alloc&) {
  return 0;
}

std::vector<std::string> tracer::regions() const {
  const std::lock_guard lock(guard_);
  std::vector<std::string> texts(numbers_.size() + 1, "region");
  for (const auto& [text, number] : numbers_) texts[number] = text;
  return texts;
}

}  // namespace skua::core
