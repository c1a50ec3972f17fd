#include "simulator/adm/adm_hardware.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <nlohmann/json.hpp>

#include <skua/topology.hpp>

#include "base/json_part.hpp"
#include "base/nearest_name.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator {

using base::json_part;

namespace {

constexpr std::uint64_t max_words = 1 << 16;

unsigned cycles_of(const json_part& part, std::string_view key) {
  return part.member(key).whole(1, max_cycles);
}

/// Refuses every value except the only one that the models support.
void check_text(const json_part& part, std::string_view key, const std::string& modelled) {
  const json_part given = part.member(key);
  if (given.text() != modelled) given.refuse("'" + given.text() + "'", modelled);
}

operation_cycles operation_of(const json_part& part, std::string_view key) {
  const json_part given = part.member(key);
  const std::vector<json_part> three = given.list();
  if (three.size() != 3) given.refuse(std::to_string(three.size()) + " long", "3: best, average, worst");
  const unsigned best = three[0].whole(1, max_cycles);
  const unsigned average = three[1].whole(best, max_cycles);
  return {best, average, three[2].whole(average, max_cycles)};
}

scheduler_operations operations_of(const json_part& part) {
  static constexpr std::string_view keys[] = {"enqueue",         "dequeue",          "recv_update_mgr",
                                              "steal_match_mgr", "send_task_victim", "recv_task_stealer"};
  part.allow_only(keys);
  return {operation_of(part, keys[0]), operation_of(part, keys[1]), operation_of(part, keys[2]),
          operation_of(part, keys[3]), operation_of(part, keys[4]), operation_of(part, keys[5])};
}

tile_network_numbers network_numbers_of(const json_part& part, const json_part& ideal) {
  static constexpr std::string_view keys[] = {
      "kind",  "router_stages",     "vcs_per_vnet",       "flits_per_vc",      "flit_bytes",
      "vnets", "link_cycles_local", "link_cycles_global", "avg_message_cycles"};
  static constexpr std::string_view ideal_keys[] = {"message_cycles", "gtu_requests_per_cycle"};
  part.allow_only(keys);
  ideal.allow_only(ideal_keys);
  check_text(part, "kind", "2D flattened butterfly of tiles");
  check_text(ideal, "gtu_requests_per_cycle", "unlimited");
  const json_part global = part.member("link_cycles_global");
  const std::vector<json_part> ends = global.list();
  if (ends.size() != 2) global.refuse(std::to_string(ends.size()) + " long", "2: the shortest, the longest");
  const unsigned shortest = ends[0].whole(1, max_cycles);
  return {.router_stages = part.member("router_stages").whole(1, 100),
          .flit_bytes = part.member("flit_bytes").whole(1, 1024),
          .local_link = cycles_of(part, "link_cycles_local"),
          .shortest_global_link = shortest,
          .longest_global_link = ends[1].whole(shortest, max_cycles),
          .average_message = cycles_of(part, "avg_message_cycles"),
          .ideal_message = cycles_of(ideal, "message_cycles")};
}

carbon_numbers carbon_of(const json_part& part, const json_part& substrates) {
  static constexpr std::string_view keys[] = {"gtu_requests_per_cycle",
                                              "gtu_place",
                                              "ltu_tasks",
                                              "prefetch_per_ltu",
                                              "gtu_queue_tasks",
                                              "task_words",
                                              "steal",
                                              "one_way",
                                              "interrupt_over_underflow",
                                              "no_prefetch_when_few_tasks"};
  part.allow_only(keys);
  check_text(part, "gtu_place", "centre of chip");
  check_text(part, "steal", "half, nearest neighbour, single cycle");
  part.member("prefetch_per_ltu").whole(1, 1);
  return {.requests_a_cycle = part.member("gtu_requests_per_cycle").whole(1, 1),
          .local_tasks = part.member("ltu_tasks").whole(1, 1024),
          .queue_tasks = part.member("gtu_queue_tasks").whole(8, max_words),
          .task_words = part.member("task_words").whole(1, 64),
          .reduction = cycles_of(substrates, "software_or_carbon_reduction_cycles_128t")};
}

direct_message_numbers messages_of(const json_part& part) {
  static constexpr std::string_view keys[] = {"rx_words",
                                              "tx_words",
                                              "ttb_entries",
                                              "handler_cycles",
                                              "radix",
                                              "task_burst_limit",
                                              "ops_cycles_best_avg_worst",
                                              "reduction_cycles_128t"};
  part.allow_only(keys);
  check_text(part, "task_burst_limit", "half of receive buffer");
  return {.receive_words = part.member("rx_words").whole(6, max_words),
          .send_words = part.member("tx_words").whole(6, max_words),
          .translations = part.member("ttb_entries").whole(1, max_words),
          .handler = cycles_of(part, "handler_cycles"),
          .radix = part.member("radix").whole(2, 4096),
          .reduction = cycles_of(part, "reduction_cycles_128t"),
          .operations = operations_of(part.member("ops_cycles_best_avg_worst"))};
}

user_interrupt_numbers interrupts_of(const json_part& part, const json_part& transfers) {
  static constexpr std::string_view keys[] = {"transfers_per_message", "max_message_cycles",
                                              "ops_cycles_best_avg_worst"};
  part.allow_only(keys);
  return {.transfers_a_message = part.member("transfers_per_message").whole(1, 100),
          .longest_message = cycles_of(part, "max_message_cycles"),
          .transfer_in_tile = cycles_of(transfers, "same_tile"),
          .transfer_between_tiles = cycles_of(transfers, "remote_l2"),
          .operations = operations_of(part.member("ops_cycles_best_avg_worst"))};
}

unsigned threads_a_core_of(const json_part& all, std::optional<unsigned> wanted) {
  const unsigned by_default = all.member("smt").whole(1, 8);
  if (!wanted) return by_default;
  const json_part choices = all.member("smt_choices");
  std::string names;
  for (const json_part& one : choices.list()) {
    const unsigned allowed = one.whole(1, 8);
    if (allowed == *wanted) return allowed;
    names += (names.empty() ? "" : ", ") + std::to_string(allowed);
  }
  choices.refuse("without " + std::to_string(*wanted) + " threads a core", names);
}

}  // namespace

adm_hardware parse_adm_hardware(std::string_view file, std::string_view text,
                                std::optional<unsigned> threads_a_core) {
  static constexpr std::string_view keys[] = {
      "software", "carbon", "adm", "uli", "software_or_carbon_reduction_cycles_128t", "ideal_network"};
  nlohmann::json parsed;
  const json_part all = json_part::whole(file, text, parsed);
  const json_part substrates = all.member("substrates");
  substrates.allow_only(keys);
  return {.name = all.member("name").text(),
          .tiles = all.member("tiles").whole(1, 1024),
          .cores_a_tile = all.member("cores_per_tile").whole(1, 64),
          .threads_a_core = threads_a_core_of(all, threads_a_core),
          .network = network_numbers_of(all.member("interconnect"), substrates.member("ideal_network")),
          .carbon = carbon_of(substrates.member("carbon"), substrates),
          .messages = messages_of(substrates.member("adm")),
          .interrupts = interrupts_of(substrates.member("uli"), all.member("line_transfer_cycles"))};
}

adm_hardware find_adm_hardware(const std::string& name, std::optional<unsigned> threads_a_core) {
  std::vector<std::string_view> names;
  for (const known_machine& one : all_known_machines) {
    if (!one.name.starts_with("adm-")) continue;
    if (one.name == name) return parse_adm_hardware(name, one.text, threads_a_core);
    names.push_back(one.name);
  }
  throw bad_input("machine '" + name + "' has no substrates; allowed: " + skua::base::list_of_names(names) +
                  ", or a .json file of such a machine" + skua::base::or_nearest(name, names));
}

}  // namespace skua::simulator
