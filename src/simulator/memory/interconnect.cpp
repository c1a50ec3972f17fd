#include "simulator/memory/interconnect.hpp"

#include <algorithm>
#include <cmath>

namespace skua::simulator {

interconnect::interconnect(const machine_model& machine, const machine_shape& shape, bool limited,
                           const memory_assumptions& assumed)
    : shape_(shape),
      packages_(shape.packages()),
      buses_(shape.nodes() == 1 && packages_ > 1),
      slice_(assumed.slice),
      node_counters_(shape.nodes()),
      routes_(packages_ * packages_) {
  if (buses_)
    lay_buses();
  else
    lay_links(machine);
  if (!limited) return;
  node_queues_.assign(shape.nodes(), bandwidth_queue(machine.memory.bytes_a_cycle, assumed.slice));
  if (machine.memory.core_bytes_a_cycle)
    core_queues_.assign(shape.cores(), bandwidth_queue(*machine.memory.core_bytes_a_cycle, assumed.slice));
  if (machine.link_bytes_a_cycle)
    link_queues_.assign(link_counters_.size(), bandwidth_queue(*machine.link_bytes_a_cycle, assumed.slice));
}

void interconnect::lay_buses() {
  for (std::size_t package = 0; package < packages_; ++package) link(package, package);
  for (std::uint32_t from = 0; from < packages_; ++from)
    for (std::uint32_t to = 0; to < packages_; ++to)
      routes_[from * packages_ + to] = from == to ? route{from} : route{from, to};
}

/// Any two packages that are one hop apart have a link. Two packages that these links do not connect get a link of
/// their own.
void interconnect::lay_links(const machine_model& machine) {
  const auto& hops = machine.hops;
  for (std::size_t from = 0; from < packages_; ++from)
    for (std::size_t to = 0; to < packages_; ++to)
      for (std::size_t here = from; here != to;) {
        std::size_t next = 0;
        while (next < packages_ && (hops[here][next] != 1 || hops[next][to] + 1 != hops[here][to])) ++next;
        if (next == packages_) next = to;
        routes_[from * packages_ + to].push_back(link(here, next));
        here = next;
      }
}

std::uint32_t interconnect::link(std::size_t from, std::size_t to) {
  std::size_t number = 0;
  while (number < link_counters_.size() &&
         (link_counters_[number].from != from || link_counters_[number].to != to))
    ++number;
  if (number == link_counters_.size()) link_counters_.push_back({.from = from, .to = to});
  return static_cast<std::uint32_t>(number);
}

cycles interconnect::fetch(std::size_t node, std::size_t core, cycles time) {
  const std::size_t package = shape_.package_of_core(core);
  node_counters_[node].bytes_read += shape_.line_bytes();
  cycles waits = core_queues_.empty() ? 0 : core_queues_[core].pass(time, shape_.line_bytes());
  waits += from_node(node, time + waits);
  node_counters_[node].queueing += waits;
  const std::size_t target = package_of(node, package);
  if (!buses_ && target == package) return waits;
  if (target != package) node_counters_[node].bytes_read_remotely += shape_.line_bytes();
  return waits + cross(route_between(target, package), time + waits);
}

cycles interconnect::transfer(std::size_t from_package, std::size_t to_package, cycles time) {
  return from_package == to_package ? 0 : cross(route_between(from_package, to_package), time);
}

void interconnect::write_back(std::size_t package, std::size_t node, cycles time) {
  node_counters_[node].bytes_written += shape_.line_bytes();
  const std::size_t target = package_of(node, package);
  const cycles waits = buses_ || target != package ? cross(route_between(package, target), time) : 0;
  from_node(node, time + waits);
}

void interconnect::advance(cycles time) {
  if (time < next_slice_) return;
  next_slice_ = (time / slice_ + 1) * slice_;
  for (bandwidth_queue& queue : core_queues_) queue.advance(time);
  for (bandwidth_queue& queue : node_queues_) queue.advance(time);
  for (bandwidth_queue& queue : link_queues_) queue.advance(time);
}

cycles interconnect::cross(const route& links, cycles time) {
  cycles all = 0;
  for (const std::uint32_t number : links) {
    link_counters_[number].bytes += shape_.line_bytes();
    if (link_queues_.empty()) continue;
    const cycles waits = link_queues_[number].pass(time + all, shape_.line_bytes());
    link_counters_[number].queueing += waits;
    all += waits;
  }
  return all;
}

cycles interconnect::from_node(std::size_t node, cycles time) {
  return node_queues_.empty() ? 0 : node_queues_[node].pass(time, shape_.line_bytes());
}

bandwidth_queue::bandwidth_queue(double bytes_a_cycle, cycles slice_cycles)
    : rate_(static_cast<std::uint64_t>(std::llround(bytes_a_cycle * 1000))),
      room_(rate_ * slice_cycles),
      length_(slice_cycles),
      slices_(64) {}

cycles bandwidth_queue::pass(cycles time, std::uint64_t bytes) {
  std::uint64_t here = with_room(std::max(time / length_, first_));
  const cycles turn = here * length_ + at(here).used / rate_;
  for (std::uint64_t left = bytes * 1000;;) {
    slice& s = at(here);
    const std::uint64_t taken = std::min(left, room_ - s.used);
    s.used += taken;
    left -= taken;
    if (s.used == room_) s.next = here + 1;
    if (left == 0) break;
    here = with_room(here + 1);
  }
  return turn > time ? turn - time : 0;
}

void bandwidth_queue::advance(cycles time) {
  const std::uint64_t first = time / length_;
  if (first <= first_) return;
  const std::uint64_t dropped = std::min<std::uint64_t>(first - first_, slices_.size());
  for (std::uint64_t i = 0; i < dropped; ++i) at(first_ + i) = slice{};
  first_ = first;
}

/// The first slice with room from this one on. The full slices in between remember it.
std::uint64_t bandwidth_queue::with_room(std::uint64_t number) {
  std::uint64_t end = number;
  for (;;) {
    reach(end);
    if (at(end).used < room_) break;
    end = at(end).next;
  }
  while (number != end) {
    const std::uint64_t next = at(number).next;
    at(number).next = end;
    number = next;
  }
  return end;
}

/// Grows the slices until this one is kept.
void bandwidth_queue::reach(std::uint64_t number) {
  if (number - first_ < slices_.size()) return;
  const std::vector<slice> old = slices_;
  std::size_t size = old.size();
  while (number - first_ >= size) size *= 2;
  slices_.assign(size, slice{});
  for (std::uint64_t i = first_; i < first_ + old.size(); ++i) at(i) = old[i & (old.size() - 1)];
}

}  // namespace skua::simulator
