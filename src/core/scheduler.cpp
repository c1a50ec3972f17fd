// The public scheduler over the core.
#include <skua/scheduler.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "core/external/child_of_fork.hpp"
#include "core/learning/learnt_file.hpp"
#include "core/scheduler_core.hpp"
#include "core/start/wrong_variables.hpp"
#include "observe/trace_text.hpp"

namespace skua {

namespace detail {

class scheduler_impl : public core::core_of_process {
 public:
  using core::core_of_process::core_of_process;
};

namespace {

/// Whether one of the scheduler's tasks runs on this thread, perhaps below calls into other schedulers.
bool runs_inside(const core::scheduler_core& pool) noexcept {
  for (const core::stack* s = core::current_stack(); s; s = s->entered_from)
    if (core::is_of(*s, pool)) return true;
  return false;
}

}  // namespace

// A scheduler that one of its tasks destroys would wait for that task for ever. So it is left as it is. This also holds
// for a task that calls exit() while the scheduler is a static object: then the process ends.
void scheduler_deleter::operator()(scheduler_impl* impl) const noexcept {
  if (impl->starts_anew() || !runs_inside(impl->any())) {
    delete impl;
    return;
  }
  std::fputs(
      "skua: a scheduler cannot be destroyed by one of its own tasks; it stays until the process ends\n",
      stderr);
}

void run_in(scheduler_impl& pool, void (*code)(void*, task_context&), void* data) {
  core::run_as_worker(pool.usable(), code, data);
}

}  // namespace detail

namespace {

std::mutex default_mutex;
std::atomic<scheduler*> made_default{nullptr};
// A missing thread may hold it in a child of fork(). Its data are complete, since a thread that changes them holds a
// making_scheduler meanwhile.
const core::in_child free_mutex([]() noexcept { ::new (static_cast<void*>(&default_mutex)) std::mutex; });
// Never destroyed, because a thread may ask for the first time during static destruction.
scheduler_options& default_options() {
  static auto* const chosen = new scheduler_options;
  return *chosen;
}

scheduler& make_default() {
  const core::making_scheduler alone;
  std::lock_guard lock(default_mutex);
  if (scheduler* made = made_default.load(std::memory_order_relaxed)) return *made;
  // Never destroyed: threads may still use it during static destruction.
  scheduler* made = nullptr;
  try {
    made = new scheduler(default_options());
  } catch (const bad_input& refusal) {  // of a variable, since the options were accepted before
    core::end_by_refusal_if_uncaught(refusal);
    throw bad_input(refusal);  // anew, since an exception keeps the terminate handler of its throw
  }
  made_default.store(made, std::memory_order_release);
  return *made;
}

}  // namespace

scheduler::scheduler(scheduler_options options) {
  const core::making_scheduler alone;
  core::say_wrong_variables();
  try {
    impl_.reset(new detail::scheduler_impl(core::checked(options)));
  } catch (const bad_input& refusal) {
    if (!std::string_view(refusal.what()).starts_with("SKUA_")) throw;
    core::end_by_refusal_if_uncaught(refusal);
    throw bad_input(refusal);
  }
  core::learnt_file::say_if_unusable();
}
scheduler::~scheduler() = default;

std::size_t scheduler::workers() const { return impl_->any().workers(); }
const skua::topology& scheduler::machine() const { return impl_->any().options.machine; }
const placement& scheduler::seats() const { return impl_->any().placed; }
const std::string& scheduler::policy() const { return impl_->any().options.policy.text; }

skua::report scheduler::report() const {
  core::scheduler_core& core = impl_->usable();
  skua::report r;
  for (const auto& p : core.all_workers) {
    r.workers.push_back(p->observer.counters.read());
    r.total += r.workers.back();
  }
  auto kept = core.times();
  r.seconds = kept.seconds;
  for (const worker_times& one : kept.workers) r.total_times += one;
  r.times = std::move(kept.workers);
  return r;
}

void scheduler::reset_report() {
  core::scheduler_core& core = impl_->usable();
  for (const auto& p : core.all_workers) p->observer.counters.clear();
  if (core.options.keep_times) core.start_clock();
}

std::string scheduler::report_json() const {
  if (!impl_->any().options.keep_report)
    throw std::logic_error("skua: report_json() of a scheduler without scheduler_options::keep_report");
  return observe::to_json(impl_->usable().record());
}

std::string scheduler::trace_json() const {
  if (!impl_->any().options.keep_trace)
    throw std::logic_error("skua: trace_json() of a scheduler without scheduler_options::keep_trace");
  return observe::trace_file({impl_->usable().trace(1)});
}

bool scheduler::is_simulated() const { return impl_->any().simulated != nullptr; }

simulation_report scheduler::simulated() const {
  const auto& simulated = impl_->usable().simulated;
  return simulated ? simulated->report() : simulation_report{};
}

simulation_progress scheduler::simulated_so_far() const noexcept {
  const auto& simulated = impl_->any().simulated;
  if (!simulated) return {};
  simulated->note_program_asks();
  return simulated->progress();
}

scheduler& default_scheduler() {
  scheduler* made = made_default.load(std::memory_order_acquire);
  return made ? *made : make_default();
}

void configure_default_scheduler(scheduler_options options) {
  const core::making_scheduler alone;
  std::lock_guard lock(default_mutex);
  scheduler* const made = made_default.load(std::memory_order_relaxed);
  if (made && !made->impl_->starts_anew())
    throw std::logic_error(
        "skua: configure_default_scheduler() must come before the first use of the default scheduler");
  core::settings chosen = core::checked(options);  // throws now if they are wrong
  if (made) made->impl_->start_anew_with(std::move(chosen));
  default_options() = std::move(options);
}

scheduler& scheduler::standard() { return default_scheduler(); }
void scheduler::configure_standard(scheduler_options options) {
  configure_default_scheduler(std::move(options));
}

int worker_index() noexcept {
  const task_context* w = detail::current;
  return w ? static_cast<int>(w->worker->id) : -1;
}

namespace detail {

kept_context::kept_context() : context_(core::enter_to_add(default_scheduler().impl_->usable())) {}

kept_context::~kept_context() {
  if (context_) core::leave_after_adding(static_cast<core::stack&>(*context_));
}

outside_record::outside_record() {
  core::scheduler_core& pool = default_scheduler().impl_->usable();
  if (pool.simulated) return;
  pool_ = &pool;
  record_ = &pool.arrived.take_record();
}

outside_record::~outside_record() {
  if (record_) pool_->arrived.give_back(*record_);
}

// False when it cannot work on the tasks: no worker is free, or there is no memory for a stack. Or it had a worker and has found
// no more of them, although they have not ended.
bool group_base::wait_as_worker(bool& had_worker) noexcept try {
  const auto wait = [](void* group, task_context& w) { static_cast<group_base*>(group)->wait_all_of(w); };
  const auto wait_while_there_are_tasks = [](void* group, task_context& w) {
    static_cast<group_base*>(group)->run_while_there_are_tasks(w);
  };
  scheduler* const made = made_default.load(std::memory_order_acquire);
  // A group that was made in a task may have private tasks on the worker of that task.
  const bool needs_worker = home_ != nullptr;
  // In a child of fork() where the default scheduler has not been used, it has no task.
  if ((!made || made->impl_->starts_anew()) && !needs_worker) return false;
  core::scheduler_core& pool = default_scheduler().impl_->usable();
  if (!needs_worker && core::waits_in_parts(pool)) {
    had_worker = core::run_as_free_worker(pool, wait_while_there_are_tasks, this);
    return had_worker && pending_.done();
  }
  if (!needs_worker && !pool.simulated) return core::run_as_free_worker(pool, wait, this);
  core::run_as_worker(pool, wait, this);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void group_base::wait_from_outside(waits_in place) {
  refuse_own_tasks(nullptr, place);
  sleep_or_work();
}

void group_base::sleep_or_work() noexcept {
  forget_tasks_of_parent(nullptr);
  bool had_worker = false;
  while (!wait_as_worker(had_worker)) {
    if (!home_) {
      scheduler* const made = made_default.load(std::memory_order_acquire);
      return sleep_until_done(made && !made->impl_->starts_anew() ? &made->impl_->usable() : nullptr,
                              had_worker);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the tasks use the group: it must wait
  }
}

void run_outside(void (*code)(void*, task_context&), void* data, const void* from) {
  core::run_as_worker(default_scheduler().impl_->usable(), code, data, from);
}

}  // namespace detail
}  // namespace skua
