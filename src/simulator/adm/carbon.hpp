// Carbon in virtual time: a local task unit for each thread, the ports of the global one, and each thread's software queue
// behind its hardware queue.
//
//   carbon tasks(chip, tile_network(chip, tile_network::kind::routed), chip.threads());
//   if (auto busy = tasks.enqueue(0, {.content = 7}, now)) ...      // else thread 0 waits for `room` and tries again
//   auto [busy, task] = tasks.dequeue(1, now);                     // a task, or thread 1 waits for `task` or `end`
//   std::vector<carbon_event> told;
//   tasks.advance(then, told);                                     // what happens until then
//
// Time goes forward only, as in adm_messages.hpp, and `handler` is charged likewise; so advance() follows every other call,
// and next() says when to call it again. All threads take part: the phase ends when all of them wait.
//
// As the paper says: a local unit holds four tasks of its thread, on their way to the global unit, and one prefetched; the
// global unit, in the middle of the chip, serves one request a cycle, or any number on the ideal network. Each thread has a
// software queue without bounds, last in, first out, whose tasks nobody can steal: after an overflow interrupt it
// enqueues there, and an underflow interrupt moves some of them, the oldest, to the hardware queue.
//
// Where the paper is silent:
// - An operation on the hardware keeps its thread busy for 13 cycles: the paper finds both together to be 4% of maxflow's
//   tasks of 674 cycles. One on the software queue costs what Table 5 says of ADM's local queues, on average.
// - A port of the global unit takes a flit a cycle, so tasks of three flits come and go at one in three cycles.
// - A local unit prefetches when its thread has been given a task by the hardware. An entry is free again when the global
//   unit has the task.
// - Both interrupts take as long as a message handler of ADM; the second one an operation more for each task. It moves as
//   many tasks as a quarter of a hardware queue holds.
// - What ends a phase is a task like others, of four words; an interrupt has none.
// - Who is near: threads of the core, of the tile, then by the way through the network; next numbers first.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simulator/adm/carbon_unit.hpp"
#include "simulator/adm/tile_network.hpp"
#include "simulator/engine/machine_part.hpp"

namespace skua::simulator {

struct carbon_event {
  enum class kind : std::uint8_t {
    task,    // for a thread that waits for one
    end,     // of the phase, for one that waits for a task
    room,    // in a local task unit that was full
    handler  // of an interrupt has begun: the thread does nothing else for `busy`
  };
  kind what;
  thread_number thread;
  cycles at;
  cycles busy = 0;
  carbon_task task = {};
};

class carbon {
 public:
  static constexpr cycles operation = 13;

  /// Thread i at hardware thread i; no more than the chip has.
  carbon(const adm_hardware& chip, const tile_network& network, std::uint32_t threads);
  /// Thread i at hardware thread at[i].
  carbon(const adm_hardware& chip, const tile_network& network, std::vector<context_number> at);

  /// How long that takes the thread; none: its local unit is full, and it waits for `room`. A task of several positions
  /// is a loop.
  std::optional<cycles> enqueue(thread_number by, const carbon_task& task, cycles now);

  struct dequeued {
    cycles busy;
    std::optional<carbon_task> task;  // none: the thread waits
  };
  dequeued dequeue(thread_number by, cycles now);

  /// Takes no part until it comes. Who leaves does not wait and has no tasks of its own left.
  void leave(thread_number who, cycles now);
  void come(thread_number who) { unit_.come(who); }

  std::optional<cycles> next() const { return line_.next(); }
  void advance(cycles until, std::vector<carbon_event>& told);

  const carbon_unit& global_unit() const noexcept { return unit_; }
  struct counts {
    std::uint64_t to_software, from_software, overflows, underflows;
    cycles waited_at_unit;  // of packets, for its two ports
  };
  const counts& counted() const noexcept { return counted_; }

 private:
  struct local_unit {
    std::optional<carbon_task> prefetched;
    std::uint64_t number = 0;   // of the last request
    std::uint32_t sending = 0;  // tasks on their way
    bool asked = false;         // that request has not been answered
    bool waits = false;         // its thread, for a task
    bool wants_room = false;
    bool overflowed = false;
    std::deque<carbon_task> software;  // the newest at the back
  };
  struct event {
    enum class kind : std::uint8_t { at_port, at_unit, at_thread };
    kind what;
    thread_number thread;
    bool is_enqueue = false;
    bool more_behind = false;
    carbon_task task = {};
    carbon_request request = {0, false};
    carbon_reply reply = {};
  };

  void ask(thread_number by, bool prefetch, cycles now);
  void send(event request, cycles now);
  cycles flits_of(const event& request) const noexcept;
  void reach_port(event request, cycles now);
  void reach_unit(const event& request, cycles now, std::vector<carbon_event>& told);
  void reach_thread(const carbon_reply& reply, cycles now, std::vector<carbon_event>& told);
  void send_back(const carbon_unit::replies& replies, cycles now);
  void refill(thread_number by, cycles now, std::vector<carbon_event>& told);
  core_number core_of(thread_number thread) const noexcept { return chip_.core_of(at_[thread]); }

  adm_hardware chip_;
  tile_network network_;
  std::vector<context_number> at_;
  carbon_unit unit_;
  std::vector<local_unit> local_;
  std::vector<cycles> port_free_;  // by core
  cycles way_in_free_ = 0, way_out_free_ = 0;
  time_line<event> line_;
  counts counted_{};
};

}  // namespace skua::simulator
