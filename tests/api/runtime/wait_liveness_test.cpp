// Two waiters wait for one event. The worker of the first waiter is busy. The second waiter can run, and must go on. A row
// combines what the two wait for, where each of them waits, and whether a thread or a task ends the wait. The rows run for
// each policy, both kinds of continuation, and 1, 2 and 3 workers.
//
// The first waiter's worker runs a leaf that ends only after one of the two waiters has gone on. So a wait that relies on
// the first waiter never ends. The test then aborts after a minute, with the names of the row and the scheduler.
#include <skua/join.hpp>
#include <skua/policies.hpp>
#include <skua/scheduler.hpp>
#include <skua/steal_policy.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/until.hpp"

namespace wait_liveness_test {
namespace {

/// `condition` blocks the worker until it is notified. The four after `group` are inside skua::blocking.
enum class object { mutex, condition, group, condition_in_call, semaphore, latch, barrier };
/// `in_place`: on a worker that already has `suspended_stacks` suspended stacks. `plain`: a thread without a scheduler.
enum class place { suspended, in_place, isolated, external, plain };
enum class releaser { thread, task };

constexpr std::array objects = {
    "mutex", "condition variable", "group", "condition variable in a call", "semaphore", "latch", "barrier"};
constexpr std::array places = {"suspended", "in place", "isolated", "external", "plain"};
constexpr std::array releasers = {"a thread", "a task"};

struct row {
  object what;
  place first, second;
  releaser by;

  std::string text() const {
    const auto name = [](const auto& names, auto value) {
      return std::string(names[static_cast<std::size_t>(value)]);
    };
    return name(objects, what) + ", first " + name(places, first) + ", second " + name(places, second) +
           ", released by " + name(releasers, by);
  }
};

std::vector<row> all_rows() {
  std::vector<row> rows;
  for (std::size_t what = 0; what < objects.size(); ++what)
    for (std::size_t first = 0; first < places.size() - 1; ++first)  // a plain thread needs no worker
      for (std::size_t second = 0; second < places.size(); ++second)
        for (std::size_t by = 0; by < releasers.size(); ++by)
          rows.push_back({static_cast<object>(what), static_cast<place>(first), static_cast<place>(second),
                          static_cast<releaser>(by)});
  return rows;
}

/// A mutex for a condition variable. `waits` is called before a notified waiter locks it.
template <class F>
struct relocking {
  skua::mutex& m;
  F& waits;
  void lock() {
    waits();
    m.lock();
  }
  void unlock() { m.unlock(); }
};

/// The event that both waiters wait for. It is closed until open().
class awaited {
 public:
  explicit awaited(object what) : what_(what) {
    if (what == object::mutex) m_.lock();
  }

  /// Calls waits() before it waits on a worker that can run other tasks meanwhile. Calls went_on() as soon as the wait has
  /// ended.
  template <class F, class G>
  void wait(std::size_t waiter, F waits, G went_on) {
    if (what_ != object::condition) waits();
    switch (what_) {
      case object::mutex: {
        const std::lock_guard lock(m_);
        return went_on();
      }
      case object::condition: {
        const std::lock_guard lock(m_);
        const auto if_open = [&] {
          if (open_) waits();
        };
        relocking relocks{m_, if_open};
        while (!open_) changed_.wait(relocks);
        return went_on();
      }
      case object::group:
        groups[waiter].wait();
        break;
      case object::condition_in_call:
        skua::blocking([&] {
          std::unique_lock lock(m_);
          changed_.wait(lock, [&] { return open_.load(); });
        });
        break;
      case object::semaphore:
        skua::blocking([&] { permits_.acquire(); });
        break;
      case object::latch:
        skua::blocking([&] { latch_.wait(); });
        break;
      case object::barrier:
        skua::blocking([&] { barrier_.arrive_and_wait(); });
        break;
    }
    went_on();
  }

  /// A condition variable blocks a worker until its waiter is notified. Then the waiter waits for the mutex, and its worker
  /// can begin the leaf.
  template <class F>
  void open(F begin_leaf) {
    switch (what_) {
      case object::mutex:
        return m_.unlock();
      case object::condition: {
        const std::lock_guard lock(m_);
        open_ = true;
        changed_.notify_all();
        return begin_leaf();
      }
      case object::group:
        return static_cast<void>(group_gate = true);
      case object::condition_in_call: {
        const std::lock_guard lock(m_);
        open_ = true;
        return changed_.notify_all();
      }
      case object::semaphore:
        return permits_.release(2);
      case object::latch:
        return latch_.count_down();
      case object::barrier:
        return static_cast<void>(barrier_.arrive());
    }
  }

  std::array<skua::task_group, 2> groups;  // one for each waiter, since only one thread may wait for a group
  std::atomic<bool> group_gate{false};     // lets the tasks of the groups end

 private:
  const object what_;
  skua::mutex m_;
  std::condition_variable_any changed_;
  std::atomic<bool> open_{false};
  std::counting_semaphore<> permits_{0};
  std::latch latch_{1};
  std::barrier<> barrier_{3};
};

/// The schedulers of all rows with the same options.
struct schedulers {
  explicit schedulers(const skua::scheduler_options& options)
      : pool(options), second([&] {
          skua::scheduler_options one = options;
          one.workers = 1;
          return one;
        }()) {}
  skua::scheduler pool;
  skua::scheduler second;  // for the second waiter, if `pool` has one worker
  // For the tasks that end the waits.
  skua::scheduler others{{.workers = 2, .park_after_us = 20}};
};

class run_of_row {
 public:
  run_of_row(const row& r, schedulers& s, const std::string& where)
      : row_(r), s_(s), where_(r.text() + "; " + where), event_(r.what), workers_(s.pool.workers()) {}

  /// Returns whether the leaf ran on the first waiter's worker.
  bool run() {
    stop_.lock();
    close_groups();
    occupy_workers();
    first_may_wait_ = true;
    if (row_.first == place::external) threads_.emplace_back([&] { s_.pool.run([&] { wait_as_first(); }); });
    until_waiting(1);
    if (row_.what != object::condition) begin_leaf();
    second_may_wait_ = true;
    if (workers_ == 1 || row_.second == place::external || row_.second == place::plain)
      threads_.emplace_back([&] { place_second(workers_ == 1 ? s_.second : s_.pool); });
    until_waiting(2);
    release();
    must([&] { return went_on_.load() == 2 && leaf_ended_.load(); }, "both waiters and the leaf");
    stop_.unlock();
    for (std::thread& t : threads_) t.join();
    tasks_.wait();
    for (skua::task_group& g : event_.groups) g.wait();
    return leaf_at_ == first_at_;
  }

 private:
  /// The test's own thread waits here for one step of the row.
  template <class F>
  void must(F condition, const char* what, std::chrono::seconds limit = std::chrono::seconds(60)) const {
    if (within(limit, condition)) return;
    std::fprintf(stderr,
                 "%s: waited %d seconds for %s; the first waiter began on worker %d, the leaf on worker %d; "
                 "%d waiters have begun, and %d have gone on\n",
                 where_.c_str(), static_cast<int>(limit.count()), what, first_at_.load(), leaf_at_.load(),
                 about_to_wait_.load(), went_on_.load());
    std::abort();
  }
  /// A task waits here while the test's own thread makes up to eight steps.
  template <class F>
  void task_waits(F condition, const char* what) const {
    must(condition, what, std::chrono::seconds(8 * 60));
  }
  /// Waits until that many waiters are about to wait, and then a moment, after which they usually do wait.
  void until_waiting(int waiters) {
    must([&] { return about_to_wait_.load() == waiters; }, "a waiter to begin");
    sleep_ms(1);
  }

  /// True if a third worker of the same scheduler runs the task of the second waiter's group.
  bool third_ends_group() const {
    return row_.what == object::group && row_.by == releaser::task && workers_ == 3;
  }
  void close_groups() {
    if (row_.what != object::group) return;
    gate_.lock();
    const auto closed = [&] {
      ++closed_;
      if (row_.by == releaser::thread)
        const std::lock_guard released(gate_);
      else
        task_waits([&] { return event_.group_gate.load(); }, "the release");
    };
    s_.others.run([&] {
      event_.groups[0].run(closed);
      if (!third_ends_group()) event_.groups[1].run(closed);
    });
    must([&] { return closed_.load() == (third_ends_group() ? 1 : 2); }, "the tasks of the groups");
  }

  /// Runs one task on each worker. The task blocks the worker until its waiter may wait.
  void occupy_workers() {
    s_.pool.run([&] {
      for (std::size_t i = third_ends_group() ? 1 : 0; i < workers_; ++i)
        tasks_.run([&] { occupy(arrived_roles_.fetch_add(1)); });
      if (third_ends_group()) event_.groups[1].run([&] { occupy(2); });
    });
    must([&] { return arrived_.load() == workers_; }, "a task on each worker");
  }
  void occupy(std::size_t role) {
    ++arrived_;
    if (role == 0) {
      task_waits([&] { return first_may_wait_.load(); }, "the turn of the first waiter");
      if (row_.first != place::external) at_place(row_.first, [&] { wait_as_first(); });
    } else if (role == 1) {
      task_waits([&] { return second_may_wait_.load(); }, "the turn of the second waiter");
      if (row_.second != place::external && row_.second != place::plain)
        at_place(row_.second, [&] { wait_as_second(); });
    } else {
      task_waits([&] { return third_may_go_.load(); }, "the release");
      if (row_.by == releaser::task) open();
    }
  }
  /// Waits at the given place, on a worker's own thread.
  template <class F>
  void at_place(place at, F wait) {
    if (at == place::isolated) return skua::isolate(wait);
    if (at == place::suspended) return wait();
    tasks_.run(wait);
    const std::lock_guard suspended(stop_);
  }
  void place_second(skua::scheduler& pool) {
    if (row_.second == place::plain) return wait_as_second();
    if (row_.second == place::external) return pool.run([&] { wait_as_second(); });
    pool.run([&] { tasks_.run([&] { at_place(row_.second, [&] { wait_as_second(); }); }); });
  }

  bool leaf_is_queued() const { return row_.first == place::suspended || row_.first == place::external; }
  void wait_as_first() {
    first_at_ = skua::worker_index();
    const auto queue_leaf = [&] {
      if (leaf_is_queued()) tasks_.run([&] { leaf(); });
    };
    wait_as(0, queue_leaf);
  }
  template <class F>
  void wait_as(std::size_t waiter, F waits) {
    ++about_to_wait_;
    event_.wait(waiter, waits, [&] { ++went_on_; });
  }
  void wait_as_second() {
    wait_as(1, [] {});
  }
  void leaf() {
    leaf_at_ = skua::worker_index();
    leaf_began_ = true;
    task_waits([&] { return went_on_.load() != 0; }, "the waiter that can run");
    leaf_ended_ = true;
  }
  /// A worker that waits in place runs no other task, but lends itself to an external thread.
  void begin_leaf() {
    if (!leaf_is_queued()) threads_.emplace_back([&] { s_.pool.run([&] { leaf(); }); });
    must([&] { return leaf_began_.load(); }, "the leaf to begin");
  }

  void release() {
    third_may_go_ = true;
    if (row_.by == releaser::thread)
      open();
    else if (row_.what == object::group)
      event_.open([] {});
    else if (workers_ < 3)
      s_.others.run([&] { tasks_.run([&] { open(); }); });
  }
  void open() {
    event_.open([&] { begin_leaf(); });
    if (row_.what == object::group && row_.by == releaser::thread) gate_.unlock();
  }

  const row row_;
  schedulers& s_;
  const std::string where_;
  awaited event_;
  const std::size_t workers_;
  skua::mutex stop_;  // a task waits for it on each worker whose waiter is to wait in place
  skua::mutex gate_;  // the tasks of the groups wait for it, if a thread ends them
  std::atomic<std::size_t> arrived_{0}, arrived_roles_{0};
  std::atomic<int> closed_{0}, about_to_wait_{0}, went_on_{0};
  std::atomic<bool> first_may_wait_{false}, second_may_wait_{false}, third_may_go_{false};
  std::atomic<bool> leaf_began_{false}, leaf_ended_{false};
  std::atomic<int> first_at_{-1}, leaf_at_{-2};
  skua::task_group tasks_;
  std::vector<std::thread> threads_;
};

struct parameters {
  std::size_t number;
  std::string policy;
  skua::continuation continuation;
  int workers;

  std::string text(const char* between) const {
    return policy + between + (continuation == skua::continuation::home ? "home" : "free") + between +
           std::to_string(workers);
  }
};

std::vector<parameters> all_schedulers() {
  std::vector<parameters> all;
  for (const skua::policy_info* policy : skua::policies())
    for (const skua::continuation at : {skua::continuation::home, skua::continuation::free})
      for (int workers = 1; workers <= 3; ++workers)
        all.push_back({all.size(), std::string(policy->name), at, workers});
  return all;
}

class wait_liveness : public testing::TestWithParam<parameters> {};
INSTANTIATE_TEST_SUITE_P(schedulers, wait_liveness, testing::ValuesIn(all_schedulers()),
                         [](const auto& one) { return one.param.text("_"); });

// Each scheduler runs a part of the rows. All schedulers together run each row a few times.
TEST_P(wait_liveness, a_waiter_that_can_run_does_not_wait_for_a_busy_worker) {
  const parameters& with = GetParam();
  schedulers here({.workers = with.workers,
                   .policy = with.policy,
                   .park_after_us = 20,
                   .continuation = with.continuation,
                   .suspended_stacks = 1});
  constexpr std::size_t stride = 23;  // a stride of 1 runs all rows, in about 80 seconds
  const std::vector<row> rows = all_rows();
  int ran = 0, as_meant = 0;
  for (std::size_t i = with.number * 7 % stride; i < rows.size(); i += stride, ++ran)
    as_meant += run_of_row(rows[i], here, "scheduler " + with.text(" ")).run();
  // The leaf may run elsewhere. After a condition variable has woken all waiters, the other workers may be faster. A call
  // that a busy machine delays for a tenth of a second may run beside the workers.
  EXPECT_GT(2 * as_meant, ran);
}

// With continuation::free a waiter continues where the last task of its group has ended. A wait in an isolated region may
// run such a task. Its worker then resumes no other stack until the region ends.
TEST(wait_liveness_of_groups, a_task_that_ends_in_an_isolated_region_wakes_its_waiter_elsewhere) {
  for (int round = 0; round < 10; ++round) {
    skua::scheduler pool({.workers = 3, .policy = "managers", .continuation = skua::continuation::free});
    skua::task_group tasks, awaited;
    std::atomic<int> arrived{0};
    std::atomic<bool> stolen{false}, added{false}, waits{false}, ran{false}, went_on{false};
    const auto region = [&] {
      skua::join(
          [&] {
            until([&] { return stolen.load(); }, "a thief");
            awaited.run([&] { ran = true; });
            added = true;
            until([&] { return waits.load(); }, "the waiter");
            sleep_ms(1);
          },
          [&] {
            stolen = true;
            until([&] { return went_on.load(); }, "the waiter, whose group has ended");
          });
    };
    const auto waiter = [&] {
      until([&] { return added.load(); }, "the task of the group");
      // This task keeps the worker from the task of the group for a while, so that usually the isolated region runs that
      // task.
      tasks.run([&] {
        for (int i = 0; i < 20 && !ran; ++i) sleep_ms(1);
      });
      waits = true;
      awaited.wait();
      went_on = true;
    };
    pool.run([&] {
      for (int i = 0; i < 3; ++i)
        tasks.run([&] {
          const int role = arrived++;
          until([&] { return arrived.load() == 3; }, "a task on each worker");
          if (role == 0) skua::isolate(region);
          if (role == 1) waiter();
        });
    });
    until([&] { return went_on.load(); }, "the waiter, whose group has ended");
    tasks.wait();
  }
}

}  // namespace
}  // namespace wait_liveness_test
