// A phase: a queue of tasks that create more tasks. All workers process it, in a chosen order.
//
//   skua::phase<long> p(skua::order::fifo);
//   p.enqueue(root);
//   p.run([&](long node) { for (long c : children(node)) p.enqueue(c); });    // returns when all are done
//
//   p.run([&] { for (long t; p.dequeue(t);) visit(t); });   // your own loop: called once by each participant
//
//   p.enqueue_range(0, n);                                  // one task for the whole loop, split when stolen
//   double sum = p.run([&](long i, double& part) { part += a[i]; }, 0.0, std::plus<>{});
//
// Tasks are values, not callables: a task is a trivially copyable T of at most four words, and moves between workers in
// a message. A participant is a worker that takes part in the phase. It has its own queue, which no other participant
// touches. A participant without tasks reports to its manager. The manager asks the participant with the most tasks to
// send some. Managers form a tree. When no participant has tasks, the phase ends and run() returns. (Under the policy
// chase_lev, thieves take tasks from deques instead.) Use task_group for tasks of any kind. Use a phase when the order
// matters (breadth first, best first) or for successive rounds of tiny tasks.
//
// - Parameters: phase_options. T: trivially copyable, at most 32 bytes (integers may be enqueued as a range). Less: for
//   order::priority, where the greatest task goes first; other orders do not use it.
// - Each participant orders its own tasks. So the order is exact with one worker; with more workers it holds within
//   each participant's queue. A thief receives the oldest tasks (lifo, fifo) or the greatest tasks (priority).
// - enqueue() may be called before run(), by bodies, and by tasks that a body waits for. Tasks that are enqueued while
//   no run is active are for the next run(). A phase can be run any number of times.
// - The caller takes part, and so do other workers of its scheduler as they become free. The phase does not wait for a worker
//   that stays busy. A participant without tasks suspends after a short time, and its worker runs other tasks until the
//   participant receives tasks. So run() may be called inside tasks and inside another phase's body.
// - Reductions: each participant adds to its own part, which starts as a copy of `identity`. combine(R, R) combines
//   parts in no fixed order. So it must be associative and commutative, and combine(identity, x) must be x. Parts move
//   up the tree of managers together with the message that a participant has no more tasks.
// - Exceptions: the first exception of a body stops the phase. Tasks that have not started are dropped, and run()
//   throws the exception. A body of the second form that returns before dequeue() has returned false also stops the
//   phase, but without an exception. An exception of Less counts as one of a body. enqueue() throws std::bad_alloc, the
//   constructor throws bad_input. dequeue() outside of a body, and run() of a phase that is running, throw
//   std::logic_error. When there is no memory for messages, they use a reserve of 256 KiB for the whole process. When the
//   reserve is used up for a second, the process prints a sentence and ends (std::terminate).
// - Cost: about ten nanoseconds to enqueue and dequeue a task, or for an iteration of a range, without an atomic
//   read-modify-write; O(log n) for order::priority. A run of one task costs a microsecond on one worker, and slightly
//   more with each further worker. A steal takes four messages and moves at most 8 tasks. The end of a phase takes
//   O(log n) messages for each participant. Messages are allocated.
// - Tasks that were enqueued before run() are distributed among all participants at the start. Tasks that a body
//   enqueues stay in its participant's queue while a body there runs long or waits, because a participant answers
//   messages only between tasks and in enqueue(). After about 50 microseconds the manager asks another participant. So
//   a body must not wait for other tasks of the phase.
// - Thread-safety: enqueue() as above; one run() at a time.
// Paper: Sanchez, Yoo and Kozyrakis, "Flexible Architectural Support for Fine-Grain Scheduling" (ASPLOS 2010), the
// software of its ADM runtime.
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <skua/detail/exceptions.hpp>
#include <skua/detail/invoke.hpp>
#include <skua/detail/phase_core.hpp>
#include <skua/detail/phase_queue.hpp>
#include <skua/detail/positions.hpp>
#include <skua/order.hpp>
#include <skua/steal_policy.hpp>
#include <skua/topology.hpp>

namespace skua {

/// How tasks move from one participant to another.
enum class phase_stealing {
  as_policy,  // chase_lev if that is the scheduler's policy and the order is not priority, else messages
  messages,
  /// The ADM paper's software baseline, for comparison. Thieves take tasks from deques, the nearest first. A count of
  /// active participants detects the end, as in X10. Every call is out of line. Only for lifo and fifo.
  chase_lev,
};

/// The options of a phase.
struct phase_options {
  skua::order order = skua::order::lifo;
  phase_stealing stealing = phase_stealing::as_policy;
  // The next three options apply to messages only.

  /// Children of a manager, 2 to 4096. With a radix of at least the number of workers there is one manager.
  std::int64_t radix = 8;
  /// Number of workers that run managers and no tasks; at least one worker is left for tasks. 0: each manager runs on
  /// the worker that posts a message to it.
  std::int64_t dedicated_managers = 0;
  /// A worker is sent tasks while it has fewer tasks than this, including the running one; 1 or more. With 1 it is sent
  /// tasks only when it has none.
  std::int64_t underflow = 1;
  /// How much a steal takes: one task, or half of the victim's tasks; a steal by messages takes at most 8.
  skua::amount steal = skua::amount::half;
};

/// A queue of tasks of type T and the workers that process it; see the top of this file. It is neither copied nor moved.
template <class T, class Less = std::less<>>
class phase : private detail::phase_base {
  static_assert(
      std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(detail::phase_words),
      "a phase's task travels as a message of four words: use a trivially copyable type of at most 32 "
      "bytes, for instance an index or a pointer");

 public:
  explicit phase(skua::order by = skua::order::lifo, Less less = {})
      : phase(phase_options{.order = by}, std::move(less)) {}
  /// Throws bad_input for an option out of range, and for order::priority when Less cannot compare two T.
  explicit phase(const phase_options& options, Less less = {})
      : phase_base(options), order_(options.order), less_(std::move(less)) {
    if (order_ == order::priority && !queue::can_order)
      detail::refuse_input(
          "a phase with order::priority needs tasks that can be compared: give its type operator<, or the "
          "phase "
          "a second template argument that compares two tasks");
  }

  /// Adds one task. Throws std::bad_alloc.
  void enqueue(const T& task) { enqueue_entry({task}); }
  /// Adds all values of [first, last) as one task that is split when stolen. A body receives one value at a time. As for a
  /// loop, a last value that is not greater than the first one means none. Throws bad_input if T does not have all of the
  /// values, and std::bad_alloc.
  template <class A, class B>
    requires(detail::phase_entry<T>::is_range && detail::both_integers<A, B>)
  void enqueue_range(A first, B last) {
    const auto [begin, end] = detail::ends_of(first, last);
    if (!(begin < end)) return;
    if (!detail::is_value_of<T>(begin) || !detail::is_value_of<T>(end - 1)) [[unlikely]]
      detail::refuse_input(("phase::enqueue_range(" + std::to_string(begin) + ", " + std::to_string(end) +
                            "): the type of the phase's tasks does not have all of these values")
                               .c_str());
    enqueue_entry(
        {static_cast<T>(begin), static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(begin)});
  }

  /// Takes the next task of this participant, in a body without a task parameter. Waits when there is none. Returns
  /// false at the end of the phase. Throws std::logic_error outside of a body.
  bool dequeue(T& task) {
    detail::phase_participant* const here = participant_here();
    if (!here)
      detail::refuse_use("skua: phase::dequeue() outside of run(); call it in a body that run() was given");
    return dequeue_at(*here, task);
  }

  /// Runs all enqueued tasks and the tasks that these enqueue. Calls body(T) for each task, or body() once for each
  /// participant.
  template <class Body>
    requires(std::invocable<Body&, T> || std::invocable<Body&>)
  void run(Body&& body) {
    auto call = [&](detail::phase_participant& here) {
      if constexpr (std::invocable<Body&, T>)
        for (T task; dequeue_at(here, task);) detail::invoke(body, task);
      else
        body();
    };
    plain_work<decltype(call)> work(*this, call);
    run_phase(work);
  }

  /// Runs the phase with a reduction and returns its result. Calls body(T, R& part) for each task, or body(R& part)
  /// once for each participant.
  template <class Body, class R, class Combine>
    requires(std::invocable<Body&, T, R&> || std::invocable<Body&, R&>)
  R run(Body&& body, R identity, Combine combine) {
    reducing_work<std::remove_reference_t<Body>, R, Combine> work(*this, body, identity, combine);
    const std::shared_ptr<void> all = run_phase(work);
    return all ? std::move(*static_cast<R*>(all.get())) : std::move(identity);
  }

 private:
  using queue = detail::phase_queue<T, Less>;
  using entry = typename queue::entry;

  queue& queue_of(detail::phase_participant& here) const { return static_cast<queue&>(*here.tasks); }

  void enqueue_entry(const entry& e) {
    detail::phase_participant* const here = participant_here();
    if (!here) return enqueue_outside(e);
    queue& mine = queue_of(*here);
    mine.push(e);
    if (here->must_attend(mine.size())) [[unlikely]]
      attend(*here);
  }
  void enqueue_outside(const entry& e) {
    const std::lock_guard lock(outside_mutex_);
    outside_.push_back(e);
    // release: partner of take_outside(). A body that waits for the caller orders it as well.
    any_outside_.store(true, std::memory_order_release);
  }

  bool dequeue_at(detail::phase_participant& here, T& task) {
    queue& mine = queue_of(here);
    while (!here.awake || mine.size() == 0 || stopped()) [[unlikely]]
      if (!next(here)) return false;
    task = mine.pop();
    if (here.must_attend(mine.size())) [[unlikely]]
      attend(here);
    return true;
  }

  void take_outside(queue& into) {
    if (!any_outside_.load(std::memory_order_acquire)) return;  // partner of enqueue_outside()
    const std::lock_guard lock(outside_mutex_);
    for (const entry& e : outside_) into.push(e);
    outside_.clear();
    any_outside_.store(false, std::memory_order_relaxed);
  }

  class work_base : public detail::phase_work {
   public:
    explicit work_base(phase& of) : of_(of) {}
    std::unique_ptr<detail::phase_tasks> make_queue() override {
      return std::make_unique<queue>(of_.order_, of_.less_);
    }
    void take_enqueued(detail::phase_tasks& into) override { of_.take_outside(static_cast<queue&>(into)); }
    void discard_enqueued() noexcept override {
      const std::lock_guard lock(of_.outside_mutex_);
      of_.outside_.clear();
      of_.any_outside_.store(false, std::memory_order_relaxed);
    }

   protected:
    ~work_base() = default;
    phase& of_;
  };

  template <class Call>
  class plain_work final : public work_base {
   public:
    plain_work(phase& of, Call& call) : work_base(of), call_(call) {}
    void participate(detail::phase_participant& here) override { call_(here); }
    void prepare(std::size_t) override {}
    std::shared_ptr<void> take_part(std::uint32_t) override { return {}; }
    std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void>) override { return a; }

   private:
    Call& call_;
  };

  template <class Body, class R, class Combine>
  class reducing_work final : public work_base {
   public:
    reducing_work(phase& of, Body& body, const R& identity, Combine& combine_two)
        : work_base(of), body_(body), identity_(identity), combine_two_(combine_two) {}

    void prepare(std::size_t participants) override { parts_.assign(participants, part_of_one{identity_}); }
    void participate(detail::phase_participant& here) override {
      R& part = parts_[here.number].value;
      if constexpr (std::invocable<Body&, T, R&>)
        for (T task; this->of_.dequeue_at(here, task);) detail::invoke(body_, task, part);
      else
        body_(part);
    }
    std::shared_ptr<void> take_part(std::uint32_t number) override {
      R& part = parts_[number].value;
      auto taken = std::make_shared<R>(std::move(part));
      part = identity_;
      return taken;
    }
    std::shared_ptr<void> combine(std::shared_ptr<void> a, std::shared_ptr<void> b) override {
      R& into = *static_cast<R*>(a.get());
      into = detail::invoke(combine_two_, std::move(into), std::move(*static_cast<R*>(b.get())));
      return a;
    }

   private:
    struct alignas(64) part_of_one {
      R value;
    };
    Body& body_;
    const R& identity_;
    Combine& combine_two_;
    std::vector<part_of_one> parts_;
  };

  const skua::order order_;
  const Less less_;
  std::mutex outside_mutex_;
  std::vector<entry> outside_;
  std::atomic<bool> any_outside_{false};
};

}  // namespace skua
