// `skua run`: runs a workload, verifies every answer, says how long it took and what was stolen from how far.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include <skua/best_workers.hpp>
#include <skua/simulation.hpp>
#include <skua/steal_policy.hpp>

#include "cli/commands.hpp"
#include "cli/measure.hpp"
#include "cli/print_json.hpp"
#include "cli/refusals.hpp"
#include "cli/simulated_json.hpp"
#include "cli/simulated_progress.hpp"
#include "cli/simulated_text.hpp"
#include "cli/workload_choice.hpp"
#include "topology/environment.hpp"
#include "topology/nearest_name.hpp"
#include "topology/pins.hpp"

namespace skua::cli {
namespace {

constexpr std::string_view continuations[] = {"home", "free"};
constexpr std::int64_t usual_repeat = 5;
constexpr std::string_view by_measurement = "measure";
constexpr const char* of_simulations = "With --simulate";  // a group of options

struct run_options {
  std::string name, size = "ci", input, output, policy, topology, distances, pin, continuation = "home",
                    own = "lifo";
  std::string workers;  // a number, `measure` or empty
  std::optional<std::uint64_t> seed;
  std::optional<std::int64_t> repeat;
  bool json = false, damage = false;
  std::string simulate, level = "bandwidth", pages, substrate, record, replay;
  bool measured = false, free_looks = false, ideal_network = false, own_threads = false;
  double slowdown = 1, watchdog_s = simulation{}.watchdog_s;
  unsigned threads_a_core = 0, radix = 0;
  std::vector<std::string> settings;  // OPTION=VALUE
};

/// Some have an option `input` that is a choice.
bool takes_file(const workloads::workload& workload, std::string_view name) {
  return std::ranges::any_of(
      workload.options, [name](const workloads::option& o) { return o.name == name && o.allowed == "FILE"; });
}

/// --input FILE and --output FILE are options of those workloads that know files.
void choose_file(const workloads::workload& workload, const std::string& option, const std::string& file,
                 workloads::parameters& asked) {
  if (file.empty()) return;
  if (!takes_file(workload, option)) {
    std::vector<std::string_view> others;
    for (const workloads::workload* w : workloads::all())
      if (takes_file(*w, option)) others.push_back(w->name);
    throw bad_input(fmt::format("{} has no --{}, given '{}'; allowed: with {}", workload.name, option, file,
                                detail::list_of_names(others)));
  }
  asked.options[option] = file;
}

workloads::parameters chosen_parameters(const workloads::workload& workload, const run_options& options) {
  workloads::parameters asked;
  choose_file(workload, "input", options.input, asked);
  choose_file(workload, "output", options.output, asked);
  asked.size = size_class_of(options.size);
  asked.seed = options.seed;
  read_settings(workload, options.settings, asked);
  return asked;
}

simulation chosen_simulation(const run_options& options) {
  const auto level = std::ranges::find(detail_level_names, options.level);
  return {.machine = options.simulate,
          .level = static_cast<detail_level>(level - std::begin(detail_level_names)),
          .pages = options.pages,
          .measured = options.measured,
          .record = options.record,
          .replay = options.replay,
          .free_looks = options.free_looks,
          .substrate = options.substrate,
          .slowdown = options.slowdown,
          .threads_a_core = options.threads_a_core,
          .ideal_network = options.ideal_network,
          .radix = options.radix,
          .own_threads = options.own_threads,
          .watchdog_s = options.watchdog_s};
}

/// A simulated run is the same every time, so once is enough.
std::int64_t repeats(const run_options& options, bool simulated) {
  return options.repeat.value_or(simulated ? 1 : usual_repeat);
}

scheduler_options chosen_scheduler(const run_options& options) {
  scheduler_options chosen{.policy = options.policy, .distances = options.distances};
  if (!options.workers.empty() && options.workers != by_measurement)
    chosen.workers = std::stoll(options.workers);
  if (!options.topology.empty()) chosen.topology = topology::parse(options.topology);
  if (!options.pin.empty()) {
    detail::pins pins = detail::pins_of("--pin", options.pin);
    chosen.pin_order = pins.order;
    chosen.cpus = std::move(pins.cpus);
  }
  if (options.seed) chosen.seed = *options.seed;
  if (!options.simulate.empty()) chosen.simulate = chosen_simulation(options);
  if (options.own != "lifo") chosen.own_order = options.own == "fifo" ? order::fifo : order::priority;
  if (options.continuation == "free") chosen.continuation = continuation::free;
  return chosen;
}

/// On a terminal, for runs that take long enough to be read.
void progress(const std::string& line) {
  if (!isatty(STDERR_FILENO)) return;
  fmt::print(stderr, "\r\033[K{}", line);
  std::fflush(stderr);
}

std::string machine_line(const scheduler& pool) {
  const topology& machine = pool.machine();
  const std::size_t real = topology::host().pus();
  const std::string parts =
      fmt::format("{} domain{} ({}), {} core{}", machine.domains(), machine.domains() == 1 ? "" : "s",
                  machine.domain_kind(), machine.cores(), machine.cores() == 1 ? "" : "s");
  if (pool.is_simulated()) return fmt::format("{}: {}; simulated", machine.source(), parts);
  if (machine.is_host()) return fmt::format("this one: {}; measured on {} real CPUs", parts, real);
  return fmt::format("{}: {}; not real, its {} workers share {} CPUs", machine.source(), parts,
                     pool.workers(), real);
}

nlohmann::ordered_json steals_by_distance(const counters& c, const placement& seats) {
  nlohmann::ordered_json levels = nlohmann::ordered_json::object();
  for (std::size_t level = 0; level < c.steals_by_distance.size() && level < seats.levels(); ++level)
    levels[seats.level_name(level)] = c.steals_by_distance[level];
  return levels;
}

/// The same program on several numbers of workers; none where the number was given.
std::vector<workers_trial> measured_workers(const run_options& options, workloads::program& program,
                                            const scheduler_options& chosen) {
  if (options.workers != by_measurement) return {};
  const auto prepare = [&](std::size_t workers) {
    progress(fmt::format("{} {}: trying {} worker{}", options.name, options.size, workers,
                         workers == 1 ? "" : "s"));
    program.prepare();
  };
  return try_workers(
      [&] { program.parallel(); },
      {.scheduler = chosen, .rounds = repeats(options, !options.simulate.empty()), .before_each = prepare});
}

void print_trials(const std::vector<workers_trial>& trials) {
  std::vector<std::string> times;
  for (const workers_trial& trial : trials)
    times.push_back(fmt::format("{:.4g} s with {}", trial.seconds, trial.workers));
  fmt::print("            the fewest within 3% of the fastest: {}\n", fmt::join(times, ", "));
}

nlohmann::ordered_json trials_json(const std::vector<workers_trial>& trials) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const workers_trial& trial : trials)
    all.push_back({{"workers", trial.workers}, {"seconds", trial.seconds}});
  return all;
}

std::vector<std::uint32_t> cpus_of_workers(const placement& seats) {
  std::vector<std::uint32_t> cpus;
  for (const seat& seat : seats.seats()) cpus.push_back(seat.cpu);
  return cpus;
}

/// By option, or as any program, by variable.
std::pair<std::string, std::string> simulated_machine(const run_options& options) {
  if (!options.simulate.empty()) return {options.simulate, options.level};
  const std::string level(detail::variable("SKUA_SIMULATE_LEVEL"));
  return {std::string(detail::variable("SKUA_SIMULATE")),
          level.empty() ? options.level : by_either_name(level)};
}

nlohmann::ordered_json simulated_json(const run_options& options, const simulation_report& r) {
  const auto [machine, level] = simulated_machine(options);
  nlohmann::ordered_json all = {{"machine", machine},   {"level", level},
                                {"seconds", r.seconds}, {"cycles", r.cycles},
                                {"events", r.events},   {"stream", fmt::format("{:016x}", r.stream)}};
  if (r.measured != 0) all["measured"] = {{"times", r.measured}, {"not_recorded", r.not_recorded}};
  add_report(all, r);
  return all;
}

/// Every fork leaves the fast path: its times are not to be compared with those of the other policies.
bool out_of_line(const scheduler& pool) { return make_policy(pool.policy())->queue() != queue_kind::split; }

void print_json(const run_options& options, const scheduler& pool, const measurement& m,
                const std::vector<workers_trial>& trials) {
  const counters& c = m.counted.total;
  nlohmann::ordered_json out = {{"name", options.name},
                                {"size", options.size},
                                {"workers", pool.workers()},
                                {"policy", pool.policy()},
                                {"continuation", options.continuation},
                                {"own", options.own},
                                {"out_of_line", out_of_line(pool)},
                                {"seconds", m.median()},
                                {"verified", m.verified},
                                {"counters",
                                 {{"forks", c.forks},
                                  {"attempts", c.attempts},
                                  {"steals", c.steals},
                                  {"steal_misses", c.steal_misses},
                                  {"remote_steals", c.remote_steals},
                                  {"remote_attempts", c.remote_attempts},
                                  {"suspensions", c.suspensions},
                                  {"group_tasks", c.group_tasks},
                                  {"own_tasks", c.own_tasks},
                                  {"stacks", c.stacks},
                                  {"sleeps", c.sleeps},
                                  {"asleep_ns", c.asleep_ns},
                                  {"steals_by_distance", steals_by_distance(c, pool.seats())}}},
                                {"answer", m.says},
                                {"numbers", m.numbers},
                                {"seconds_of_runs", m.seconds},
                                {"settings", options.settings},
                                {"topology", std::string(pool.machine().source())},
                                {"real_machine", pool.machine().is_host()},
                                {"cpus", topology::host().pus()},
                                {"cpus_of_workers", cpus_of_workers(pool.seats())}};
  if (pool.is_simulated()) out["simulated"] = simulated_json(options, m.simulated);
  if (!trials.empty()) out["workers_tried"] = trials_json(trials);
  if (options.seed) out["seed"] = *options.seed;
  print_json_text(out);
}

void print_text(const run_options& options, const scheduler& pool, const measurement& m,
                const std::vector<workers_trial>& trials) {
  const counters& c = m.counted.total;
  const auto [least, most] = std::ranges::minmax(m.seconds);
  fmt::print("{} {}{}{}\n", options.name, options.size, options.settings.empty() ? "" : ", ",
             fmt::join(options.settings, ", "));
  fmt::print("  workers   {}, policy {}\n", pool.workers(), pool.policy());
  if (options.own != "lifo") fmt::print("            own group tasks {}\n", options.own);
  if (out_of_line(pool))
    fmt::print(
        "            every fork leaves the fast path: not to be compared with other policies' times\n");
  if (!trials.empty()) print_trials(trials);
  fmt::print("  seconds   {:.4g}, the median of {} ({:.4g} to {:.4g})\n", m.median(), m.seconds.size(), least,
             most);
  fmt::print("  verified  {}: {}\n", m.verified ? "yes" : "NO", m.says);
  fmt::print("  steals    {} near, {} far, of {} attempts ({} far)\n", c.steals - c.remote_steals,
             c.remote_steals, c.attempts, c.remote_attempts);
  const nlohmann::ordered_json by_distance = steals_by_distance(c, pool.seats());
  std::vector<std::string> levels;
  for (const auto& [level, steals] : by_distance.items())
    levels.push_back(fmt::format("{} from the {}", steals.get<std::uint64_t>(), level));
  if (!levels.empty()) fmt::print("            {}\n", fmt::join(levels, "; "));
  fmt::print("  tasks     {} forks, {} in groups, {} from own queues, {} suspensions\n", c.forks,
             c.group_tasks, c.own_tasks, c.suspensions);
  fmt::print("  stacks    {} in use at most\n", c.stacks);
  fmt::print("  sleep     {} times, {:.3g} ms in all\n", c.sleeps, static_cast<double>(c.asleep_ns) * 1e-6);
  if (pool.is_simulated()) {
    const simulation_report r = pool.simulated();
    fmt::print("  simulated {} cycles, {} events, stream {:016x}\n", r.cycles, r.events, r.stream);
    print_report(m.simulated);
    if (r.not_recorded != 0)
      fmt::print("            {} times of leaves, of {}, were not in the recording and took nothing\n",
                 r.not_recorded, r.measured);
  }
  fmt::print("  machine   {}\n", machine_line(pool));
}

int run_workload(const run_options& options) {
  const workloads::workload& workload = chosen_workload(options.name);
  const workloads::parameters asked = chosen_parameters(workload, options);
  scheduler_options chosen = chosen_scheduler(options);
  if (options.size == "paper" && !options.json)  // it may take long, and more memory than there is
    fmt::print(stderr, "{} paper: {}\n", workload.name, workload.paper);
  const std::unique_ptr<workloads::program> program = workload.make(asked);
  const std::vector<workers_trial> trials = measured_workers(options, *program, chosen);
  if (!trials.empty()) chosen.workers = static_cast<std::int64_t>(fewest_workers(trials));
  scheduler pool(chosen);
  const std::int64_t repeat = repeats(options, pool.is_simulated());
  const auto about_to_run = [&](std::int64_t i) {
    if (pool.is_simulated()) return;
    progress(fmt::format("{} {}: {}", options.name, options.size,
                         i == 0 ? "warming up" : fmt::format("run {} of {}", i, repeat)));
  };
  const simulated_progress shown(pool, fmt::format("{} {}", options.name, options.size));
  const measurement m = measure(*program, pool,
                                {.repeat = repeat,
                                 .warm_up = !pool.is_simulated() || !options.substrate.empty(),
                                 .damage = options.damage,
                                 .about_to_run = about_to_run});
  progress("");
  (options.json ? print_json : print_text)(options, pool, m, trials);
  return m.verified ? 0 : 1;
}

/// What only a simulated run knows would be ignored without one.
void refuse_simulation_options(const CLI::App& command) {
  for (const CLI::Option* one : command.get_options())
    if (one->get_group() == of_simulations && one->count() != 0)
      throw bad_input(fmt::format(
          "{} says how a machine is simulated, and none is; allowed: with --simulate MACHINE; nearest: with "
          "--simulate host",
          one->get_name()));
}

void refuse_two_machines(const char* simulated_by, const CLI::App& command) {
  if (command.count("--topology") != 0)
    throw bad_input(fmt::format(
        "{0} and --topology both name a machine; allowed: one of them; nearest: {0} alone", simulated_by));
  if (command.count("--workers") != 0 && command.get_option("--workers")->as<std::string>() == by_measurement)
    throw bad_input(fmt::format(
        "--workers measure takes real times, and {} makes them virtual; allowed: a number of workers; "
        "nearest: without --workers",
        simulated_by));
}

void refuse_contradictions(const CLI::App& command) {
  const bool by_option = command.count("--simulate") != 0;
  if (!by_option) refuse_simulation_options(command);
  if (by_option || !detail::variable("SKUA_SIMULATE").empty())
    refuse_two_machines(by_option ? "--simulate" : "SKUA_SIMULATE", command);
}

/// Options that allow more than this machine has are bad input too.
int run_within_memory(const run_options& options) try {
  return run_workload(options);
} catch (const std::bad_alloc&) {
  const std::string settings =
      options.settings.empty() ? "" : fmt::format(" with {}", fmt::join(options.settings, ", "));
  const bool smaller_size = options.size != size_names[0];
  throw bad_input(fmt::format(
      "{} {}{} needs more memory than there is; allowed: what fits into this machine's memory; nearest: {}",
      options.name, options.size, settings,
      smaller_size ? "a smaller --size, see skua list workloads" : "smaller options"));
}

void add_simulation_options(CLI::App& command, run_options& options) {
  command.option_defaults()->group(of_simulations);
  command
      .add_option("--level", options.level, "how much of it: steps, lines, caches or bandwidth, if not given")
      ->transform(by_either_name)
      ->check(one_of({std::begin(detail_level_names), std::end(detail_level_names)}));
  command.add_option("--pages", options.pages,
                     "where its data lie: first_touch or interleave; else as it says");
  command.add_option("--substrate", options.substrate,
                     "what brings a phase's tasks to its workers there: software, carbon, uli or adm");
  command
      .add_option("--slowdown", options.slowdown,
                  "leaves take so many times as long as they declare, 0.01 to 10000: on a slower core")
      ->check(real_number(0.01, 10'000));
  command.add_option("--threads-a-core", options.threads_a_core,
                     "on a machine whose file has several smt_choices, one of these");
  command.add_option("--radix", options.radix, "with adm and uli: children of a manager of phases, else 8")
      ->check(whole_number(2, 4096));
  command.add_flag("--ideal-network", options.ideal_network,
                   "with a substrate: its messages never wait for each other, and all take as long");
  command.add_flag("--measured", options.measured, "leaves take as long as here, not as they declare");
  command.add_option("--record", options.record, "a file that keeps what leaves take; measures them");
  command.add_option(
      "--replay", options.replay,
      "such a file: leaves take what they took then, by whichever policy, on whichever machine");
  command.add_flag("--free-looks", options.free_looks, "policies look at other workers for nothing");
  command.add_flag("--own-threads", options.own_threads,
                   "each simulated worker has its own thread_local variables");
  command
      .add_option("--watchdog", options.watchdog_s,
                  "seconds that a simulated worker may compute or sleep before a line names it; 0: for ever")
      ->check(whole_number(0, 1'000'000));
  command.option_defaults()->group("Options");
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<run_options>();
  CLI::App* command = app.add_subcommand("run", "Run a workload, verify its answer, say how long it took");
  command->add_option("NAME", options->name, "the workload (skua list workloads)")->required();
  command->add_option("--size", options->size, "ci: a moment; med: seconds; paper: as published")
      ->check(one_of({std::begin(size_names), std::end(size_names)}));
  command
      ->add_option(
          "--workers", options->workers,
          "workers, or measure: the fewest that are about as fast as all; else SKUA_WORKERS, else one a core")
      ->check(whole_number(1, most_workers, one_a_core, by_measurement));
  command->add_option("--policy", options->policy, "who steals from whom (skua list policies)");
  command->add_option("--topology", options->topology,
                      "the machine: host, an hwloc XML file, or a synthetic one, \"package:4 core:4 pu:1\"");
  command->add_option("--distances", options->distances,
                      "a file of skua topo --measure --output; else SKUA_DISTANCES, else none");
  command->add_option("--pin", options->pin, pin_words);
  command
      ->add_option("--continuation", options->continuation,
                   "where a suspended task goes on: home, or free: where its last child ended")
      ->check(one_of({std::begin(continuations), std::end(continuations)}));
  command
      ->add_option(
          "--own", options->own,
          "which of its own group tasks a worker takes next: lifo, fifo or priority (joins are always lifo)")
      ->check(one_of({"lifo", "fifo", "priority"}));
  command->add_option("--input", options->input,
                      "a real input instead of a generated one, where there is one");
  command->add_option("--output", options->output, "the answer as a picture or text, where there is one");
  command->add_option("--repeat", options->repeat, "timed runs, 5 if not given, or 1 of a simulated machine")
      ->check(whole_number(1, 1'000'000, [] { return usual_repeat; }));
  command
      ->add_option("--seed", options->seed, "of the input, where it is random, and of the workers' choices")
      ->check(whole_number(0, INT64_MAX));
  command->add_option("--simulate", options->simulate,
                      "a machine (skua machines) or a file of one, in whose time the program runs");
  add_simulation_options(*command, *options);
  command->add_flag("--json", options->json, "JSON instead of text");
  command->add_flag("--damage", options->damage, "change one element of every answer: the check must notice");
  command->add_option("OPTION=VALUE", options->settings, "options of the workload (skua list workloads)");
  command->footer(
      "Exit code: 0 when every answer was verified, 1 when not, 2 for bad input.\n"
      "Examples:\n"
      "  skua run fib\n"
      "  skua run heat --workers measure\n"
      "  skua run queens --size med --workers 2 test=pairwise cutoff=none\n"
      "  skua run heat --topology \"package:4 core:4 pu:1\" --policy random --json\n"
      "  skua run heat --simulate opteron-8380-4s --policy bitier");
  command->callback([options, command, &exit_code] {
    refuse_contradictions(*command);
    exit_code = run_within_memory(*options);
  });
}

}  // namespace skua::cli
