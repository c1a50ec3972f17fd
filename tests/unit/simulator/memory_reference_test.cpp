// Compares the caches with a naive model of the same rules, on random machines and traces. The model uses lists instead of
// arrays, and a search instead of a directory. cache_hierarchy.hpp and assumptions.hpp state the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <list>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "simulator/machine/machine_model.hpp"
#include "simulator/memory/memory_system.hpp"

namespace skua::simulator::memory_reference_test {
namespace {

constexpr std::size_t none = line_directory::no_owner;

class naive_caches {
 public:
  explicit naive_caches(const machine_model& machine) : machine_(machine), shape_(machine) {
    for (std::size_t cache = 0; cache < shape_.caches(); ++cache) sets_.emplace_back(model_of(cache).sets());
    counters.resize(shape_.caches());
  }

  void touch(std::size_t core, line_number line, bool write) {
    std::size_t level = 0;
    for (; level < shape_.levels() && !holds(path(level, core), line); ++level)
      ++counters[path(level, core)].demand_misses;
    if (level < shape_.levels()) found(core, level, line, write);
    if (level > 0) {
      bool modified = false;
      if (level < shape_.levels() && !asked(level)) modified = remove(path(level, core), line);
      for (std::size_t l = level; l-- > 0;) {
        if (!asked(l)) continue;
        insert(path(l, core), line);
        if (modified) owner[line] = path(l, core);
        modified = false;
      }
    }
    if (!write) return;
    for (std::size_t cache = 0; cache < shape_.caches(); ++cache)
      if (!on_path(cache, core) && holds(cache, line)) {
        remove(cache, line);
        ++counters[cache].invalidations;
      }
    owner[line] = path(0, core);
  }

  bool holds(std::size_t cache, line_number line) const {
    const auto& set = sets_[cache][line % sets_[cache].size()];
    return std::find(set.begin(), set.end(), line) != set.end();
  }

  std::vector<cache_counters> counters;
  std::map<line_number, std::size_t> owner;  // of modified lines
  std::uint64_t written = 0;                 // lines written to memory

 private:
  const cache_model& model_of(std::size_t cache) const { return machine_.caches[shape_.level_of(cache)]; }
  std::size_t path(std::size_t level, std::size_t core) const { return shape_.cache_of(level, core); }
  bool on_path(std::size_t cache, std::size_t core) const {
    return path(shape_.level_of(cache), core) == cache;
  }
  bool asked(std::size_t level) const {
    const cache_content content = machine_.caches[level].content;
    return level == 0 || content == cache_content::inclusive || content == cache_content::independent;
  }

  void found(std::size_t core, std::size_t level, line_number line, bool write) {
    const std::size_t cache = path(level, core);
    ++counters[cache].hits;
    auto& set = sets_[cache][line % sets_[cache].size()];
    set.remove(line);
    set.push_front(line);
    // A smaller cache that is not on the path has modified the line. The line is written back to this cache, unless the
    // access is a write.
    if (const auto o = owner.find(line);
        o != owner.end() && !write && !on_path(o->second, core) && is_below(o->second, cache)) {
      ++counters[o->second].write_backs;
      o->second = cache;
    }
  }

  bool is_below(std::size_t smaller, std::size_t cache) const {
    return shape_.level_of(smaller) < shape_.level_of(cache) && on_path(cache, shape_.first_core(smaller));
  }

  /// Returns whether the line was modified there.
  bool remove(std::size_t cache, line_number line) {
    sets_[cache][line % sets_[cache].size()].remove(line);
    if (owner.count(line) == 0 || owner[line] != cache) return false;
    owner.erase(line);
    return true;
  }

  void insert(std::size_t cache, line_number line) {
    auto& set = sets_[cache][line % sets_[cache].size()];
    set.push_front(line);
    if (set.size() > model_of(cache).ways) throw_out(cache, set.back());
  }

  void throw_out(std::size_t cache, line_number line) {
    ++counters[cache].evictions;
    bool modified = remove(cache, line);
    const std::size_t level = shape_.level_of(cache);
    if (level > 0 && model_of(cache).content == cache_content::inclusive)
      for (std::size_t smaller = 0; smaller < cache; ++smaller)
        if (is_below(smaller, cache) && holds(smaller, line)) {
          ++counters[smaller].back_invalidations;
          if (remove(smaller, line)) {
            modified = true;
            ++counters[smaller].write_backs;
          }
        }
    counters[cache].write_backs += modified;
    if (level + 1 == shape_.levels()) {
      written += modified;
      return;
    }
    const std::size_t larger = path(level + 1, shape_.first_core(cache));
    if (!holds(larger, line) && (modified || !asked(level + 1))) insert(larger, line);
    if (modified) owner[line] = larger;
  }

  machine_model machine_;
  machine_shape shape_;
  std::vector<std::vector<std::list<line_number>>> sets_;
};

class dice {
 public:
  explicit dice(std::uint64_t seed) : state_(base::generator_state(seed, 0)) {}
  std::size_t below(std::size_t bound) { return base::random_below(bound, state_); }

 private:
  std::uint64_t state_;
};

/// Small caches of one to four levels in a machine of 12 or 24 cores. Each trace evicts lines from all of them.
machine_model random_machine(dice& roll) {
  machine_model machine =
      find_machine(roll.below(2) == 0 ? "xeon-x7460-4s-dunnington" : "xeon-x5650-2s-westmere");
  machine.caches.clear();
  machine.transfers.by_cache.clear();
  const std::size_t levels = 1 + roll.below(4);
  std::size_t cores = roll.below(2) + 1;
  std::uint64_t sets = 1 + roll.below(6);
  for (std::size_t l = 0; l < levels; ++l) {
    const auto ways = static_cast<unsigned>(1 + roll.below(5));
    machine.caches.push_back({.level = static_cast<unsigned>(l + 1),
                              .bytes = 64 * ways * sets,
                              .line = 64,
                              .ways = ways,
                              .latency = static_cast<unsigned>(1 + 10 * l),
                              .cores = cores,
                              .content = static_cast<cache_content>(roll.below(4))});
    machine.transfers.by_cache.emplace_back();
    sets += roll.below(20);
    if (cores < 3 && roll.below(2) == 0) cores = 6;
  }
  share_by_cores(machine);
  return machine;
}

std::string words(const cache_counters& c) {
  std::string all;
  for (const std::uint64_t one : {c.hits, c.demand_misses, c.prefetch_misses, c.evictions,
                                  c.back_invalidations, c.invalidations, c.write_backs})
    all += std::to_string(one) + ' ';
  return all;
}

std::string words(const machine_model& machine) {
  std::string all = machine.name;
  for (const cache_model& c : machine.caches)
    all += "; " + std::to_string(c.sets()) + " sets of " + std::to_string(c.ways) + ", " +
           std::to_string(c.cores) + " cores, content " + std::to_string(static_cast<int>(c.content));
  return all;
}

class memory_reference : public testing::TestWithParam<std::uint64_t> {};

void check_rules(const machine_model& machine, const machine_shape& shape, const cache_hierarchy& caches,
                 line_number lines);

TEST_P(memory_reference, agrees_on_a_random_trace) {
  const std::uint64_t seed = GetParam();
  dice roll(seed);
  const machine_model machine = random_machine(roll);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + words(machine));
  const machine_shape shape(machine);
  address_space space(shape, page_policy::interleave);
  constexpr line_number lines = 256;
  for (std::uintptr_t page = 0; page < lines / 64; ++page) space.first_line(page, 0);
  interconnect between(machine, shape, false, {});
  cache_hierarchy caches(machine, shape, space, between);
  naive_caches naive(machine);
  const std::size_t active = 1 + roll.below(machine.cores), spread = 4 + roll.below(lines - 4);
  for (int step = 0; step < 3000; ++step) {
    const std::size_t core = roll.below(active);
    const auto line = static_cast<line_number>(roll.below(spread));
    const bool write = roll.below(3) == 0;
    caches.demand(core, line, write ? access::write : access::read, 0);
    naive.touch(core, line, write);
    const auto owner = naive.owner.find(line);
    ASSERT_EQ(caches.owner(line), owner == naive.owner.end() ? none : owner->second) << "step " << step;
  }
  std::uint64_t written = 0;
  for (const node_counters& node : between.nodes()) written += node.bytes_written / 64;
  EXPECT_EQ(written, naive.written);
  for (std::size_t cache = 0; cache < shape.caches(); ++cache) {
    ASSERT_EQ(words(caches.counters()[cache]), words(naive.counters[cache])) << "cache " << cache;
    for (line_number line = 0; line < lines; ++line)
      ASSERT_EQ(caches.holds(cache, line), naive.holds(cache, line))
          << "cache " << cache << ", line " << line;
  }
  check_rules(machine, shape, caches, lines);
}

/// Rules that hold for each machine. They are written independently of both models.
void check_rules(const machine_model& machine, const machine_shape& shape, const cache_hierarchy& caches,
                 line_number lines) {
  std::vector<std::size_t> content(shape.caches(), 0);
  for (line_number line = 0; line < lines; ++line) {
    const std::size_t owner = caches.owner(line);
    ASSERT_TRUE(owner == none || caches.holds(owner, line)) << line;
    for (std::size_t cache = 0; cache < shape.caches(); ++cache) {
      if (!caches.holds(cache, line)) continue;
      ++content[cache];
      for (std::size_t l = shape.level_of(cache) + 1; l < shape.levels(); ++l)
        if (machine.caches[l].content == cache_content::inclusive) {
          ASSERT_TRUE(caches.holds(shape.cache_of(l, shape.first_core(cache)), line)) << line;
        }
    }
  }
  for (std::size_t cache = 0; cache < shape.caches(); ++cache) {
    const cache_model& model = machine.caches[shape.level_of(cache)];
    ASSERT_LE(content[cache], model.sets() * model.ways) << cache;
  }
}

/// SKUA_TEST_SEED selects other seeds.
std::uint64_t first_seed() {
  const char* const said = std::getenv("SKUA_TEST_SEED");
  return said == nullptr ? 1 : std::strtoull(said, nullptr, 10);
}

INSTANTIATE_TEST_SUITE_P(seeds, memory_reference, testing::Range(first_seed(), first_seed() + 200));

TEST(memory_reference_lru, one_set_is_a_stack) {
  // Mattson: with LRU, an access hits if fewer than `ways` other lines of its set were accessed since its last access.
  machine_model machine = find_machine("opteron-8380-4s");
  machine.caches.resize(1);
  machine.transfers.by_cache.resize(1);
  machine.caches[0] = {.level = 1,
                       .bytes = 64 * 3 * 5,
                       .line = 64,
                       .ways = 5,
                       .latency = 3,
                       .cores = 1,
                       .content = cache_content::independent};
  share_by_cores(machine);
  memory_system memory(machine, detail_level::caches);
  memory.space().first_line(0, 0);
  dice roll(1);
  std::vector<line_number> trace;
  for (int step = 0; step < 5000; ++step) {
    const auto line = static_cast<line_number>(roll.below(30));
    std::set<line_number> since;
    bool hits = false;
    for (std::size_t i = trace.size(); i-- > 0 && !hits && since.size() < 5;) {
      hits = trace[i] == line;
      if (trace[i] % 3 == line % 3) since.insert(trace[i]);
    }
    hits = hits && since.size() <= 5;
    ASSERT_EQ(memory.stream(0, {64 * std::uintptr_t{line}, 64}, access::read, 0), hits ? 3u : 210u) << step;
    trace.push_back(line);
  }
}

}  // namespace
}  // namespace skua::simulator::memory_reference_test
