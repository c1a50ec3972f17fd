#include "simulator/adm/carbon.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace skua::simulator {

namespace {

std::vector<std::vector<thread_number>> neighbours_of(const adm_hardware& chip, const tile_network& network,
                                                      const std::vector<context_number>& at) {
  const auto threads = static_cast<std::uint32_t>(at.size());
  std::vector<std::vector<thread_number>> all(threads);
  for (thread_number me = 0; me < threads; ++me) {
    std::vector<thread_number>& near = all[me];
    for (std::uint32_t i = 1; i < threads; ++i) near.push_back((me + i) % threads);
    std::ranges::sort(near, {}, [&](thread_number t) {
      return std::pair(network.distance(chip.core_of(at[me]), chip.core_of(at[t])),
                       (t + threads - me) % threads);
    });
  }
  return all;
}

std::vector<context_number> first_contexts(std::uint32_t threads) {
  std::vector<context_number> at(threads);
  std::iota(at.begin(), at.end(), context_number{0});
  return at;
}

}  // namespace

carbon::carbon(const adm_hardware& chip, const tile_network& network, std::uint32_t threads)
    : carbon(chip, network, first_contexts(threads)) {}

carbon::carbon(const adm_hardware& chip, const tile_network& network, std::vector<context_number> at)
    : chip_(chip),
      network_(network),
      at_(std::move(at)),
      unit_({chip.carbon.queue_tasks}, neighbours_of(chip, network, at_)),
      local_(at_.size()),
      port_free_(chip.cores()) {}

// ---- a thread

std::optional<cycles> carbon::enqueue(thread_number by, const carbon_task& task, cycles now) {
  local_unit& mine = local_[by];
  if (mine.overflowed) {
    mine.software.push_back(task);
    ++counted_.to_software;
    return chip_.messages.operations.enqueue.average;
  }
  if (mine.sending >= chip_.carbon.local_tasks) {
    mine.wants_room = true;
    return std::nullopt;
  }
  ++mine.sending;
  send({event::kind::at_port, by, true, false, task}, now);
  return operation;
}

carbon::dequeued carbon::dequeue(thread_number by, cycles now) {
  local_unit& mine = local_[by];
  if (!mine.software.empty()) {
    ++counted_.from_software;
    return {chip_.messages.operations.dequeue.average, take_one(mine.software)};
  }
  if (mine.prefetched) {
    const carbon_task found = *std::exchange(mine.prefetched, std::nullopt);
    ask(by, true, now);
    return {operation, found};
  }
  mine.waits = true;
  ask(by, false, now);
  return {operation, std::nullopt};
}

/// Repeats a prefetch that was not answered, with the same number.
void carbon::ask(thread_number by, bool prefetch, cycles now) {
  local_unit& mine = local_[by];
  if (!std::exchange(mine.asked, true)) ++mine.number;
  event request{event::kind::at_port, by};
  request.request = {mine.number, prefetch};
  send(request, now);
}

// ---- between a thread and the global unit

cycles carbon::flits_of(const event& request) const noexcept {
  return network_.flits(request.is_enqueue ? chip_.carbon.task_words : 0);
}

void carbon::send(event request, cycles now) {
  cycles& port = port_free_[core_of(request.thread)];
  const cycles leaves = std::max(now, port);
  port = leaves + flits_of(request);
  timeline_.put(leaves + network_.latency_to_centre(core_of(request.thread)), request);
}

void carbon::reach_port(event request, cycles now) {
  const cycles flits = flits_of(request);
  const cycles begins = flits == 0 ? now : std::max(now, way_in_free_);
  counted_.waited_at_unit += begins - now;
  way_in_free_ = begins + flits;
  request.type = event::kind::at_unit;
  timeline_.put(begins + (flits == 0 ? 0 : flits - 1), request);
}

void carbon::reach_unit(const event& request, cycles now, std::vector<carbon_event>& events) {
  carbon_unit::replies replies;
  if (request.is_enqueue) {
    unit_.enqueue(request.thread, request.task, request.more_behind, replies);
    local_unit& from = local_[request.thread];
    if (--from.sending < chip_.carbon.local_tasks && std::exchange(from.wants_room, false))
      events.push_back({carbon_event::kind::room, request.thread, now});
  } else {
    unit_.dequeue(request.thread, request.request, replies);
  }
  send_back(replies, now);
}

void carbon::leave(thread_number thread, cycles now) {
  carbon_unit::replies replies;
  unit_.leave(thread, replies);
  send_back(replies, now);
}

void carbon::send_back(const carbon_unit::replies& replies, cycles now) {
  for (const carbon_reply& reply : replies) {
    const bool is_task = reply.type == carbon_reply::kind::task || reply.type == carbon_reply::kind::end;
    const cycles flits = network_.flits(is_task ? chip_.carbon.task_words : 0);
    const cycles leaves = flits == 0 ? now : std::max(now, way_out_free_);
    counted_.waited_at_unit += leaves - now;
    way_out_free_ = leaves + flits;
    event back{event::kind::at_thread, reply.thread};
    back.reply = reply;
    timeline_.put(leaves + (flits == 0 ? 0 : flits - 1) + network_.latency_to_centre(core_of(reply.thread)),
                  back);
  }
}

void carbon::reach_thread(const carbon_reply& reply, cycles now, std::vector<carbon_event>& events) {
  local_unit& mine = local_[reply.thread];
  using enum carbon_reply::kind;
  if (reply.type == overflow) {
    ++counted_.overflows;
    mine.overflowed = true;
    events.push_back({carbon_event::kind::handler, reply.thread, now, chip_.messages.handler});
  } else if (reply.type == underflow) {
    ++counted_.underflows;
    refill(reply.thread, now, events);
  } else if (reply.type == end) {
    mine.asked = mine.waits = false;
    events.push_back({carbon_event::kind::end, reply.thread, now});
  } else {
    mine.asked = false;
    if (!std::exchange(mine.waits, false)) {
      mine.prefetched = reply.task;
      return;
    }
    events.push_back({carbon_event::kind::task, reply.thread, now, 0, reply.task});
    ask(reply.thread, true, now);
  }
}

void carbon::refill(thread_number by, cycles now, std::vector<carbon_event>& events) {
  local_unit& mine = local_[by];
  const std::size_t moved = std::min<std::size_t>(mine.software.size(), unit_.lower());
  for (std::size_t i = 1; i <= moved; ++i) {
    const carbon_task oldest = mine.software.front();
    mine.software.pop_front();
    ++mine.sending;
    send({event::kind::at_port, by, true, i == moved && !mine.software.empty(), oldest},
         now + chip_.messages.handler + i * operation);
  }
  mine.overflowed = !mine.software.empty();
  events.push_back({carbon_event::kind::handler, by, now, chip_.messages.handler + moved * operation});
}

void carbon::advance(cycles until, std::vector<carbon_event>& events) {
  while (timeline_.next() && *timeline_.next() <= until) {
    const auto [at, due] = timeline_.take();
    if (due.type == event::kind::at_port)
      reach_port(due, at);
    else if (due.type == event::kind::at_unit)
      reach_unit(due, at, events);
    else
      reach_thread(due.reply, at, events);
  }
}

}  // namespace skua::simulator
