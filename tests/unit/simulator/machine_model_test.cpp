// Machine files: their values, and the messages about damaged files.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "simulator/engine/issue_slots.hpp"
#include "simulator/machine/machine_model.hpp"

namespace skua::simulator::machine_model_test {
namespace {

TEST(machine_model, can_be_read_for_all_known_machines) {
  const auto names = known_machines();
  EXPECT_EQ(names.size(), 11u);
  for (const std::string_view name : names) {
    SCOPED_TRACE(name);
    const machine_model m = find_machine(std::string(name));
    EXPECT_EQ(m.name, name);
    EXPECT_EQ(m.machine.pus(), m.threads());
    EXPECT_EQ(m.machine.cores(), m.cores);
    EXPECT_EQ(m.caches.size(), 3u);
    EXPECT_EQ(m.hops.size(), m.packages);
    // A larger cache is slower than a smaller one, and memory is slower than all caches.
    for (std::size_t i = 1; i < m.caches.size(); ++i) EXPECT_GT(m.caches[i].latency, m.caches[i - 1].latency);
    EXPECT_GT(m.memory.latency_by_hops.front(), m.caches.back().latency);
    EXPECT_TRUE(std::is_sorted(m.memory.latency_by_hops.begin(), m.memory.latency_by_hops.end()));
  }
}

TEST(machine_model, has_the_values_of_its_file) {
  const machine_model m = find_machine("opteron-8380-4s");
  EXPECT_EQ(m.ghz, 2.5);
  EXPECT_EQ(m.packages, 4u);
  EXPECT_EQ(m.cores, 16u);
  EXPECT_EQ(m.threads(), 16u);
  const cache_model& last = m.caches[2];
  EXPECT_EQ(last.bytes, 6u << 20);
  EXPECT_EQ(last.ways, 48u);
  EXPECT_EQ(last.sets(), 2048u);
  EXPECT_EQ(last.latency, 45u);
  EXPECT_EQ(last.cores, 4u);
  EXPECT_EQ(last.content, cache_content::victim);
  EXPECT_EQ(m.caches[1].content, cache_content::exclusive);
  EXPECT_EQ(m.caches[0].content, cache_content::independent);
  EXPECT_EQ(m.transfers.by_cache[2].modified, 119u);
  EXPECT_EQ(m.transfers.by_cache[2].clean, 45u);
  EXPECT_EQ(m.transfers.by_cache[1].modified, std::nullopt);
  EXPECT_EQ(m.transfers.by_hops, (std::vector<unsigned>{205, 260}));
  EXPECT_EQ(m.transfers.upgrade, 245u);
  EXPECT_EQ(m.hops[0], (std::vector<unsigned>{0, 1, 1, 2}));
  EXPECT_EQ(m.memory.latency_by_hops, (std::vector<unsigned>{210, 300, 375}));
  EXPECT_EQ(m.memory.bytes_a_cycle, 3.6);
  EXPECT_EQ(m.link_bytes_a_cycle, 1.6);
  EXPECT_EQ(m.pages, page_policy::first_touch);
}

TEST(machine_model, with_smaller_caches_changes_nothing_else) {
  const machine_model whole = find_machine("opteron-8380-4s"),
                      part = find_machine("opteron-8380-4s@caches/4");
  for (std::size_t i = 0; i < whole.caches.size(); ++i) {
    EXPECT_EQ(part.caches[i].bytes * 4, whole.caches[i].bytes);
    EXPECT_EQ(part.caches[i].ways, whole.caches[i].ways);
    EXPECT_EQ(part.instances[i].size(), whole.instances[i].size());
  }
  EXPECT_EQ(part.machine.domain_cache_bytes() * 4, whole.machine.domain_cache_bytes())
      << "policies see the smaller cache too";
  EXPECT_EQ(part.memory.latency_by_hops, whole.memory.latency_by_hops);
  EXPECT_EQ(part.hops, whole.hops);
  EXPECT_EQ(find_machine("opteron-8380-4s@caches/1").caches[2].bytes, whole.caches[2].bytes);
}

TEST(machine_model, with_smaller_caches_refuses_invalid_divisors) {
  for (const char* words : {"@caches/0", "@caches/65", "@caches/", "@caches/4x", "@half", "@"})
    EXPECT_THROW(find_machine("opteron-8380-4s" + std::string(words)), bad_input) << words;
  EXPECT_THROW(find_machine("opteron-8381@caches/4"), bad_input);
}

TEST(machine_model, has_the_values_of_other_kinds_of_machines) {
  EXPECT_EQ(find_machine("epyc-9654-2s").transfers.same_package, 350u);
  EXPECT_EQ(find_machine("epyc-9654-2s").threads(), 384u);
  EXPECT_EQ(find_machine("xeon-x7460-4s-dunnington").transfers.by_hops, (std::vector<unsigned>{420}));
  EXPECT_EQ(find_machine("xeon-x7460-4s-dunnington").transfers.by_cache[1].modified, 50u);
  EXPECT_EQ(find_machine("xeon-8480plus-2s").caches[2].content, cache_content::independent);
  EXPECT_EQ(find_machine("xeon-x5550-2s-nehalem").caches[2].content, cache_content::inclusive);
  EXPECT_EQ(find_machine("opteron-8354-8s").pages, page_policy::interleave);
  const machine_model tiles = find_machine("adm-cmp-64c");
  EXPECT_EQ(tiles.transfers.by_cache[1].modified, 22u);
  EXPECT_EQ(tiles.transfers.by_cache[2].modified, 90u);
}

TEST(machine_model, has_the_values_of_overlapping_misses) {
  const memory_model usual = find_machine("opteron-8380-4s").memory;
  EXPECT_EQ(usual.misses_at_once, 8u);
  EXPECT_EQ(usual.core_bytes_a_cycle, std::nullopt);
  EXPECT_EQ(usual.lines_ahead, std::nullopt);
  EXPECT_FALSE(usual.prefetch_crosses_pages);
  EXPECT_EQ(usual.overlap_percent, 0u);
  EXPECT_EQ(find_machine("adm-cmp-64c").memory.misses_at_once, 1u) << "an in-order core waits for each miss";
  EXPECT_EQ(find_machine("package:1 l3:1 core:2 pu:1").memory.misses_at_once, 10u);
  std::string text;
  for (const known_machine& one : all_known_machines)
    if (one.name == "opteron-8380-4s") text = one.text;
  const std::string keys =
      R"("memory": {"core_bytes_per_cycle": 2.5, "lines_ahead": 30, "overlap_percent": 70,
    "prefetch_crosses_pages": true,)";
  const std::string member = R"("memory": {)";
  text.replace(text.find(member), member.size(), keys);
  const memory_model said = parse_machine("m.json", text).memory;
  EXPECT_EQ(said.core_bytes_a_cycle, 2.5);
  EXPECT_EQ(said.lines_ahead, 30u);
  EXPECT_TRUE(said.prefetch_crosses_pages);
  EXPECT_EQ(said.overlap_percent, 70u);
}

std::string refusal(const std::string& text) {
  try {
    parse_machine("m.json", text);
  } catch (const bad_input& e) {
    return e.what();
  }
  return "accepted";
}

/// Replaces one piece of a valid file's text and returns the message with which the file is refused.
std::string refusal_with(const std::string& was, const std::string& becomes) {
  std::string text;
  for (const known_machine& one : all_known_machines)
    if (one.name == "opteron-8380-4s") text = one.text;
  const std::size_t at = text.find(was);
  EXPECT_NE(at, std::string::npos) << was;
  return refusal(text.replace(at, was.size(), becomes));
}

TEST(machine_model, threads_of_a_core_are_never_faster_together) {
  EXPECT_EQ(smt_throughput::with_gain(30).rate(2), 650'000u);
  EXPECT_EQ(smt_throughput::with_gain(150).rate(2), 1'000'000u);
  EXPECT_EQ(smt_throughput::with_gain(150).rate(4), 625'000u);
  EXPECT_EQ(smt_throughput::of_two_slots().rate(2), 1'000'000u);
  EXPECT_EQ(smt_throughput::of_two_slots().rate(4), 500'000u);
  EXPECT_EQ(smt_throughput::of_cores().rate(64), 1'000'000u);
}

// One of two threads ends. Later a third worker joins the other thread.
TEST(machine_model, a_thread_computes_faster_when_others_of_its_core_end) {
  issue_slots slots({0, 0}, smt_throughput::with_gain(0));
  slots.begin(0, 1000);
  EXPECT_EQ(slots.slice(0, issue_slots::of(100)), 100u);
  slots.begin(1, 1000);
  EXPECT_EQ(slots.slice(0, issue_slots::of(100)), 200u);
  slots.end(1, 1100);  // half of its work is done
  const issue_slots::work at = slots.done(0, 1100);
  EXPECT_EQ(slots.done(0, 1130) - at, issue_slots::of(30));
  slots.begin(0, 1200);
  EXPECT_EQ(slots.slice(0, issue_slots::of(100)), 200u);
  const issue_slots::work then = slots.done(0, 1200);
  EXPECT_EQ(then - at, issue_slots::of(100));
  EXPECT_EQ(slots.done(0, 1240) - then, issue_slots::of(20));
}

TEST(machine_model, has_the_gain_of_several_threads_on_a_core) {
  std::string text;
  for (const known_machine& one : all_known_machines)
    if (one.name == "xeon-x5550-2s-nehalem") text = one.text;
  EXPECT_EQ(parse_machine("m.json", text).smt_gain_percent, 30u);
  const std::string member = R"("smt": 2,)";
  const std::size_t at = text.find(member);
  text.insert(at, R"("smt_gain_percent": 55,)");
  EXPECT_EQ(parse_machine("m.json", text).smt_gain_percent, 55u);
  EXPECT_EQ(refusal(text.replace(at, 22, R"("smt_gain_percent": 101)")),
            "m.json: smt_gain_percent is 101; allowed: whole numbers from 0 to 100; nearest: 100");
}

TEST(machine_model, refuses_damaged_files_and_says_where) {
  EXPECT_EQ(refusal("{\n\"name\": \n}"),
            "m.json:3: this is not JSON; allowed: a machine as in machines/*.json");
  EXPECT_EQ(refusal("[1]"), "m.json: the file is [1]; allowed: a machine as in machines/*.json");
  EXPECT_EQ(refusal("{}"), "m.json: sockets is missing");
  const struct {
    std::string was, becomes, says;
  } damages[] = {
      {R"("sockets": 4)", R"("sockets": 0)", "sockets is 0; allowed: whole numbers from 1 to 64; nearest: 1"},
      {R"("sockets": 4)", R"("sockets": "four")",
       R"(sockets is "four"; allowed: whole numbers from 1 to 64)"},
      {R"("sockets": 4)", R"("sockets": 4.4)",
       "sockets is 4.4; allowed: whole numbers from 1 to 64; nearest: 4"},
      {R"("sockets": 4)", R"("sockets": 1e30)",
       "sockets is 1e+30; allowed: whole numbers from 1 to 64; nearest: 64"},
      {R"("ways": 2)", R"("ways": -2)",
       "caches[0].ways is -2; allowed: whole numbers from 1 to 1024; nearest: 1"},
      {R"("line": 64)", R"("line": 48)", "caches[0].line is 48; allowed: powers of two"},
      {R"("size_kb": 6144)", R"("size_kb": 6145)",
       "caches[2].size_kb is 6145; allowed: multiples of line times ways"},
      {R"("level": 3)", R"("level": 2)", "caches[2].level is 2; allowed: 3 at this position"},
      {R"("memory": {)", R"("memory": {"overlap_percent": 101,)",
       "memory.overlap_percent is 101; allowed: whole numbers from 0 to 100; nearest: 100"},
      {R"("first touch")", R"("last touch")",
       "os.page_policy is 'last touch'; allowed: first touch, interleave, UMA"},
      {R"("two_hop")", R"("three_hop")",
       "line_transfer_cycles covers 1 hops; allowed: at least 2, the maximum in interconnect.hops"},
      {R"("one_hop")", R"("three_hop")",
       "line_transfer_cycles covers 0 hops; allowed: at least 2, the maximum in interconnect.hops"},
      {R"("v": 375)", R"("v": 299)",
       "memory.latency_cycles_by_hop[2] is 299; allowed: at least 300, the value of the nearer node"},
      {R"("v": 210)", R"("v": 44)",
       "memory.latency_cycles_by_hop[0] is 44; allowed: at least 45, the value of the last cache"},
      {R"("latency_cycles": 15)", R"("latency_cycles": 2)",
       "caches[1].latency_cycles is 2; allowed: at least 3, the value of the smaller cache"},
      {R"("v": 260)", R"("v": 204)",
       "line_transfer_cycles.two_hop is 204; allowed: at least 205, the value of one_hop"},
      {R"("v": 119)", R"("v": 44)",
       "line_transfer_cycles.same_l3_modified is 44; allowed: at least 45, the value of a clean line"},
      {R"("line": 64)", R"("line": 32)",
       "caches[1].line is 64; allowed: 32, the value of the smallest cache"},
      {R"("shared_by_cores": 4)", R"("shared_by_cores": 3)",
       "caches[2].shared_by_cores is 3; allowed: a divisor of the 16 cores of the machine"},
      {R"("shared_by_cores": 4)", R"("shared_by_cores": 8)",
       "caches[2].shared_by_cores is 8; allowed: 4, the value in synthetic"},
      {R"("numa_nodes": 4)", R"("numa_nodes": 2)",
       "synthetic is a machine of 4 memory nodes; allowed: 2, the value of numa_nodes"},
      {R"(pu:1")", R"(pu:40")",
       "synthetic is a machine of 640 threads; allowed: 16, the value of sockets, cores and smt"},
      {R"("hops": [)", R"("hops": [[0],)", "interconnect.hops is 5 long; allowed: 4, one for each socket"},
      {R"("slit": [)", R"("slit": [[0],)", "slit is 5 long; allowed: 4, one for each memory node"},
      {R"(   10,
   14,)",
       R"(   10,
   10,)",
       "slit[0][1] is 10; allowed: whole numbers from 11 to 254; nearest: 11"},
      {R"("smt": 1)", R"("smt": 2)",
       "synthetic is a machine of 16 threads; allowed: 32, the value of sockets, cores and smt"},
  };
  for (const auto& [was, becomes, says] : damages) EXPECT_EQ(refusal_with(was, becomes), "m.json: " + says);
  const std::string unknown = refusal_with(R"("sockets")", R"("sokets")");
  EXPECT_EQ(unknown.substr(0, 33), "m.json: sokets is not known here;");
  EXPECT_NE(unknown.find("nearest: sockets"), std::string::npos);
  EXPECT_NE(refusal_with("package:4", "pakage:4"), "accepted");
  EXPECT_NE(refusal_with(R"("hops")", R"("hosp")").find("interconnect.hosp is not known here"),
            std::string::npos);
  EXPECT_NE(refusal_with(R"("page_policy")", R"("pages")").find("os.pages is not known here"),
            std::string::npos);
}

TEST(machine_model, refuses_caches_that_do_not_nest) {
  nlohmann::json file;
  for (const known_machine& one : all_known_machines)
    if (one.name == "xeon-x7460-4s-dunnington") file = nlohmann::json::parse(one.text);
  file["synthetic"] = "package:4 core:6 pu:1";
  EXPECT_EQ(refusal(file.dump()), "accepted");
  file["caches"][1]["shared_by_cores"] = 4;
  EXPECT_EQ(
      refusal(file.dump()),
      "m.json: caches[2].shared_by_cores is 6; allowed: a multiple of 4, the value of the smaller cache");
  file["caches"][1]["shared_by_cores"] = file["caches"][2]["shared_by_cores"] = 2;
  EXPECT_EQ(refusal(file.dump()),
            "m.json: line_transfer_cycles.cross_ccd is missing, but some cores of one package "
            "share no cache");
}

TEST(machine_model, says_where_its_values_come_from) {
  const machine_model m = find_machine("opteron-8380-4s");
  const auto source = [&](std::string_view name) {
    const auto at = std::ranges::find(m.sources, name, &value_source::name);
    return at == m.sources.end() ? "?" : at->value + " " + at->source;
  };
  EXPECT_EQ(source("caches[1].size_kb"), "512 S size, M latency");
  EXPECT_EQ(source("line_transfer_cycles.two_hop"), "260 E");
  EXPECT_EQ(source("memory.latency_cycles_by_hop[0]"), "210 M, 84 ns");
  EXPECT_EQ(source("os.page_policy"), "first touch ");
  EXPECT_EQ(m.sources[7].name, "caches[0].size_kb");  // the sources are in the order of the file
}

TEST(machine_model, lists_the_threads_of_each_cache) {
  const machine_model m = find_machine("xeon-x7460-4s-dunnington");
  ASSERT_EQ(m.instances[1].size(), 12u);
  EXPECT_EQ(m.instances[1][4].threads, (std::vector<std::uint32_t>{8, 9}));
  EXPECT_EQ(m.instance_of(1, 9), 4u);
  EXPECT_EQ(m.instance_of(2, 9), 1u);
  EXPECT_EQ(m.hardware[9].package, 1u);
  EXPECT_EQ(m.hardware[9].node, 0u);
  EXPECT_EQ(find_machine("epyc-9654-2s").instances[2].size(), 24u);
  EXPECT_EQ(find_machine("epyc-9654-2s").instances[2][23].threads.size(), 16u);
}

TEST(machine_model, is_found_by_file_or_name) {
  const std::string path = testing::TempDir() + "skua_machine.json";
  for (const known_machine& one : all_known_machines)
    if (one.name == "xeon-x5550-2s-nehalem") std::ofstream(path) << one.text;
  EXPECT_EQ(find_machine(path).cores, 8u);
  try {
    find_machine("opteron-8380");
    FAIL();
  } catch (const bad_input& e) {
    EXPECT_NE(std::string(e.what()).find("nearest: opteron-8380-4s"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace skua::simulator::machine_model_test
