// Carbon in virtual time: a local task unit for each thread, the ports of the global unit, and each thread's software
// queue behind its hardware queue.
//
//   carbon tasks(chip, tile_network(chip, tile_network::kind::routed), chip.threads());
//   if (auto busy = tasks.enqueue(0, {.content = 7}, now)) ...      // else thread 0 waits for `room` and tries again
//   auto [busy, task] = tasks.dequeue(1, now);                     // a task, or thread 1 waits for `task` or `end`
//   std::vector<carbon_event> events;
//   tasks.advance(then, events);                                   // what happens until then
//
// Time only goes forward, as in adm_messages.hpp, and the caller charges `handler` in the same way. So it calls
// advance() after every other call, and next() to learn when to call it again. All threads take part: the phase ends
// when all wait.
//
// The paper: a local unit holds four tasks of its thread on their way to the global unit, and one prefetched task. The
// global unit, in the centre of the chip, serves one request per cycle, or any number on the ideal network. Each thread
// has an unbounded software queue, last in, first out, whose tasks cannot be stolen. After an overflow interrupt the
// thread enqueues there. An underflow interrupt moves some of these tasks, the oldest, to the hardware queue.
//
// Our assumptions, which the paper does not state:
// - A hardware operation keeps its thread busy for 13 cycles: the paper finds both together to be 4% of maxflow's tasks
//   of 674 cycles. An operation on the software queue costs the average of ADM's local queues in Table 5.
// - A port of the global unit takes one flit per cycle, so tasks of three flits pass it at one in three cycles.
// - A local unit prefetches when the hardware has given its thread a task. An entry is free again when the global unit
//   has its task.
// - Both interrupts take as long as a message handler of ADM; the underflow takes one operation more for each task. It
//   moves as many tasks as a quarter of a hardware queue holds.
// - The end of a phase is sent as a packet of four words, like a task; an interrupt has none.
// - The nearest threads are those of the core, then of the tile, then by the route through the network; ties go to the
//   next higher numbers.
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
    task,    // for a thread that waits for a task
    end,     // of the phase, for a thread that waits for a task
    room,    // in a local task unit that was full
    handler  // of an interrupt has begun: the thread is busy with it for `busy`
  };
  kind type;
  thread_number thread;
  cycles at;
  cycles busy = 0;
  carbon_task task = {};
};

class carbon {
 public:
  static constexpr cycles operation = 13;

  /// Thread i is at hardware thread i; `threads` is at most the chip's.
  carbon(const adm_hardware& chip, const tile_network& network, std::uint32_t threads);
  /// Thread i is at hardware thread at[i].
  carbon(const adm_hardware& chip, const tile_network& network, std::vector<context_number> at);

  /// Returns how long the thread is busy. nullopt: its local unit is full, and it waits for `room`. A task with several
  /// positions is a loop.
  std::optional<cycles> enqueue(thread_number by, const carbon_task& task, cycles now);

  struct dequeued {
    cycles busy;
    std::optional<carbon_task> task;  // nullopt: the thread waits
  };
  dequeued dequeue(thread_number by, cycles now);

  /// The thread takes no part from now on. It must not wait or have tasks of its own.
  void leave(thread_number thread, cycles now);
  /// The thread takes part again.
  void come(thread_number thread) { unit_.come(thread); }

  std::optional<cycles> next() const { return timeline_.next(); }
  void advance(cycles until, std::vector<carbon_event>& events);

  const carbon_unit& global_unit() const noexcept { return unit_; }
  struct counts {
    std::uint64_t to_software, from_software, overflows, underflows;
    cycles waited_at_unit;  // by packets, for the two ports of the unit
  };
  const counts& counted() const noexcept { return counted_; }

 private:
  struct local_unit {
    std::optional<carbon_task> prefetched;
    std::uint64_t number = 0;   // of the last request
    std::uint32_t sending = 0;  // tasks on their way to the global unit
    bool asked = false;         // the last request has not been answered
    bool waits = false;         // its thread waits for a task
    bool wants_room = false;
    bool overflowed = false;
    std::deque<carbon_task> software;  // the newest at the back
  };
  struct event {
    enum class kind : std::uint8_t { at_port, at_unit, at_thread };
    kind type;
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
  void reach_unit(const event& request, cycles now, std::vector<carbon_event>& events);
  void reach_thread(const carbon_reply& reply, cycles now, std::vector<carbon_event>& events);
  void send_back(const carbon_unit::replies& replies, cycles now);
  void refill(thread_number by, cycles now, std::vector<carbon_event>& events);
  core_number core_of(thread_number thread) const noexcept { return chip_.core_of(at_[thread]); }

  adm_hardware chip_;
  tile_network network_;
  std::vector<context_number> at_;
  carbon_unit unit_;
  std::vector<local_unit> local_;
  std::vector<cycles> port_free_;  // by core
  cycles way_in_free_ = 0, way_out_free_ = 0;
  time_line<event> timeline_;
  counts counted_{};
};

}  // namespace skua::simulator
