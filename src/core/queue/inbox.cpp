#include "core/queue/inbox.hpp"

#include <mutex>
#include <new>
#include <utility>

#include "core/idle/slow_push.hpp"
#include "core/scheduler_core.hpp"

namespace skua::core {

/// Used by one thread at a time; the next one gets it when that thread has ended. The inbox and the thread share it until both
/// have let go.
struct inbox::box_of_thread : boxes::box {
  explicit box_of_thread(std::uint64_t of) noexcept : serial(of) {}

  const std::uint64_t serial;
  detail::task* free = nullptr;  // records of the scheduler, taken in batches
  std::atomic<bool> in_use{true};

  void hold() noexcept { users_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() noexcept {
    if (users_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// acquire, release: the next user sees `free`.
  bool try_use() noexcept { return !in_use.exchange(true, std::memory_order_acquire); }
  void leave() noexcept {
    in_use.store(false, std::memory_order_release);
    let_go();
  }

 private:
  std::atomic<int> users_{1};
};

/// The box of the calling thread, perhaps of an earlier scheduler.
struct inbox::own_box_here {
  static constinit thread_local box_of_thread* box;
  static constinit thread_local bool thread_ends;

  static box_of_thread* of(std::uint64_t serial) noexcept {
    return box && box->serial == serial ? box : nullptr;
  }
  static void use(box_of_thread& b) {
    struct leave_at_thread_end {
      ~leave_at_thread_end() {
        thread_ends = true;
        if (box) std::exchange(box, nullptr)->leave();
      }
    };
    static thread_local leave_at_thread_end registered;
    static_cast<void>(registered);
    b.hold();
    if (box_of_thread* const before = std::exchange(box, &b)) before->leave();
  }
};
constinit thread_local inbox::box_of_thread* inbox::own_box_here::box = nullptr;
constinit thread_local bool inbox::own_box_here::thread_ends = false;

inbox::inbox(scheduler_core& of) : of_(of) { boxes_.enlist(common_); }

inbox::~inbox() {
  for (boxes::box *b = boxes_.first(), *next; b; b = next) {
    next = b->next();
    if (b != &common_) static_cast<box_of_thread*>(b)->let_go();
  }
}

inbox::boxes::box* inbox::own_box() const noexcept { return own_box_here::of(of_.serial); }

inbox::box_of_thread* inbox::unused_box() noexcept {
  for (boxes::box* b = boxes_.first(); b; b = b->next())
    if (b != &common_ && static_cast<box_of_thread*>(b)->try_use()) return static_cast<box_of_thread*>(b);
  return nullptr;
}

/// Null when the thread ends, or when there is no memory.
inbox::box_of_thread* inbox::find_or_make_own() {
  if (box_of_thread* const mine = own_box_here::of(of_.serial)) [[likely]]
    return mine;
  if (own_box_here::thread_ends) return nullptr;
  box_of_thread* mine = unused_box();
  if (!mine) {
    mine = new (std::nothrow) box_of_thread(of_.serial);
    if (!mine) return nullptr;
    boxes_.enlist(*mine);
  }
  own_box_here::use(*mine);
  return mine;
}

detail::task& inbox::take_record() {
  if (box_of_thread* const mine = find_or_make_own()) {
    if (!mine->free) mine->free = of_.take_batch(of_.near_caller());
    return *std::exchange(mine->free, mine->free->next);
  }
  {
    const std::lock_guard lock(guard_);
    if (free_) return *std::exchange(free_, free_->next);
  }
  detail::task* const batch = of_.take_batch(of_.near_caller());  // not under the lock: it may allocate
  for (detail::task* rest = batch->next; rest;) give_back(*std::exchange(rest, rest->next));
  return *batch;
}

void inbox::give_back(detail::task& unused) noexcept {
  if (auto* const mine = own_box_here::of(of_.serial)) {
    unused.next = mine->free;
    mine->free = &unused;
    return;
  }
  const std::lock_guard lock(guard_);
  unused.next = free_;
  free_ = &unused;
}

void inbox::add(detail::task& t) noexcept {
  auto* const mine = own_box_here::of(of_.serial);
  boxes_.add(mine ? *mine : common_, t);
}

namespace {

// As push_slowly() asks for it, for tasks that cannot be given back: if the queue is full and there is no memory, the task
// runs at once.
struct owner_of_arrived {
  stack& self;
  detail::task& arrived;
  detail::task_pool& queue;

  static bool gathers(detail::slot*) noexcept { return false; }
  void opens() noexcept { rearm<host_platform>(queue); }
  bool has_room(detail::slot* s) {
    const bool full = s >= queue.last && !make_room_for_tasks(*self.worker);
    attend_to_messages(self);
    if (!full) return true;
    queue.top.store(s, std::memory_order_release);  // as in pop
    run_task(arrived, self);
    return false;
  }
  static bool keeps_private(detail::slot*) noexcept { return false; }
  static bool hands_over(detail::slot*) noexcept { return false; }
  void publishes() noexcept { publish_all<host_platform>(queue, task_records{queue}); }
};

void push_arrived(stack& self, detail::task& t) {
  worker& here = *self.worker;
  detail::task_pool& queue = here.tasks;
  detail::slot* const s = queue.own_top();
  if (queue.push_task(s, t))
    push_slowly<host_platform>(*here.pool, here, queue, s, owner_of_arrived{self, t, queue});
}

}  // namespace

bool take_from_inbox(stack& self, scheduler_core& of, from_box which) {
  const bool own = which == from_box::own;
  if ((!own && !of.any_arrived()) || of.simulated) return false;
  if (!of.arrived.take_a_box(of.options.own_order, own, [&](detail::task& t) { push_arrived(self, t); }))
    return false;
  self.worker->pool->show_moved(*self.worker);
  return true;
}

}  // namespace skua::core
