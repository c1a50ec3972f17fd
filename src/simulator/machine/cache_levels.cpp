#include "simulator/machine/cache_levels.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>

#include "simulator/machine/machine_defaults.hpp"
#include "topology/topology_data.hpp"

namespace skua::simulator {

namespace {

constexpr int max_ways = 1024;
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 34;

using facts_by_level = std::map<unsigned, std::vector<detail::cache_facts>>;

class level_builder {
 public:
  explicit level_builder(const machine_model& model) : model_(model) {
    for (const detail::cache_facts& cache : topology_access::facts(model.machine).caches)
      named_[cache.level].push_back(cache);
    for (const unsigned always : {1u, 2u}) named_[always];
    line_ = line_of(named_);
  }

  std::vector<cache_level> levels() const {
    std::vector<cache_level> found;
    for (const auto& [level, caches] : named_) {
      if (found.size() == std::size(defaults::caches)) break;
      cache_level next;
      for (const detail::cache_facts& cache : caches) add(next, found.size(), cache);
      if (found.size() < 2) complete(next, found.empty() ? nullptr : &found.front(), found.size());
      found.push_back(std::move(next));
    }
    return found;
  }

 private:
  /// Of the smallest cache whose line is known.
  static unsigned line_of(const facts_by_level& named) {
    for (const auto& [level, caches] : named)
      for (const detail::cache_facts& cache : caches)
        if (cache.line >= 16 && cache.line <= 1024 && std::has_single_bit(cache.line)) return cache.line;
    return defaults::line;
  }

  void add(cache_level& level, std::size_t place, const detail::cache_facts& cache) const {
    const defaults::cache_default& default_value = defaults::caches[place];
    const bool sized = cache.bytes >= line_ && cache.bytes <= max_bytes;
    const std::uint64_t lines = (sized ? cache.bytes : default_value.bytes) / line_;
    // What does not divide the size cannot be the number of ways, so the next smaller that does.
    std::uint64_t ways =
        cache.ways == 0 ? default_value.ways : static_cast<unsigned>(cache.ways < 0 ? max_ways : cache.ways);
    ways = std::min({ways, lines, std::uint64_t{max_ways}});
    while (lines % ways != 0) --ways;
    if (level.instances.empty()) {
      level.inclusive = cache.inclusive;
      level.size_source = sized ? "hwloc" : "default";
      level.ways_source = cache.ways == 0 ? "default" : "hwloc";
    }
    level.instances.push_back({lines * line_, line_, static_cast<unsigned>(ways), threads_on(cache.cpus)});
  }

  std::vector<std::uint32_t> threads_on(const std::vector<std::uint32_t>& cpus) const {
    std::vector<std::uint32_t> threads;
    for (const std::uint32_t cpu : cpus) threads.push_back(static_cast<std::uint32_t>(model_.thread_on(cpu)));
    std::ranges::sort(threads);
    return threads;
  }

  /// Threads without this cache get one: those that share the smaller one, else those of a core.
  void complete(cache_level& level, const cache_level* smaller, std::size_t place) const {
    std::vector<bool> has(model_.threads());
    for (const cache_instance& one : level.instances)
      for (const std::uint32_t thread : one.threads) has[thread] = true;
    std::vector<std::vector<std::uint32_t>> cpus(smaller ? smaller->instances.size() : model_.cores);
    for (std::uint32_t thread = 0; thread < model_.threads(); ++thread)
      if (!has[thread])
        cpus[smaller ? instance_in(*smaller, thread) : model_.hardware[thread].core].push_back(
            model_.hardware[thread].cpu);
    for (auto& together : cpus)
      if (!together.empty())
        add(level, place,
            {.level = 0, .bytes = 0, .line = 0, .ways = 0, .inclusive = false, .cpus = std::move(together)});
  }

  static std::size_t instance_in(const cache_level& level, std::uint32_t thread) {
    return static_cast<std::size_t>(
        std::ranges::find_if(
            level.instances,
            [&](const cache_instance& one) { return std::ranges::binary_search(one.threads, thread); }) -
        level.instances.begin());
  }

  const machine_model& model_;
  facts_by_level named_;
  unsigned line_;
};

}  // namespace

std::vector<cache_level> cache_levels_of(const machine_model& model) { return level_builder(model).levels(); }

}  // namespace skua::simulator
