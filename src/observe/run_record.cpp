// A run's record as JSON and back. The names in the file are those of the members, and those of the activities.
#include "observe/run_record.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <skua/topology.hpp>

namespace nlohmann {

// null stands for nullopt.
template <class T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& to, const std::optional<T>& from) { to = from ? json(*from) : json(nullptr); }
  static void from_json(const json& from, std::optional<T>& to) {
    if (from.is_null())
      to.reset();
    else
      to = from.get<T>();
  }
};

}  // namespace nlohmann

namespace skua {

using nlohmann::json;

namespace {

// Zeros are left out: they would be most of a large file.
json by_activity(const std::array<std::uint64_t, activity_count>& values) {
  json to = json::object();
  for (std::size_t i = 0; i < activity_count; ++i)
    if (values[i]) to[std::string(activity_names[i])] = values[i];
  return to;
}
void by_activity(const json& from, std::array<std::uint64_t, activity_count>& values) {
  for (std::size_t i = 0; i < activity_count; ++i)
    values[i] = from.value(std::string(activity_names[i]), std::uint64_t{0});
}

}  // namespace

static void to_json(json& to, const worker_times& from) { to = by_activity(from.ns); }
static void from_json(const json& from, worker_times& to) { by_activity(from, to.ns); }

static void to_json(json& to, const simulated_times& from) {
  to = json::object();
  for (const named_time& one : simulated_time_names) to[std::string(one.name)] = from.*one.cycles;
}
static void from_json(const json& from, simulated_times& to) {
  for (const named_time& one : simulated_time_names)
    to.*one.cycles = from.value(std::string(one.name), std::uint64_t{0});
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(counters, forks, group_tasks, own_tasks, attempts, steals,
                                                steal_misses, remote_attempts, remote_steals, suspensions,
                                                stacks, sleeps, asleep_ns, steals_by_distance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(simulated_cache, level, hits, demand_misses, prefetches,
                                                evictions, write_backs)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(simulated_node, bytes_read, bytes_written, waiting_cycles,
                                                bytes_read_remotely)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(simulated_transfers, distance, words, data)

namespace observe {

static void to_json(json& to, const distribution& from) {
  std::vector<std::uint64_t> counts(from.counts.begin(), from.counts.end());
  while (!counts.empty() && counts.back() == 0) counts.pop_back();
  to = json{
      {"counts", counts}, {"number", from.number}, {"sum", from.sum}, {"min", from.min}, {"max", from.max}};
}
static void from_json(const json& from, distribution& to) {
  const auto counts = from.value("counts", std::vector<std::uint64_t>{});
  std::copy_n(counts.begin(), std::min(counts.size(), to.counts.size()), to.counts.begin());
  to.number = from.value("number", std::uint64_t{0});
  to.sum = from.value("sum", std::uint64_t{0});
  to.min = from.value("min", from.value("least", std::uint64_t{0}));
  to.max = from.value("max", from.value("most", std::uint64_t{0}));
}

static void to_json(json& to, const hardware_counts& from) { to = by_activity(from.of); }
static void from_json(const json& from, hardware_counts& to) { by_activity(from, to.of); }

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(machine_record, source, simulated, level, domain_kind,
                                                packages, domains, cores, pus, usable_cpus, cpu_quota, tree,
                                                distance_names)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(seat_record, cpu, domain, package)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(kernel_record, on_cpu_ns, waiting_ns, blocked_ns, preemptions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(pair_record, thief, victim, steals, misses, looks, bytes,
                                                distance)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(worker_record, seat, times, counts, kernel)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(timeline_record, interval_ns, workers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(call_site_record, name, address, file, kind, span_ns, work_ns,
                                                times, inside, calls, positions, min_positions, max_positions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(lock_record, name, address, file, times, in_line, spun_ns,
                                                waited_ns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(tried_policy_record, policy, samples, ns, deviation, given_up)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(choice_record, name, address, file, kind, size_bits, policy,
                                                stage, episodes, total_ns, lost_ns, reopened, tried)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(work_span_record, work_ns, span_ns, burdened_span_ns,
                                                burden_ns, forks, loops, group_tasks, exact, grain_ns, sites)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(hardware_record, event, workers)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(simulated_record, cycles, times, caches, nodes, transfers,
                                                memory_bytes_a_cycle, pages_dealt_out)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(baseline_record, seconds, parallel_seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(speedup_point, workers, seconds)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(run_record, program, when, policy, seed, machine, seconds,
                                                inside_seconds, process_cpu_seconds, other_cpu_seconds,
                                                workers, pairs, bytes_stolen, bytes_declared, steal_latency,
                                                steal_duration, search_time, task_size, timeline, locks,
                                                choices, work_span, hardware, counters_took_turns, simulated,
                                                baseline, curve, notes)

std::string to_json(const run_record& record) {
  json to = record;
  to["format"] = run_record_format;
  // Command lines and symbols may be any bytes.
  return to.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

/// Records that were written before version 0.1.0 call work and span "structure".
void accept_old_name(json& from) {
  const auto old = from.find("structure");
  if (old == from.end()) return;
  json value = std::move(*old);
  from.erase(old);
  from["work_span"] = std::move(value);
}

/// Records that were written before version 0.1.0 say only in a note that counters took turns.
void accept_old_note(json& from) {
  if (from.contains("counters_took_turns") || !from.contains("notes") || !from["notes"].is_array()) return;
  from["counters_took_turns"] = std::ranges::any_of(from["notes"], [](const json& note) {
    return note.is_string() &&
           note.get_ref<const std::string&>().find("so they took turns and counted") != std::string::npos;
  });
}

/// A record with one of everything, so that its JSON shows the kind of each member.
json make_example() {
  worker_times times;
  times.ns.fill(1);
  worker_record worker{.times = times, .kernel = kernel_record{}};
  worker.counts.steals_by_distance = {1};
  distribution any;
  any.add(1);
  hardware_counts counted;
  counted.of.fill(1);
  run_record all;
  all.machine.distance_names = {"name"};
  all.workers = {worker};
  all.pairs = {{.distance = 0}};
  all.steal_latency = all.steal_duration = all.search_time = all.task_size = any;
  all.timeline.workers = {{times}};
  all.locks = {lock_record{}};
  all.choices = {choice_record{.tried = {tried_policy_record{}}}};
  all.work_span = work_span_record{.sites = {call_site_record{}}};
  all.hardware = {{.workers = {counted}}};
  all.simulated = simulated_record{
      .caches = {simulated_cache{}}, .nodes = {simulated_node{}}, .transfers = {simulated_transfers{}}};
  all.baseline = baseline_record{};
  all.curve = {speedup_point{}};
  all.notes = {"note"};
  return json::parse(to_json(all));
}

std::string_view kind_of(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "true or false";
  return value.is_null() ? "null" : "a number of 0 or more";
}

bool is_alike(const json& value, const json& example) {
  if (!example.is_number()) return value.type() == example.type();
  return value.is_number() && value.get<double>() >= 0;
}

bool may_be_null(std::string_view name) {
  constexpr std::string_view these[] = {"kernel", "work_span", "simulated", "baseline", "distance"};
  return std::ranges::find(these, name) != std::end(these);
}

std::string wrong_in(const json& value, const json& example, const std::string& path);

std::string wrong_in_object(const json& value, const json& example, const std::string& path) {
  for (const auto& [name, member] : value.items()) {
    const auto known = example.find(name);
    if (known == example.end() || (member.is_null() && may_be_null(name))) continue;
    std::string wrong = wrong_in(member, *known, path.empty() ? name : path + "." + name);
    if (!wrong.empty()) return wrong;
  }
  return {};
}

std::string wrong_in(const json& value, const json& example, const std::string& path) {
  if (!is_alike(value, example)) {
    const std::string is = value.is_number() ? value.dump() : std::string(kind_of(value));
    return "its " + path + " is " + is + ", not " + std::string(kind_of(example));
  }
  if (value.is_object()) return wrong_in_object(value, example, path);
  if (value.is_array() && !example.empty())
    for (std::size_t i = 0; i < value.size(); ++i) {
      std::string wrong = wrong_in(value[i], example[0], path + "[" + std::to_string(i) + "]");
      if (!wrong.empty()) return wrong;
    }
  return {};
}

/// The first error, such as "its workers[0].times.user is a text, not a number of 0 or more"; empty if there is none. Missing
/// and unknown members are not errors. The JSON library does not say where a file is wrong.
std::string wrong_member(const json& record) {
  static const json example = make_example();
  return wrong_in(record, example, "");
}

bad_input no_report(std::string_view name, std::string_view why) {
  return bad_input(std::string(name) + " is not a report: " + std::string(why) +
                   "; allowed: a file that SKUA_REPORT or `skua run --report` wrote");
}

// References to workers must be valid.
void check(const run_record& record, std::string_view name) {
  const std::size_t workers = record.workers.size();
  if (workers == 0) throw no_report(name, "it has no workers");
  for (const pair_record& pair : record.pairs)
    if (pair.thief >= workers || pair.victim >= workers)
      throw no_report(name, "its pairs name worker " + std::to_string(std::max(pair.thief, pair.victim)) +
                                " of " + std::to_string(workers));
  for (const pair_record& pair : record.pairs)
    if (pair.distance && *pair.distance >= record.machine.distance_names.size())
      throw no_report(name, "its pairs name distance " + std::to_string(*pair.distance) + " of " +
                                std::to_string(record.machine.distance_names.size()));
  if (!record.timeline.workers.empty() && record.timeline.workers.size() != workers)
    throw no_report(name, "its timeline has a different number of workers");
  for (const hardware_record& event : record.hardware)
    if (event.workers.size() != workers)
      throw no_report(name, "its hardware counts have a different number of workers");
}

}  // namespace

run_record read_run_record(std::string_view text, std::string_view name) {
  json from = json::parse(text, nullptr, false);
  if (from.is_discarded()) throw no_report(name, "it is not JSON");
  if (!from.is_object() || !from.contains("format") || !from["format"].is_string())
    throw no_report(name, "it has no format");
  if (from["format"] != run_record_format)
    throw no_report(name, "its format is '" + from["format"].get<std::string>() + "', not '" +
                              std::string(run_record_format) + "'");
  accept_old_name(from);
  accept_old_note(from);
  if (const std::string wrong = wrong_member(from); !wrong.empty()) throw no_report(name, wrong);
  try {
    auto record = from.get<run_record>();
    check(record, name);
    return record;
  } catch (const json::exception& wrong) {
    throw no_report(name, wrong.what());
  }
}

worker_times run_record::total_times() const {
  worker_times all;
  for (const worker_record& w : workers) all += w.times;
  return all;
}

counters run_record::total_counts() const {
  counters all;
  for (const worker_record& w : workers) all += w.counts;
  return all;
}

}  // namespace observe
}  // namespace skua
