// Message-based scheduling without threads: golden sequences, and a network that delivers in any order that keeps the order
// of each pair.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "managers/manager.hpp"
#include "managers/manager_tree.hpp"
#include "managers/messages.hpp"
#include "managers/worker_part.hpp"

namespace managers_test {
namespace {

using namespace skua::managers;

/// A queue of numbered tasks. The oldest task is stolen first.
struct list_of_tasks final : task_queue {
  std::deque<std::uint64_t> tasks;
  std::uint64_t size() const override { return tasks.size(); }
  void put(const task_descriptor& t) override { tasks.push_back(t[0]); }
  task_descriptor take(std::uint64_t, std::uint64_t& taken) override {
    const std::uint64_t t = tasks.front();
    tasks.pop_front();
    taken = 1;
    return {t, 0, 0, 0};
  }
};

struct sum_of_longs final : reduction {
  rider combine(rider a, rider b) override {
    ++combined;
    return std::make_shared<long>(*std::static_pointer_cast<long>(a) + *std::static_pointer_cast<long>(b));
  }
  int combined = 0;
};

struct node {
  explicit node(const manager_tree& tree, std::uint32_t i) : part(tree, i, queue) {}
  list_of_tasks queue;
  worker_part part;
  long ran = 0;  // tasks run since it was last blocked
  bool running = false;
  bool blocked = false;
};

/// All workers and managers, and the messages between them.
class network {
 public:
  network(std::uint32_t workers, std::uint32_t radix, manager_options options = {}) : tree(workers, radix) {
    for (std::uint32_t i = 0; i < workers; ++i) nodes.push_back(std::make_unique<node>(tree, i));
    for (level_id level = 0; level < tree.levels(); ++level)
      for (std::uint32_t i = 0; i < tree.managers(level); ++i)
        managers.emplace_back(tree, manager_party(level, i), options, &sum);
  }

  manager& at(party p) { return managers[tree.number_of(p) - tree.workers()]; }

  void post(outbox& out) {
    for (envelope& e : out) {
      ++messages[e.content.index()];
      log += to_string(e) + "\n";
      ways[{tree.number_of(e.from), tree.number_of(e.to)}].push_back(std::move(e));
    }
    out.clear();
  }

  /// Delivers one message, and handles its effects at the receiver. A worker answers when its mailbox is empty.
  void deliver(std::pair<std::size_t, std::size_t> way) {
    auto& queue = ways[way];
    envelope e = std::move(queue.front());
    queue.pop_front();
    if (queue.empty()) ways.erase(way);
    outbox out;
    if (e.to.height != 0) {
      at(e.to).receive(std::move(e), out);
    } else {
      node& n = *nodes[e.to.index];
      n.part.receive(e, out);
    }
    post(out);
  }
  void deliver_in_order() {
    while (!ways.empty()) {
      deliver(ways.begin()->first);
      for (auto& n : nodes)
        if (n->blocked || !n->part.present()) answer(*n);
    }
  }
  void answer(node& n) {
    outbox out;
    n.part.answer(out);
    post(out);
  }

  manager_tree tree;
  std::vector<std::unique_ptr<node>> nodes;
  std::vector<manager> managers;
  sum_of_longs sum;
  std::map<std::pair<std::size_t, std::size_t>, std::deque<envelope>> ways;
  std::string log;
  std::size_t messages[6] = {};
};

std::size_t all_messages(const network& n) {
  std::size_t sum = 0;
  for (const std::size_t m : n.messages) sum += m;
  return sum;
}

// ---- the tree

TEST(manager_tree, has_adjacent_workers_under_one_manager) {
  const manager_tree tree(64, 4);
  EXPECT_EQ(tree.levels(), 3U);
  EXPECT_EQ(tree.managers(0), 16U);
  EXPECT_EQ(tree.managers(2), 1U);
  EXPECT_EQ(to_string(tree.parent(worker_party(5))), "manager 0.1");
  EXPECT_EQ(tree.common_level(worker_party(0), worker_party(3)), 0U);
  EXPECT_EQ(tree.common_level(worker_party(0), worker_party(4)), 1U);
  EXPECT_EQ(tree.common_level(worker_party(0), worker_party(63)), 2U);
  EXPECT_EQ(tree.workers_below(manager_party(1, 2)).first, 32U);
  EXPECT_EQ(tree.workers_below(manager_party(1, 2)).last, 48U);
}

TEST(manager_tree, takes_any_number_of_workers) {
  const manager_tree one(1, 8);
  EXPECT_EQ(one.levels(), 1U);
  const manager_tree ten(10, 8);
  EXPECT_EQ(ten.levels(), 2U);
  EXPECT_EQ(ten.children(manager_party(0, 1)), 2U);
  EXPECT_EQ(ten.workers_below(ten.root()).size(), 10U);
  EXPECT_EQ(manager_tree(64, 64).levels(), 1U) << "a radix of all workers is the centralised form";
}

TEST(manager_tree, puts_managers_on_workers_or_on_threads_of_their_own) {
  const manager_tree tree(8, 4);  // Figure 4a of the paper
  EXPECT_EQ(tree.thread_of(manager_party(0, 0), 0), 2U);
  EXPECT_EQ(tree.thread_of(manager_party(0, 1), 0), 6U);
  EXPECT_EQ(tree.thread_of(tree.root(), 0), 4U);
  EXPECT_EQ(tree.thread_of(manager_party(0, 1), 1), 8U);
  EXPECT_EQ(tree.thread_of(manager_party(0, 1), 2), 9U);
  EXPECT_EQ(tree.thread_of(worker_party(5), 0), 5U);
  EXPECT_EQ(tree.thread_of(worker_party(5), 2), 5U);
  EXPECT_EQ(manager_tree(1, 4).thread_of(manager_party(0, 0), 0), 0U) << "there is no other thread";
}

TEST(manager_tree, puts_no_two_managers_on_one_worker) {
  const manager_tree tree(512, 8);
  std::set<std::uint32_t> taken = {0};  // the program's own thread
  for (level_id level = 0; level < tree.levels(); ++level)
    for (std::uint32_t i = 0; i < tree.managers(level); ++i)
      EXPECT_TRUE(taken.insert(tree.thread_of(manager_party(level, i), 0)).second);
}

TEST(manager_tree, pairs_the_workers_of_two_parts) {
  const manager_tree tree(10, 4);  // parts of four, four and two workers
  const party first = manager_party(0, 0), second = manager_party(0, 1), last = manager_party(0, 2);
  EXPECT_EQ(tree.counterpart(worker_party(3), first, second), worker_party(7));
  EXPECT_EQ(tree.counterpart(worker_party(4), second, first), worker_party(0));
  EXPECT_EQ(tree.counterpart(worker_party(3), first, last), worker_party(9))
      << "the other part is smaller, so its workers repeat";
}

TEST(worker_part, is_believed_busy_until_it_reports_that_its_tasks_are_gone) {
  const manager_tree tree(2, 4);
  node n(tree, 1);
  outbox out;
  n.part.arrive(out);
  EXPECT_FALSE(n.part.believed_busy());
  n.part.receive({worker_party(0), worker_party(1), task{task_descriptor{7}, true}}, out);
  EXPECT_TRUE(n.part.believed_busy());
  n.queue.tasks.clear();  // a thief has taken them
  EXPECT_TRUE(n.part.believed_busy());
  out.clear();
  n.part.queue_changed(out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<update>(out[0].content).tasks, 0u);
  EXPECT_FALSE(n.part.believed_busy());
}

// A queue from which a thief takes one task by force after each look.
struct watched_queue final : task_queue {
  std::uint64_t size() const override { return left == 0 ? 0 : left--; }
  void put(const task_descriptor&) override {}
  task_descriptor take(std::uint64_t, std::uint64_t& taken) override {
    taken = 0;
    return {};
  }
  mutable std::uint64_t left = 9;
};

TEST(worker_part, counts_with_the_number_it_has_sent_even_when_thieves_use_force) {
  const manager_tree tree(2, 4);
  watched_queue queue;
  worker_part part(tree, 1, queue);
  outbox out;
  part.begin(out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(std::get<update>(out[0].content).tasks, part.told().last_told());
  part.receive({manager_party(0, 0), worker_party(1), steal{0, 1, worker_party(0)}}, out);
  part.answer(out);
  EXPECT_EQ(std::get<victim_update>(out.back().content).left, part.told().last_told());
  part.receive({worker_party(0), worker_party(1), task{{}, true}}, out);
  EXPECT_EQ(std::get<stealer_update>(out.back().content).tasks, part.told().last_told());
}

// ---- golden sequences

void begin(network& net, std::uint32_t worker, std::vector<std::uint64_t> tasks) {
  node& n = *net.nodes[worker];
  for (const std::uint64_t t : tasks) n.queue.tasks.push_back(t);
  outbox out;
  n.part.begin(out);
  net.post(out);
}
void arrive(network& net, std::uint32_t worker) {
  outbox out;
  net.nodes[worker]->part.arrive(out);
  net.nodes[worker]->blocked = true;
  net.post(out);
}
std::string since(network& net, std::size_t start) { return net.log.substr(start); }

// Figure 3: worker 1 has no more tasks. The manager tells worker 2, which has the most tasks, to give some. Worker 2 sends
// one task in each message. Then both workers report their numbers of tasks. A worker's number includes the task that it
// runs. The order of the messages is that of the paper; the numbers are ours.
TEST(managers, steal_as_in_figure_3) {
  network net(4, 64);
  begin(net, 0, {1});
  begin(net, 2, {10, 11, 12, 13, 14, 15, 16});
  net.deliver_in_order();
  const std::size_t start = net.log.size();
  arrive(net, 1);
  net.deliver_in_order();
  net.answer(*net.nodes[2]);  // between two tasks
  net.deliver_in_order();
  EXPECT_EQ(since(net, start),
            "worker 1 -> manager 0.0  UPDATE<0, 0>\n"
            "manager 0.0 -> worker 2  STEAL<0, 4, worker 1>\n"
            "worker 2 -> worker 1  TASK<10, more follow>\n"
            "worker 2 -> worker 1  TASK<11, more follow>\n"
            "worker 2 -> worker 1  TASK<12, more follow>\n"
            "worker 2 -> worker 1  TASK<13, last>\n"
            "worker 2 -> manager 0.0  VICTIM_UPDATE<0, 4, 4>\n"
            "worker 1 -> manager 0.0  STEALER_UPDATE<0, 4>\n");
}

// Figure 4b: eight workers, radix 4. All workers of the right half are blocked. Worker i of the left half sends tasks to
// worker i of the right half.
TEST(managers, steal_across_levels_as_in_figure_4b) {
  network net(8, 4);
  for (std::uint32_t i = 0; i < 4; ++i) begin(net, i, {10 * i, 10 * i + 1, 10 * i + 2});
  net.deliver_in_order();
  const std::size_t start = net.log.size();
  for (std::uint32_t i = 4; i < 8; ++i) arrive(net, i);
  while (!net.ways.empty()) net.deliver(net.ways.begin()->first);  // UPDATEs go up and STEALs go down
  for (std::uint32_t i = 0; i < 4; ++i) net.answer(*net.nodes[i]);
  while (!net.ways.empty()) net.deliver(net.ways.begin()->first);
  EXPECT_EQ(since(net, start),
            "worker 4 -> manager 0.1  UPDATE<0, 0>\n"
            "worker 5 -> manager 0.1  UPDATE<0, 0>\n"
            "worker 6 -> manager 0.1  UPDATE<0, 0>\n"
            "worker 7 -> manager 0.1  UPDATE<0, 0>\n"
            "manager 0.1 -> manager 1.0  UPDATE<1, 0>\n"
            "manager 1.0 -> manager 0.0  STEAL<1, 8, manager 0.1>\n"
            "manager 0.0 -> worker 0  STEAL<1, 2, worker 4>\n"
            "manager 0.0 -> worker 1  STEAL<1, 2, worker 5>\n"
            "manager 0.0 -> worker 2  STEAL<1, 2, worker 6>\n"
            "manager 0.0 -> worker 3  STEAL<1, 2, worker 7>\n"
            "worker 0 -> worker 4  TASK<0, more follow>\n"
            "worker 0 -> worker 4  TASK<1, last>\n"
            "worker 0 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "worker 1 -> worker 5  TASK<10, more follow>\n"
            "worker 1 -> worker 5  TASK<11, last>\n"
            "worker 1 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "worker 2 -> worker 6  TASK<20, more follow>\n"
            "worker 2 -> worker 6  TASK<21, last>\n"
            "worker 2 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "worker 3 -> worker 7  TASK<30, more follow>\n"
            "worker 3 -> worker 7  TASK<31, last>\n"
            "worker 3 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "worker 4 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "worker 5 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "worker 6 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "worker 7 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "manager 0.0 -> manager 1.0  VICTIM_UPDATE<1, 8, 8>\n"
            "manager 0.1 -> manager 1.0  STEALER_UPDATE<1, 8>\n");
}

// A root over two managers with four workers each. The root knows their numbers of tasks before any message. If a part has
// four tasks, its own workers run them. If it has five, one task is left for a part without tasks.
TEST(managers, steal_no_tasks_that_a_parts_own_workers_run) {
  const manager_tree tree(8, 4);
  const auto steals_when_blocked = [&](std::uint64_t left_has, bool all_stay) {
    manager root(tree, tree.root(), {}, nullptr);
    EXPECT_EQ(root.know({left_has, 4}, all_stay), left_has + 4);
    outbox out;
    root.receive({manager_party(0, 1), tree.root(), update{1, 0}}, out);
    return out.size() == 1 && std::holds_alternative<steal>(out[0].content) &&
           out[0].to == manager_party(0, 0);
  };
  EXPECT_FALSE(steals_when_blocked(4, true));
  EXPECT_TRUE(steals_when_blocked(5, true));
  EXPECT_TRUE(steals_when_blocked(4, false)) << "some workers of the part may have left";
}

TEST(managers, send_no_more_than_half_a_receive_buffer) {
  network net(2, 8);
  begin(net, 0, std::vector<std::uint64_t>(100, 1));
  arrive(net, 1);
  net.deliver_in_order();
  net.answer(*net.nodes[0]);
  net.deliver_in_order();
  EXPECT_EQ(max_tasks_in_burst, 8U);
  EXPECT_EQ(net.nodes[1]->queue.tasks.size(), 8U);
}

TEST(managers, leave_a_thief_the_task_it_has_just_been_sent) {
  network net(2, 8);
  begin(net, 0, {1});
  arrive(net, 1);
  node& thief = *net.nodes[1];
  outbox out;
  thief.part.receive({worker_party(0), worker_party(1), task{task_descriptor{5, 0, 0, 0}, true}}, out);
  thief.part.receive({manager_party(0, 0), worker_party(1), steal{0, 1, worker_party(0)}}, out);
  thief.part.answer(out);
  EXPECT_EQ(thief.queue.size(), 1U) << "otherwise two workers could exchange one task forever";
}

TEST(managers, steal_one_task_with_that_option) {
  network net(2, 8, {.amount = steal_amount::one});
  begin(net, 0, std::vector<std::uint64_t>(100, 1));
  arrive(net, 1);
  net.deliver_in_order();
  net.answer(*net.nodes[0]);
  net.deliver_in_order();
  EXPECT_EQ(net.nodes[1]->queue.tasks.size(), 1U);
}

TEST(managers, withdraw_unanswered_steals_and_ask_the_next_worker) {
  network net(3, 8);
  begin(net, 0, {1, 2, 3, 4, 5, 6, 7});
  begin(net, 1, {8, 9, 10});
  net.deliver_in_order();
  arrive(net, 2);
  net.deliver_in_order();
  const std::size_t start = net.log.size();
  outbox out;
  for (int i = 0; i < 4; ++i) {
    net.managers[0].time_passed(out);
    net.post(out);
  }
  net.deliver_in_order();
  net.answer(*net.nodes[0]);  // at the end of a long task
  net.answer(*net.nodes[1]);  // no other worker could be asked
  net.deliver_in_order();
  EXPECT_EQ(since(net, start),
            "manager 0.0 -> worker 0  STEAL<0, 0, worker 2>\n"
            "manager 0.0 -> worker 1  STEAL<0, 2, worker 2>\n"
            "worker 0 -> worker 2  TASK<none, last>\n"
            "worker 0 -> manager 0.0  VICTIM_UPDATE<0, 0, 8>\n"
            "worker 1 -> worker 2  TASK<8, more follow>\n"
            "worker 1 -> worker 2  TASK<9, last>\n"
            "worker 1 -> manager 0.0  VICTIM_UPDATE<0, 2, 2>\n"
            "worker 2 -> manager 0.0  STEALER_UPDATE<0, 0>\n"
            "worker 2 -> manager 0.0  STEALER_UPDATE<0, 2>\n");
}

// ---- any order of delivery

struct plan {
  std::uint32_t workers;
  std::uint32_t radix;
  std::uint64_t tasks = 400;
  bool come_and_go = false;
  bool withdraw = false;
  bool all_at_once = false;  // worker 0 enqueues all at the start; otherwise each task enqueues some
  std::uint32_t every = 0;   // workers 0, `every`, 2 * `every`, ... begin with equal shares of all tasks
  manager_options options = {};
};

/// A whole phase. Each step is chosen at random from the possible steps.
class random_phase {
 public:
  random_phase(const plan& p, std::uint64_t seed)
      : plan_(p), net(p.workers, p.radix, p.options), random_(seed) {
    if (p.every != 0) {
      begin_with_shares();
      return;
    }
    std::vector<std::uint64_t> first{0};
    if (p.all_at_once)
      while (first.size() < p.tasks) first.push_back(first.size());
    runs.resize(first.size());
    begin(net, 0, first);
    net.deliver_in_order();  // the root knows about the tasks before another worker arrives
    if (!p.come_and_go)
      for (std::uint32_t i = 1; i < p.workers; ++i) arrive(net, i);
  }

  /// Returns whether the phase ended within 2,000,000 steps.
  bool run() {
    for (int step = 0; step < 2'000'000; ++step) {
      if (ended()) return true;
      const std::uint64_t what = random_() % 8;
      if (what < 4 && !net.ways.empty())
        deliver();
      else if (what < 7 || !plan_.withdraw)
        work(*net.nodes[random_() % plan_.workers]);
      else
        time_passes();
    }
    return false;
  }

  bool ended() const {
    for (const auto& n : net.nodes)
      if (!n->part.ended()) return false;
    return true;
  }

 private:
  void begin_with_shares() {
    plan_.all_at_once = true;  // tasks enqueue no tasks
    runs.resize(plan_.tasks);
    const std::uint64_t share = plan_.tasks * plan_.every / plan_.workers;
    std::uint64_t next = 0;
    for (std::uint32_t i = 0; i < plan_.workers; ++i) {
      std::vector<std::uint64_t> mine;
      while (i % plan_.every == 0 && mine.size() < share) mine.push_back(next++);
      begin(net, i, mine);
    }
  }
  void deliver() {
    auto at = net.ways.begin();
    std::advance(at, random_() % net.ways.size());
    const party to = at->second.front().to;
    net.deliver(at->first);
    if (to.height == 0 && !net.nodes[to.index]->part.present()) net.answer(*net.nodes[to.index]);
  }
  void time_passes() {
    outbox out;
    net.managers[random_() % net.managers.size()].time_passed(out);
    net.post(out);
  }

  // Runs one step of a participant's loop.
  void work(node& n) {
    outbox out;
    if (!n.part.present()) {
      if (plan_.come_and_go && random_() % 4 == 0) n.blocked = n.part.arrive(out);
    } else if (n.blocked) {
      n.part.answer(out);
      if (n.queue.size() != 0) {
        n.part.go_on();
        n.blocked = false;
      } else if (plan_.come_and_go && random_() % 4 == 0) {
        n.part.leave(out);
      }
    } else if (n.running) {
      spawn(n, out);
      n.running = random_() % 2 == 0;
    } else {
      dequeue(n, out);
    }
    net.post(out);
  }
  void spawn(node& n, outbox& out) {
    if (plan_.all_at_once || runs.size() >= plan_.tasks || random_() % 2 == 0) return;
    n.queue.tasks.push_back(runs.size());
    runs.push_back(0);
    n.part.queue_changed(out);
  }
  void dequeue(node& n, outbox& out) {
    n.part.answer(out);
    if (n.queue.size() == 0) {
      n.part.block(n.ran ? std::make_shared<long>(n.ran) : rider{}, out);
      n.ran = 0;
      n.blocked = true;
      return;
    }
    const std::uint64_t task = random_() % 2 ? n.queue.tasks.back() : n.queue.tasks.front();
    std::erase(n.queue.tasks, task);
    n.part.queue_changed(out);
    ++runs[task];
    ++n.ran;
    n.running = true;
  }

  plan plan_;

 public:
  network net;
  std::vector<int> runs;

 private:
  std::mt19937_64 random_;
};

/// Whether a message may arrive after the end: an UPDATE of a worker that came or left, or the withdrawal of a STEAL that
/// was already answered.
bool may_come_late(const envelope& e) {
  const auto* s = std::get_if<steal>(&e.content);
  return std::holds_alternative<update>(e.content) || (s && s->tasks_to_transfer == 0);
}

void expect_right_end(const plan& p, std::uint64_t seeds) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(p.workers) + " workers, radix " +
                 std::to_string(p.radix));
    random_phase phase(p, seed);
    ASSERT_TRUE(phase.run()) << "the phase does not end";
    for (const int n : phase.runs) ASSERT_EQ(n, 1);
    for (const auto& n : phase.net.nodes) {
      ASSERT_TRUE(n->part.result());
      ASSERT_EQ(*std::static_pointer_cast<long>(n->part.result()), static_cast<long>(phase.runs.size()));
      ASSERT_EQ(n->queue.size(), 0U);
    }
    for (const auto& [way, messages] : phase.net.ways)
      for (const envelope& e : messages) ASSERT_TRUE(may_come_late(e)) << to_string(e);
  }
}

TEST(managers, run_every_task_once_and_end_in_any_order) {
  for (const auto& [workers, radix] :
       {std::pair{1U, 8U}, {2U, 8U}, {5U, 2U}, {10U, 8U}, {16U, 4U}, {13U, 3U}})
    expect_right_end({.workers = workers, .radix = radix}, 60);
  expect_right_end({.workers = 64, .radix = 4, .tasks = 2000}, 5);
}

TEST(managers, centralised_and_tree_do_the_same_work) {
  for (const std::uint32_t radix : {2U, 4U, 8U, 64U})
    expect_right_end({.workers = 16, .radix = radix, .all_at_once = true}, 20);
}

TEST(managers, lose_nothing_when_steals_are_withdrawn) {
  for (const auto& [workers, radix] : {std::pair{3U, 8U}, {9U, 2U}, {16U, 4U}, {11U, 4U}})
    expect_right_end({.workers = workers, .radix = radix, .withdraw = true}, 80);
}

TEST(managers, let_workers_come_and_go) {
  for (const auto& [workers, radix] : {std::pair{2U, 8U}, {9U, 2U}, {16U, 4U}, {11U, 4U}}) {
    expect_right_end({.workers = workers, .radix = radix, .come_and_go = true}, 60);
    expect_right_end({.workers = workers, .radix = radix, .come_and_go = true, .withdraw = true}, 60);
  }
}

TEST(managers, feed_thieves_before_they_are_empty_with_a_higher_underflow_threshold) {
  for (const std::uint64_t underflow : {2U, 5U})
    expect_right_end({.workers = 16, .radix = 4, .withdraw = true, .options = {.underflow = underflow}}, 30);
}

// ---- how many messages

TEST(managers, end_a_phase_of_64_workers_in_few_messages_each) {
  network net(64, 4);
  begin(net, 0, {});
  net.deliver_in_order();
  for (std::uint32_t i = 1; i < 64; ++i) arrive(net, i);
  net.deliver_in_order();
  const std::size_t start = all_messages(net);
  outbox out;
  net.nodes[0]->part.block({}, out);
  net.post(out);
  net.deliver_in_order();
  for (const auto& n : net.nodes) EXPECT_TRUE(n->part.ended());
  // One message goes up on each of 3 levels. One UNBLOCK goes down to each of 4 + 16 managers and 64 workers.
  EXPECT_EQ(all_messages(net) - start, 3U + 84U);

  // A phase with work: ten tasks for each worker.
  for (const std::uint32_t workers : {16U, 64U, 256U}) {
    random_phase phase({.workers = workers, .radix = 4, .tasks = 10 * workers, .every = 1}, 1);
    ASSERT_TRUE(phase.run());
    const double each = static_cast<double>(all_messages(phase.net)) / workers;
    const std::uint32_t levels = phase.net.tree.levels();
    std::printf("%3u workers, radix 4, %u levels: %.1f messages a worker\n", workers, levels, each);
    EXPECT_LT(each, 20 * levels);
  }
}

TEST(managers, send_fewer_messages_for_longer_queues) {
  double before = 3;
  for (const std::size_t length : {4U, 64U, 1024U, 16384U}) {
    network net(1, 8);
    begin(net, 0, {});
    net.deliver_in_order();
    outbox out;
    node& n = *net.nodes[0];
    for (std::size_t i = 0; i < length; ++i) {
      n.queue.tasks.push_back(i);
      n.part.queue_changed(out);
    }
    while (!n.queue.tasks.empty()) {
      n.queue.tasks.pop_back();
      n.part.queue_changed(out);
    }
    const double per_task = static_cast<double>(out.size()) / static_cast<double>(length);
    std::printf("queue of %zu: %.4f updates a task\n", length, per_task);
    EXPECT_LT(per_task, before / 2);
    before = per_task;
  }
}

TEST(managers, get_no_message_while_a_queue_oscillates) {
  network net(1, 8);
  begin(net, 0, std::vector<std::uint64_t>(7, 1));
  node& n = *net.nodes[0];
  outbox out;
  for (int i = 0; i < 1000; ++i) {
    n.queue.tasks.push_back(1);
    n.part.queue_changed(out);
    n.queue.tasks.pop_back();
    n.part.queue_changed(out);
  }
  EXPECT_TRUE(out.empty());
}

TEST(managers, send_fewer_messages_centrally_and_spread_them_evenly_in_a_tree) {
  std::size_t busiest[2] = {};
  int at = 0;
  for (const std::uint32_t radix : {64U, 8U}) {
    random_phase phase({.workers = 64, .radix = radix, .tasks = 6400, .every = 2}, 7);
    ASSERT_TRUE(phase.run());
    std::map<std::string, std::size_t> by_receiver;
    std::size_t start = 0;
    for (std::size_t end; (end = phase.net.log.find('\n', start)) != std::string::npos; start = end + 1) {
      const std::string line = phase.net.log.substr(start, end - start);
      const std::size_t to = line.find("-> manager");
      if (to != std::string::npos) ++by_receiver[line.substr(to, line.find("  ", to) - to)];
    }
    for (const auto& [manager, n] : by_receiver) busiest[at] = std::max(busiest[at], n);
    std::printf("radix %u: the busiest manager gets %zu messages\n", radix, busiest[at]);
    ++at;
  }
  EXPECT_LT(busiest[1], busiest[0]);
}

}  // namespace
}  // namespace managers_test
