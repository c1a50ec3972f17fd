// The managers' protocols on the hardware of direct messages: Figures 3 and 4b and the end of a phase with the time of each
// message, the number of translations that a thread needs, and whole phases in virtual time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "managers/manager.hpp"
#include "managers/worker_part.hpp"
#include "simulator/adm/adm_messages.hpp"
#include "simulator/adm/message_carrier.hpp"

namespace skua::simulator::adm_traces_test {
namespace {

using managers::envelope;
using managers::manager_party;
using managers::manager_tree;
using managers::outbox;
using managers::party;
using managers::worker_party;

struct list_of_tasks final : managers::task_queue {
  std::deque<std::uint64_t> tasks;
  std::uint64_t size() const override { return tasks.size(); }
  void put(const managers::task_descriptor& t) override { tasks.push_back(t[0]); }
  managers::task_descriptor take(std::uint64_t, std::uint64_t& taken) override {
    const std::uint64_t t = tasks.front();
    tasks.pop_front();
    taken = 1;
    return {t, 0, 0, 0};
  }
};

struct no_reduction final : managers::reduction {
  managers::rider combine(managers::rider a, managers::rider) override { return a; }
};

/// Worker i runs on thread i, and each manager on the thread of one of its workers. A message costs its receiver a handler
/// of 50 cycles, and its effects happen at the handler's end. Parties on one thread need no message between them.
class managed_chip {
 public:
  managed_chip(const adm_hardware& chip, tile_network::kind kind, std::uint32_t workers, std::uint32_t radix)
      : tree(workers, radix),
        net(chip, tile_network(chip, kind), workers),
        threads(workers),
        handler_(chip.messages.handler) {
    for (std::uint32_t i = 0; i < workers; ++i) {
      queues.emplace_back();
      parts.emplace_back(tree, i, queues.back());
    }
    for (managers::level_id level = 0; level < tree.levels(); ++level)
      for (std::uint32_t i = 0; i < tree.managers(level); ++i)
        all_managers.emplace_back(tree, manager_party(level, i), managers::manager_options{}, &none);
  }

  // ---- by workers

  void begin(std::uint32_t worker, std::vector<std::uint64_t> tasks, cycles now) {
    queues[worker].tasks.assign(tasks.begin(), tasks.end());
    outbox out;
    parts[worker].begin(out);
    post(worker, out, now);
  }
  void arrive(std::uint32_t worker, cycles now) {
    outbox out;
    parts[worker].arrive(out);
    post(worker, out, now);
  }
  void block(std::uint32_t worker, cycles now) {
    outbox out;
    parts[worker].block({}, out);
    post(worker, out, now);
  }

  // ---- time

  void post(std::uint32_t thread, outbox& out, cycles now) {
    for (envelope& e : out) {
      log += std::to_string(now - log_from) + "  " + to_string(e) + "\n";
      const std::uint32_t to = thread_of(e.to);
      if (to == thread)
        threads[thread].said_to_self.push_back(std::move(e));
      else
        threads[thread].to_send.push_back(std::move(e));
    }
    out.clear();
    while (!threads[thread].said_to_self.empty()) {
      const envelope e = std::move(threads[thread].said_to_self.front());
      threads[thread].said_to_self.pop_front();
      outbox more;
      receive(e, more);
      if (!more.empty()) post(thread, more, now);
    }
    send(thread, now);
  }
  void send(std::uint32_t thread, cycles now) {
    std::deque<envelope>& waiting = threads[thread].to_send;
    for (; !waiting.empty(); waiting.pop_front()) {
      const std::uint32_t to = thread_of(waiting.front().to);
      if (!net.send({thread, to, words_of(waiting.front()), letters.size()}, now)) break;
      partners[thread].insert(to);
      letters.push_back(std::move(waiting.front()));
    }
  }
  std::optional<cycles> next() const {
    std::optional<cycles> first = net.next();
    if (handlers_.next() && (!first || *handlers_.next() < *first)) first = handlers_.next();
    return first;
  }
  void step() {
    const cycles now = *next();
    if (net.next() == now) {
      std::vector<adm_event> told;
      net.advance(now, told);
      for (const adm_event& e : told) {
        if (e.type == adm_event::kind::arrived) start_handler(e.thread, e.at);
        if (e.type == adm_event::kind::room) send(e.thread, e.at);
        if (e.type == adm_event::kind::handler) charge(e.thread, e.at, e.busy);
      }
      return;
    }
    end_handler(handlers_.take().second, now);
  }
  void until_quiet() {
    while (next()) step();
  }

  void start_handler(std::uint32_t thread, cycles now) {
    thread_state& t = threads[thread];
    if (t.in_handler) return;
    const cycles begins = std::max(now, t.handler_free);
    const auto m = net.receive(thread, begins);
    if (!m) return;
    t.in_handler = true;
    charge(thread, begins, handler_);
    handlers_.put(t.handler_free, {thread, m->content});
  }
  void end_handler(std::pair<std::uint32_t, std::uint64_t> done, cycles now) {
    const std::uint32_t thread = done.first;
    threads[thread].in_handler = false;
    outbox out;
    receive(letters[done.second], out);
    post(thread, out, now);
    last_handled = now;
    start_handler(thread, now);
  }
  void charge(std::uint32_t thread, cycles begins, cycles busy) {
    threads[thread].handler_free = std::max(threads[thread].handler_free, begins) + busy;
    threads[thread].stolen += busy;
  }
  void receive(const envelope& e, outbox& out) {
    if (e.to.height != 0) return all_managers[tree.number_of(e.to) - tree.workers()].receive(e, out);
    parts[e.to.index].receive(e, out);
    parts[e.to.index].answer(out);
  }
  std::uint32_t thread_of(party p) const { return p.height == 0 ? p.index : tree.thread_of(p, 0); }

  struct thread_state {
    std::deque<envelope> to_send, said_to_self;
    cycles handler_free = 0, stolen = 0;
    bool in_handler = false;
  };
  manager_tree tree;
  adm_messages net;
  std::vector<thread_state> threads;
  std::deque<list_of_tasks> queues;
  std::deque<managers::worker_part> parts;
  std::deque<managers::manager> all_managers;
  no_reduction none;
  std::vector<envelope> letters;
  std::map<std::uint32_t, std::set<std::uint32_t>> partners;
  std::string log;
  cycles log_from = 0, last_handled = 0;

 private:
  cycles handler_;
  time_line<std::pair<std::uint32_t, std::uint64_t>> handlers_;
};

const adm_hardware chip = find_adm_hardware("adm-cmp-64c", 1);

/// From cycle 10,000 on, all translations are known, all is quiet, and the log is empty.
constexpr cycles start = 10'000;
void warm_up(managed_chip& c, std::uint32_t workers) {
  for (std::uint32_t a = 0; a < workers; ++a)
    for (std::uint32_t b = 0; b < workers; ++b) {
      if (a == b) continue;
      std::vector<adm_event> told;
      const cycles now = start - 10 * workers * workers + 10 * (a * workers + b);
      c.net.advance(now, told);
      c.net.send({a, b, 0, 0}, now);
    }
  std::vector<adm_event> told;
  c.net.advance(start - 1, told);
  for (std::uint32_t t = 0; t < workers; ++t)
    while (c.net.receive(t, start - 1)) {
    }
  c.net.advance(start - 1, told);
}
void start_log(managed_chip& c, cycles now) {
  c.log.clear();
  c.log_from = now;
}

// Figure 3, with the manager on worker 2's thread. The network takes 25 cycles and a handler takes 50, so a message is
// handled 75 cycles after it was sent. The thief handles its four tasks one after the other.
TEST(adm_traces, figure_3_takes_450_cycles) {
  managed_chip c(chip, tile_network::kind::ideal, 4, 64);
  warm_up(c, 4);
  c.begin(2, {1}, start);
  c.begin(1, {10, 11, 12, 13, 14, 15, 16}, start);
  c.until_quiet();
  start_log(c, 2 * start);
  c.arrive(3, 2 * start);
  c.until_quiet();
  EXPECT_EQ(c.log,
            "0  worker 3 -> manager 0.0  UPDATE<0, 0>\n"
            "75  manager 0.0 -> worker 1  STEAL<0, 4, worker 3>\n"
            "150  worker 1 -> worker 3  TASK<10, more follow>\n"
            "150  worker 1 -> worker 3  TASK<11, more follow>\n"
            "150  worker 1 -> worker 3  TASK<12, more follow>\n"
            "150  worker 1 -> worker 3  TASK<13, last>\n"
            "150  worker 1 -> manager 0.0  VICTIM_UPDATE<0, 4, 4>\n"
            "375  worker 3 -> manager 0.0  STEALER_UPDATE<0, 4>\n");
  EXPECT_EQ(c.last_handled, 2 * start + 450);
}

// The same without earlier messages. The first message of each pair waits 100 cycles for a translation: to the manager, from
// the manager, and from victim to thief. (The victim has reported its tasks to the manager before.)
TEST(adm_traces, figure_3_takes_three_translations_more_at_first) {
  managed_chip c(chip, tile_network::kind::ideal, 4, 64);
  c.begin(2, {1}, start);
  c.begin(1, {10, 11, 12, 13, 14, 15, 16}, start);
  c.until_quiet();
  EXPECT_EQ(c.net.counted().translations, 1u);
  c.arrive(3, 2 * start);
  c.until_quiet();
  EXPECT_EQ(c.net.counted().translations, 4u);
  EXPECT_EQ(c.last_handled, 2 * start + 450 + 300);
}

// Figure 4b: managers 0.0, 0.1 and 1.0 are on threads 2, 6 and 4. A message inside a thread takes no time. When the right
// half is known to be blocked, its last worker has not arrived yet, so the UPDATE to the root leaves at once. Worker 2, on
// the thread of its manager, answers at 150, and the others 75 cycles later. Each thief needs 50 cycles for each of its two
// tasks. Thread 6 runs handlers for the STEALER_UPDATEs of the three other workers until 525.
TEST(adm_traces, figure_4b_takes_600_cycles) {
  managed_chip c(chip, tile_network::kind::ideal, 8, 4);
  warm_up(c, 8);
  for (std::uint32_t i = 0; i < 4; ++i) c.begin(i, {10 * i, 10 * i + 1, 10 * i + 2}, start);
  c.until_quiet();
  start_log(c, 2 * start);
  for (std::uint32_t i = 4; i < 8; ++i) c.arrive(i, 2 * start);
  c.until_quiet();
  EXPECT_EQ(c.log,
            "0  worker 4 -> manager 0.1  UPDATE<0, 0>\n"
            "0  worker 5 -> manager 0.1  UPDATE<0, 0>\n"
            "0  worker 6 -> manager 0.1  UPDATE<0, 0>\n"
            "0  manager 0.1 -> manager 1.0  UPDATE<1, 0>\n"
            "0  worker 7 -> manager 0.1  UPDATE<0, 0>\n"
            "75  manager 1.0 -> manager 0.0  STEAL<1, 8, manager 0.1>\n"
            "150  manager 0.0 -> worker 0  STEAL<1, 2, worker 4>\n"
            "150  manager 0.0 -> worker 1  STEAL<1, 2, worker 5>\n"
            "150  manager 0.0 -> worker 2  STEAL<1, 2, worker 6>\n"
            "150  manager 0.0 -> worker 3  STEAL<1, 2, worker 7>\n"
            "150  worker 2 -> worker 6  TASK<20, more follow>\n"
            "150  worker 2 -> worker 6  TASK<21, last>\n"
            "150  worker 2 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "225  worker 0 -> worker 4  TASK<0, more follow>\n"
            "225  worker 0 -> worker 4  TASK<1, last>\n"
            "225  worker 0 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "225  worker 1 -> worker 5  TASK<10, more follow>\n"
            "225  worker 1 -> worker 5  TASK<11, last>\n"
            "225  worker 1 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "225  worker 3 -> worker 7  TASK<30, more follow>\n"
            "225  worker 3 -> worker 7  TASK<31, last>\n"
            "225  worker 3 -> manager 0.0  VICTIM_UPDATE<1, 2, 2>\n"
            "275  worker 6 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "350  worker 4 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "350  worker 5 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "350  worker 7 -> manager 0.1  STEALER_UPDATE<1, 2>\n"
            "400  manager 0.0 -> manager 1.0  VICTIM_UPDATE<1, 8, 8>\n"
            "525  manager 0.1 -> manager 1.0  STEALER_UPDATE<1, 8>\n");
  EXPECT_EQ(c.last_handled, 2 * start + 600);
}

// 128 workers, radix 8: three messages up and three down. Each takes 25 cycles and a handler of 50. The paper states 390
// cycles for a reduction of 128 threads, which these messages carry.
TEST(adm_traces, the_end_of_a_phase_takes_six_messages) {
  const adm_hardware two_a_core = find_adm_hardware("adm-cmp-64c");
  managed_chip c(two_a_core, tile_network::kind::ideal, 128, two_a_core.messages.radix);
  c.begin(127, {}, 0);
  c.until_quiet();
  for (std::uint32_t i = 0; i < 127; ++i) c.arrive(i, start);
  c.until_quiet();
  c.block(127, 2 * start);
  c.until_quiet();
  for (const auto& p : c.parts) ASSERT_TRUE(p.ended());
  const cycles cold = c.last_handled - 2 * start;
  EXPECT_GE(cold, 6 * 75u);
  const double published = two_a_core.messages.reduction;
  EXPECT_NEAR(6 * 75, published, 0.16 * published);
  // Only the pairs on the way down are new. Each manager sends a message to each of its children, and needs one translation
  // after the other.
  EXPECT_LE(cold, 6 * 75u + 3 * 8 * 100u);
}

// Sixteen tasks of four words fill a buffer, as in the paper. The managers limit a burst to half of a buffer.
TEST(message_words, are_four_for_a_task_and_fewer_for_the_rest) {
  const auto words = [](const managers::message& m, managers::rider value = {}) {
    return words_of({worker_party(0), worker_party(1), m, std::move(value)});
  };
  EXPECT_EQ(words(managers::task{managers::task_descriptor{1, 2, 3, 4}, true}), 4u);
  EXPECT_EQ(chip.messages.receive_words / 4, managers::receive_buffer_messages);
  EXPECT_EQ(chip.messages.receive_words / 2, managers::max_tasks_in_burst * 4);
  EXPECT_EQ(words(managers::task{std::nullopt, true}), 1u);
  EXPECT_EQ(words(managers::steal{0, 4, worker_party(1)}), 2u);
  EXPECT_EQ(words(managers::victim_update{0, 4, 4}), 2u);
  EXPECT_EQ(words(managers::update{0, 4}), 1u);
  EXPECT_EQ(words(managers::stealer_update{0, 4}), 1u);
  EXPECT_EQ(words(managers::unblock{0}), 1u);
  EXPECT_EQ(words(managers::unblock{0}, std::make_shared<double>(1)), 2u)
      << "UNBLOCK carries a part of a reduction";
}

// ---- the TTB

/// The pairs that exchange messages. A worker communicates with its manager and, for steals of each level, with its
/// counterpart in each other part. A manager communicates with its children and its own manager.
std::vector<std::set<std::uint32_t>> partners_of(const manager_tree& tree, std::uint32_t radix) {
  std::vector<std::set<std::uint32_t>> all(tree.workers());
  const auto both = [&](std::uint32_t a, std::uint32_t b) {
    if (a == b) return;
    all[a].insert(b);
    all[b].insert(a);
  };
  for (std::uint32_t w = 0; w < tree.workers(); ++w) {
    both(w, tree.thread_of(tree.parent(worker_party(w)), 0));
    std::uint32_t part = 1;
    for (managers::level_id level = 0; level < tree.levels(); ++level, part *= radix)
      for (std::uint32_t other = 0; other < radix; ++other)
        both(w, w - (w / part % radix) * part + other * part);
  }
  for (managers::level_id level = 0; level + 1 < tree.levels(); ++level)
    for (std::uint32_t i = 0; i < tree.managers(level); ++i) {
      const party m = manager_party(level, i);
      both(tree.thread_of(m, 0), tree.thread_of(tree.parent(m), 0));
    }
  return all;
}

// There are three levels of radix 8. A thread has seven counterparts on each level and its own manager. A thread with a
// manager also has the manager's eight children and its parent. A few of these are counterparts too.
TEST(translations, of_512_threads_and_radix_8_are_at_most_31) {
  const manager_tree tree(512, 8);
  std::size_t max = 0;
  for (const auto& of_one : partners_of(tree, 8)) max = std::max(max, of_one.size());
  EXPECT_GT(max, 3u * 7);
  EXPECT_LE(max, 31u);
  const std::size_t anywhere = 3 * 7 + 1 + tree.children(tree.parent(worker_party(0))) + 1;
  EXPECT_EQ(anywhere, 31u);
  EXPECT_LE(anywhere, chip.messages.translations);
}

// ---- whole phases

/// Task n creates tasks 2n+1 and 2n+2, up to a number of tasks. Each task runs for up to 2,000 cycles.
struct phase {
  managed_chip c;
  std::vector<int> runs;
  std::uint64_t random;
  struct task_context {
    std::optional<std::uint64_t> task;
    cycles ends = 0, stolen = 0;
    bool blocked = true;
  };
  std::vector<task_context> workers;

  phase(const adm_hardware& on, tile_network::kind kind, std::uint32_t threads, std::size_t tasks,
        std::uint64_t seed)
      : c(on, kind, threads, on.messages.radix),
        runs(tasks),
        random(base::generator_state(seed, 0)),
        workers(threads) {
    c.begin(0, {0}, 0);
    workers[0].blocked = false;
    c.until_quiet();
    for (std::uint32_t i = 1; i < threads; ++i) c.arrive(i, start);
    for (task_context& w : workers) w.ends = start;
  }
  void step(std::uint32_t i, cycles now) {
    task_context& w = workers[i];
    outbox out;
    if (const cycles more = c.threads[i].stolen - w.stolen;
        more != 0) {  // handlers have interrupted its task
      w.stolen += more;
      w.ends = now + more;
      return;
    }
    if (w.task)
      for (const std::uint64_t child : {2 * *w.task + 1, 2 * *w.task + 2})
        if (child < runs.size()) c.queues[i].tasks.push_back(child);
    w.task.reset();
    c.parts[i].queue_changed(out);
    c.post(i, out, now);
    if (c.queues[i].tasks.empty()) {
      w.blocked = true;
      return c.block(i, now);
    }
    w.task = c.queues[i].tasks.back();
    c.queues[i].tasks.pop_back();
    c.parts[i].queue_changed(out);
    c.post(i, out, now);
    ++runs[*w.task];
    w.ends = now + base::random_below(2000, random);
  }
  bool go() {
    for (;;) {
      std::uint32_t first = 0;
      cycles at = ~cycles{0};
      for (std::uint32_t i = 0; i < workers.size(); ++i)
        if (!workers[i].blocked && workers[i].ends < at) at = workers[first = i].ends;
      if (c.next() && *c.next() <= at) {
        const cycles now = *c.next();
        c.step();
        wake(now);
      } else if (at != ~cycles{0}) {
        step(first, at);
      } else {
        return std::ranges::all_of(c.parts, [](const auto& p) { return p.ended(); });
      }
    }
  }
  void wake(cycles now) {
    for (std::uint32_t i = 0; i < workers.size(); ++i)
      if (workers[i].blocked && !c.queues[i].tasks.empty() && !c.parts[i].ended()) {
        workers[i].blocked = false;
        workers[i].ends = now;
        workers[i].stolen = c.threads[i].stolen;
        c.parts[i].go_on();
      }
  }
};

TEST(adm_phases, run_every_task_once_and_are_repeatable) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    phase one(chip, tile_network::kind::routed, 64, 5000, seed),
        again(chip, tile_network::kind::routed, 64, 5000, seed);
    ASSERT_TRUE(one.go()) << seed;
    for (const int n : one.runs) ASSERT_EQ(n, 1);
    ASSERT_TRUE(again.go());
    EXPECT_EQ(one.c.last_handled, again.c.last_handled);
    EXPECT_EQ(one.c.net.counted().stale, 0u);
    const std::uint64_t messages = one.c.net.counted().messages;
    std::printf("seed %u: %u cycles, %u messages, %u translations, %u refused, %u overflows\n",
                unsigned(seed), unsigned(one.c.last_handled), unsigned(messages),
                unsigned(one.c.net.counted().translations), unsigned(one.c.net.counted().refused),
                unsigned(one.c.net.counted().overflows));
    EXPECT_LT(one.c.net.counted().overflows, messages / 1000)
        << "overflows are rare, because a burst is limited";
    // A thread has fourteen counterparts on two levels of radix 8, its own manager and, with a manager, eight children and a
    // parent. No translation is looked up twice.
    std::size_t pairs = 0;
    for (const auto& [thread, to] : one.c.partners) {
      pairs += to.size();
      EXPECT_LE(to.size(), 24u);
    }
    EXPECT_EQ(one.c.net.counted().translations, pairs);
  }
}

}  // namespace
}  // namespace skua::simulator::adm_traces_test
