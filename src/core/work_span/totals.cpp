// The sums of work and span over all stacks of a scheduler.
#include <algorithm>
#include <cmath>
#include <new>
#include <tuple>
#include <utility>

#include "base/made_once.hpp"
#include "core/platform/symbols.hpp"
#include "core/record/call_site_names.hpp"
#include "core/scheduler_core.hpp"
#include "core/work_span/work_span.hpp"

namespace skua::core {

namespace {

// Cilkview assumes 15000 cycles for a steal: 5 us at 3 GHz.
constexpr double burden_ns = 5'000;
// Parts smaller than a grain are not separated. On an Intel Xeon, a report cost groups in groups with leaves of 1 us 2.2 to
// 3.9 percent with a grain of 60 us, and 1.3 to 2.7 with 120 us (three runs of build/release/bench/observed_cost 25).
// The grain is longer where the clock is slower.
constexpr double min_grain_ns = 120'000, readings_a_grain = 2000;
// Forks closer together than this do not take the slow path.
constexpr double tiny_fork_ns = 300;

struct clock_rates {
  double ticks_a_ns = 1, reading_ns = 0;
};

clock_rates measure_clock() noexcept {
  constexpr int readings = 1000, rounds = 5;
  clock_rates found{1, 1e9};
  const std::int64_t began_ns = host_platform::real_now_ns();
  const std::uint64_t began = host_platform::ticks();
  std::int64_t now_ns = began_ns;
  std::uint64_t now = began;
  for (int round = 0; round < rounds || now_ns - began_ns < 200'000; ++round) {
    const std::int64_t from = now_ns;
    for (int i = 0; i < readings; ++i) now = host_platform::ticks();
    now_ns = host_platform::real_now_ns();
    found.reading_ns = std::min(found.reading_ns, static_cast<double>(now_ns - from) / readings);
  }
  found.ticks_a_ns = static_cast<double>(now - began) / static_cast<double>(now_ns - began_ns);
  return found;
}

clock_rates rates(bool simulated) noexcept {
  if (simulated) return {};  // virtual time is in nanoseconds
  static constinit base::made_once<const clock_rates> measured;
  return measured.get([] {
    clock_rates found;
    leave_simulated_machine([&] { found = measure_clock(); });
    return found;
  });
}

std::uint64_t as_ns(std::uint64_t ticks, double ns_a_tick) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * ns_a_tick));
}

}  // namespace

work_span_totals::work_span_totals(bool simulated) : exact_(simulated) {
  const clock_rates clock = rates(simulated);
  ticks_a_ns_ = clock.ticks_a_ns;
  grain_ns_ = simulated ? 0 : std::max(min_grain_ns, readings_a_grain * clock.reading_ns);
  grain_ticks_ = static_cast<std::uint64_t>(grain_ns_ * clock.ticks_a_ns);
  burden_ticks_ = static_cast<std::uint64_t>(burden_ns * clock.ticks_a_ns);
  tiny_fork_ticks_ = static_cast<std::uint64_t>(tiny_fork_ns * clock.ticks_a_ns);
}

std::int64_t work_span_totals::ns_at(std::uint64_t ticks) const noexcept {
  const std::uint64_t now = host_platform::ticks(), ago = now - std::min(now, ticks);
  return host_platform::now_ns() - static_cast<std::int64_t>(static_cast<double>(ago) / ticks_a_ns_);
}

void work_span_totals::add(stack& s) {
  auto kept = std::make_unique<stack_work_span>(*this, s);
  const std::lock_guard lock(guard_);
  stacks_.push_back(std::move(kept));
  by_sides_[&s.side(s.first_slot)] = {&s, stacks_.back().get()};
}

child_work_span* work_span_totals::child_of(const stolen_side* side) const {
  const std::lock_guard lock(guard_);
  if (const auto loose = slotless_.find(side); loose != slotless_.end()) return loose->second;
  auto at = by_sides_.upper_bound(side);
  if (at == by_sides_.begin()) return nullptr;
  --at;
  const auto& [s, kept] = at->second;
  const std::ptrdiff_t index = side - at->first;
  return index < join_capacity ? kept->child(s->first_slot + index) : nullptr;
}

void work_span_totals::add_child(const stolen_side* side, child_work_span& child) {
  const std::lock_guard lock(guard_);
  slotless_[side] = &child;
}

void work_span_totals::remove_child(const stolen_side* side) {
  const std::lock_guard lock(guard_);
  slotless_.erase(side);
}

work_span_totals::call work_span_totals::begin_call() const {
  const std::lock_guard lock(guard_);
  return {longest_, clears_};
}

namespace {

/// The end of a call that began before clear(): it counts for no more than the time since then, with its burden in
/// proportion.
path_point at_most(const path_point& begin, const path_point& end, const path_point& longest,
                   std::uint64_t ticks) noexcept {
  if (end.span <= longest.span + ticks || end.span <= begin.span) return end;
  const double burdened_a_tick = static_cast<double>(end.burdened - std::min(begin.burdened, end.burdened)) /
                                 static_cast<double>(end.span - begin.span);
  return {longest.span + ticks,
          longest.burdened + static_cast<std::uint64_t>(static_cast<double>(ticks) * burdened_a_tick)};
}

}  // namespace

// A call that ran concurrently with others counts only for what it adds to the longest path.
void work_span_totals::end_call(const call& its, const path_end& reported) {
  const std::uint64_t now = host_platform::ticks();
  const std::lock_guard lock(guard_);
  path_end end = reported;
  if (its.clears != clears_)
    end.at = at_most(its.begin, reported.at, longest_, now - std::min(now, cleared_at_));
  std::uint64_t more = end.at.span > longest_.span ? end.at.span - longest_.span : 0;
  for (std::uint32_t i = 0; i < end.parts && more != 0; ++i) {
    const std::uint64_t part = std::min(more, end.part[i].ticks);
    more -= part;
    try {
      parts_[end.part[i].where] += part;
    } catch (const std::bad_alloc&) {  // then these ticks have no call site
    }
  }
  longest_ = later(longest_, end.at);
}

void work_span_totals::clear(std::uint64_t now) {
  const std::lock_guard lock(guard_);
  before_ = longest_;
  ++clears_;
  cleared_at_ = now;
  parts_.clear();
  for (const auto& s : stacks_) {
    s->own_work.clear();
    s->loops.clear();
    s->sites.clear();
  }
}

namespace {

std::string_view name_of(call_site_kind kind) {
  switch (kind) {
    case call_site_kind::loop:
      return "loop";
    case call_site_kind::group:
      return "group";
    case call_site_kind::none:
      return "serial";
    default:
      return "join";
  }
}

}  // namespace

// A loop's thief forks, so that other thieves may take a part of its piece. Such a fork belongs to the loop in which it
// was met, perhaps through further forks of the same kind, since thieves have thieves. The forks that hand out the pieces of a loop
// have the address of its call.
void work_span_totals::give_to_loops(std::map<site, call_site_sums>& all, symbols& known) {
  const auto is_thiefs = [&](site where) {
    return where != 0 && is_thief_of_loop(known.function_at(address_of(where)));
  };
  /// The loop with the address of the site, or 0.
  const auto called_at = [&](site where) {
    const site loop = site_at(call_site_kind::loop, reinterpret_cast<const void*>(address_of(where)));
    return all.contains(loop) ? loop : site{0};
  };
  const auto loop_of = [&](site thiefs) {
    std::vector<site> met{thiefs};
    for (std::size_t i = 0; i < met.size(); ++i) {
      const auto at = all.find(met[i]);
      if (at == all.end()) continue;
      for (const site around : at->second.around) {
        if (const site loop = called_at(around); loop != 0 && !is_thiefs(loop)) return loop;
        if (is_thiefs(around) && std::ranges::find(met, around) == met.end()) met.push_back(around);
      }
    }
    return site{0};
  };
  std::vector<std::pair<site, site>> given;
  for (const auto& [where, its] : all)
    if (is_thiefs(where))
      given.emplace_back(where, loop_of(where));
    else if (kind_of(where) == call_site_kind::join)
      given.emplace_back(where, called_at(where));
  for (const auto& [where, loop] : given) {
    if (loop == 0) continue;
    call_site_sums its = std::move(all.extract(where).mapped());
    its.times = 0;  // not calls of the program
    its.loops = {};
    all[loop] += its;
  }
}

std::vector<observe::call_site_record> work_span_totals::call_sites_of(std::map<site, call_site_sums> all,
                                                                       double ns_a_tick) {
  constexpr std::size_t max = 10;
  symbols known;
  give_to_loops(all, known);
  call_site_sums serial;
  std::map<std::pair<site, std::string>, call_site_sums> by_address;
  std::map<std::string, std::pair<site, call_site_sums>> by_thieves;  // of loops that no stack has recorded
  for (const auto& [where, its] : all) {
    const call_site_kind kind = kind_of(where);
    const site address = address_of(where);
    if (kind == call_site_kind::none)
      serial += its;
    else if (is_thief_of_loop(known.function_at(address)))
      by_thieves.try_emplace(call_site_name(known, address), address, call_site_sums{})
          .first->second.second += its;
    else
      by_address[{address, std::string(name_of(kind))}] += its;
  }
  std::vector<observe::call_site_record> sites;
  for (const auto& [where, its] : by_address)
    sites.push_back({.name = call_site_name(known, where.first),
                     .address = known.location_at(where.first),
                     .file = known.file_at(where.first),
                     .kind = where.second,
                     .span_ns = as_ns(its.span, ns_a_tick),
                     .work_ns = as_ns(its.work, ns_a_tick),
                     .times = its.times,
                     .inside = its.inside,
                     .calls = its.loops.calls,
                     .positions = its.loops.positions,
                     .min_positions = its.loops.min,
                     .max_positions = its.loops.max});
  // The loop's own call is not known. The thief's fork lies in the same file, and addr2line -i names its function.
  for (const auto& [name, thiefs] : by_thieves)
    if (const auto& [address, its] = thiefs; its.work + its.span != 0)
      sites.push_back({.name = name,
                       .address = known.location_at(address),
                       .file = known.file_at(address),
                       .kind = std::string(name_of(call_site_kind::loop)),
                       .span_ns = as_ns(its.span, ns_a_tick),
                       .work_ns = as_ns(its.work, ns_a_tick)});
  if (serial.span != 0)
    sites.push_back({.name = "code outside of forks, loops and group tasks",
                     .kind = std::string(name_of(call_site_kind::none)),
                     .span_ns = as_ns(serial.span, ns_a_tick)});
  std::ranges::sort(sites, [](const auto& a, const auto& b) {
    return std::tie(a.span_ns, a.work_ns, a.name) > std::tie(b.span_ns, b.work_ns, b.name);
  });
  if (sites.size() > max) sites.resize(max);
  return sites;
}

observe::work_span_record work_span_totals::read(double ns_a_tick, std::uint64_t forks,
                                                 std::uint64_t group_tasks) const {
  std::map<site, call_site_sums> sites;
  const totals all = read_sums(sites);
  return {.work_ns = as_ns(all.work, ns_a_tick),
          .span_ns = as_ns(all.path.span, ns_a_tick),
          .burdened_span_ns = as_ns(all.path.burdened, ns_a_tick),
          .burden_ns = static_cast<std::uint64_t>(burden_ns),
          .forks = forks > all.loops ? forks - all.loops : 0,
          .loops = all.loops,
          .group_tasks = group_tasks,
          .exact = exact_,
          .grain_ns = static_cast<std::uint64_t>(grain_ns_),
          // Outside the lock, because workers wait for it and reading the names takes long.
          .sites = call_sites_of(sites, ns_a_tick)};
}

work_span_totals::totals work_span_totals::read_sums(std::map<site, call_site_sums>& sites) const {
  const std::lock_guard lock(guard_);
  totals all{.path = {longest_.span - before_.span, longest_.burdened - before_.burdened}};
  for (const auto& s : stacks_) {
    all.work += s->own_work.read();
    all.loops += s->loops.read();
    s->sites.each([&](const call_site_table::entry& e) {
      call_site_sums& to = sites[e.where.load(std::memory_order_relaxed)];
      to.work += e.work.read();
      to.times += e.times.read();
      to.inside += e.inside.read();
      to.loops += e.loops.read();
      to.around.insert(e.around.load(std::memory_order_relaxed));
    });
  }
  for (const auto& [where, ticks] : parts_) sites[where].span += ticks;
  return all;
}

}  // namespace skua::core
