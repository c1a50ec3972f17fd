// The trace of a run, from what a scheduler has kept.
#include <map>
#include <memory>
#include <string>

#include "core/platform/symbols.hpp"
#include "core/record/call_site_names.hpp"
#include "core/record/tracer.hpp"
#include "core/scheduler_core.hpp"
#include "observe/trace_text.hpp"

namespace skua::core {

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
  const seat& at = pool.seats[worker];
  observe::traced_worker to{.name = "worker " + std::to_string(worker) + ", CPU " + std::to_string(at.cpu)};
  const trace_log& log = pool.tracing->log(worker);
  log.read([&](const observe::trace_event& event) { to.events.push_back(event); });
  to.lost = log.lost();
  return to;
}

}  // namespace

std::string scheduler_core::trace(int process) const {
  const clock_reading now = read_clock();
  observe::traced_run run{.name = "skua: " + std::to_string(workers()) + " workers, " + options.policy +
                                  ", " + std::string(options.machine.source())};
  run.began = trace_began_.ticks;
  run.ended = now.ticks;
  run.ns_a_tick = ns_a_tick(trace_began_, now);
  run.regions = tracing->regions();
  run.name_of_code = names_of_tasks();
  run.messages = {"UPDATE", "STEAL", "TASK", "VICTIM_UPDATE", "STEALER_UPDATE", "UNBLOCK"};
  for (worker_id w = 0; w < workers(); ++w) run.workers.push_back(worker_of(*this, w));
  return observe::trace_events(run, process);
}

}  // namespace skua::core
