#include "core/record/tracer.hpp"

#include <algorithm>
#include <atomic>

#include <skua/trace_span.hpp>

namespace skua::core {

namespace {

constexpr std::size_t min_events = 1000;  // of a worker, however many there are
// Some 5 MB. Who gives each step of a long run a name of its own reads none of them.
constexpr std::size_t max_names = 1 << 16;

std::atomic<std::size_t> in_use{0};  // by all rooms

}  // namespace

// No addition that is taken back: meanwhile others would find no room, and lose what comes later for good.
std::size_t trace_room::take(std::size_t events) noexcept {
  std::size_t now = in_use.load(std::memory_order_relaxed), taken;
  do {
    taken = std::min(events, max_ - std::min(max_, now));
  } while (!in_use.compare_exchange_weak(now, now + taken, std::memory_order_relaxed));
  return taken;
}

void trace_room::give_back(std::size_t events) noexcept {
  in_use.fetch_sub(events, std::memory_order_relaxed);
}

void trace_room::keep(std::size_t events) noexcept { in_use.fetch_add(events, std::memory_order_relaxed); }

tracer::tracer(std::size_t workers, std::size_t events) : room_(std::max(events, min_events * workers)) {
  const std::uint64_t now = host_platform::ticks();
  for (std::size_t i = 0; i < workers; ++i)
    logs_.push_back(std::make_unique<trace_log>(std::max(min_events, events / workers), now, &room_));
  detail::tracers.fetch_add(1, std::memory_order_relaxed);
}

std::size_t tracer::kept() const noexcept {
  std::size_t all = 0;
  for (const auto& log : logs_) all += log->words();
  return all;
}

std::uint64_t tracer::lost() const noexcept {
  std::uint64_t all = 0;
  for (const auto& log : logs_) all += log->lost();
  return all;
}

tracer::~tracer() { detail::tracers.fetch_sub(1, std::memory_order_relaxed); }

std::uint64_t tracer::name_of_trace_span(std::string_view text) noexcept try {
  const std::lock_guard lock(guard_);
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const std::uint64_t next = numbers_.size() + 1;
  if (next > max_names) return max_names + 1;
  numbers_.emplace(std::string(text), next);
  return next;
} catch (const std::bad_alloc&) {
  return 0;
}

std::vector<std::string> tracer::regions() const {
  const std::lock_guard lock(guard_);
  std::vector<std::string> texts(numbers_.size() + 1, "region");
  for (const auto& [text, number] : numbers_) texts[number] = text;
  if (numbers_.size() == max_names) texts.push_back("(further names)");
  return texts;
}

}  // namespace skua::core
