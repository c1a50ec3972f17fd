#include "core/record/tracer.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include <skua/trace_span.hpp>

#include "core/platform/symbols.hpp"
#include "core/record/call_row.hpp"
#include "core/record/call_site_names.hpp"
#include "core/scheduler_core.hpp"
#include "observe/trace_text.hpp"

namespace skua::core {

namespace {

constexpr std::size_t min_events = 1000;  // of a worker, however many workers there are
// About 5 MB. A program that gives each step of a long run its own name gets one name for all further steps.
constexpr std::size_t max_names = 1 << 16;

std::atomic<std::size_t> in_use{0};  // by all rooms

}  // namespace

// Does not add first and take back later: meanwhile other threads would find no room, and lose later events for good.
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

std::vector<std::string> tracer::spans() const {
  const std::lock_guard lock(guard_);
  std::vector<std::string> texts(numbers_.size() + 1, "span");
  for (const auto& [text, number] : numbers_) texts[number] = text;
  if (numbers_.size() == max_names) texts.push_back("(further names)");
  return texts;
}

namespace {

/// The function in which a task was made, each looked up once.
class names_of_tasks {
 public:
  std::string operator()(std::uint64_t code) {
    const auto [at, is_new] = known_.try_emplace(code);
    if (is_new) at->second = enclosing_function(symbols_->function_at(code));
    return at->second;
  }

 private:
  std::map<std::uint64_t, std::string> known_;
  std::shared_ptr<symbols> symbols_ = std::make_shared<symbols>();
};

observe::traced_worker worker_of(const scheduler_core& pool, worker_id worker) {
  const seat& at = pool.placed[worker];
  observe::traced_worker to{.name = "worker " + std::to_string(worker) + ", CPU " + std::to_string(at.cpu)};
  const trace_log& log = pool.tracing->log(worker);
  log.read([&](const observe::trace_event& event) { to.events.push_back(event); });
  to.lost = log.lost();
  return to;
}

}  // namespace

std::string scheduler_core::trace(int process) const {
  end_rows(*this);
  const clock_reading now = read_clock();
  observe::traced_run run{.name = "skua: " + std::to_string(workers()) + " workers, " + options.policy.text +
                                  ", " + std::string(options.machine.source())};
  run.began = trace_began_.ticks;
  run.ended = now.ticks;
  run.ns_a_tick = ns_a_tick(trace_began_, now);
  run.spans = tracing->spans();
  run.name_of_code = names_of_tasks();
  run.messages = {"UPDATE", "STEAL", "TASK", "VICTIM_UPDATE", "STEALER_UPDATE", "UNBLOCK"};
  for (worker_id w = 0; w < workers(); ++w) run.workers.push_back(worker_of(*this, w));
  return observe::trace_events(run, process);
}

}  // namespace skua::core
