// hashjoin: finds, for every tuple of one relation, the tuple of another relation with the same key.
//
// Tasks: loops over blocks of tuples first copy both relations into partitions that fit into a cache. Then, in one
// phase, a task for each partition builds its hash table and enqueues tasks that look up `grain` probe tuples each.
// With `start=half`, as the paper reports, only half of the workers get partitions at first and make most of the tasks.
// The other workers steal tasks, away from the cache that has the table.
// Paper: ADM; the program is Chen's (Chen et al., "Scheduling Threads for Constructive Cache Sharing on CMPs", 2007).
// The paper does not document its input. This workload has tuples of 100 bytes, too.
#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/hashjoin.hpp"

namespace workloads {
namespace {

// Cycles for one tuple, calibrated on one worker.
constexpr double cycles_to_count = 4, cycles_to_scatter = 8, cycles_to_build = 5, cycles_to_probe = 6.5;

constexpr std::size_t tuples_of_block = 4096;

void partition(const join_relation& from, int bits, join_partitions& to) {
  to.prepare(from, bits, tuples_of_block);
  skua::parallel_for(std::size_t{0}, to.blocks(), [&](std::size_t b) {
    to.count(b);
    skua::reads(&to.block(b).front().key, 1, to.block(b).size(), sizeof(join_tuple) / sizeof(std::uint32_t));
    skua::costs(cycles_to_count * static_cast<double>(to.block(b).size()));
  });
  to.place();
  skua::parallel_for(std::size_t{0}, to.blocks(), [&](std::size_t b) {
    to.scatter(b);
    skua::reads(to.block(b).data(), to.block(b).size());
    for (std::size_t p = 0; p < to.size(); ++p) skua::writes(to.copied(b, p).data(), to.copied(b, p).size());
    skua::costs(cycles_to_scatter * static_cast<double>(to.block(b).size()));
  });
}

/// The phase that joins partitions. A task is a partition, or some probe tuples of a partition. The second kind has the
/// partition + 1 in the upper half of the number and, in the lower half, the number of tasks of that partition before
/// it.
class partition_joiner {
 public:
  partition_joiner(const join_partitions& builds, const join_partitions& probes, std::size_t grain,
                   join_match* matches)
      : builds_(builds), probes_(probes), grain_(grain), matches_(matches), tables_(builds.size()) {}

  void join(bool by_half) {
    // A range is dealt out in equal pieces. If the tasks in its second half do nothing, half of the workers start
    // without work.
    tasks_.enqueue_range(0, by_half ? 2 * tables_.size() : tables_.size());
    tasks_.run([&](std::uint64_t task) {
      if (task >> 32 != 0)
        probe((task >> 32) - 1, (task & 0xffffffff) * grain_);
      else if (task < tables_.size())
        build(task);
    });
  }

 private:
  void build(std::size_t p) {
    const std::span<const join_tuple> tuples = builds_[p];
    tables_[p].build(tuples);
    skua::reads(tuples.data(), tuples.size());
    skua::writes(tables_[p].heads().data(), tables_[p].heads().size());
    skua::costs(cycles_to_build * static_cast<double>(tuples.size()));
    const std::uint64_t first = (p + 1) << 32;
    tasks_.enqueue_range(first, first + (probes_[p].size() + grain_ - 1) / grain_);
  }

  void probe(std::size_t p, std::size_t first) {
    const std::span<const join_tuple> all = probes_[p],
                                      tuples = all.subspan(first, std::min(grain_, all.size() - first));
    join_match* const matches = matches_ + probes_.first(p) + first;
    tables_[p].probe(tuples, matches);
    skua::reads(tuples.data(), tuples.size());
    skua::writes(matches, tuples.size());
    declare_some(tables_[p].heads(), tuples.size());
    declare_some(builds_[p], tuples.size());
    skua::costs(cycles_to_probe * static_cast<double>(tuples.size()));
  }

  /// Declared as if every `step`th tuple were read, since the keys determine which ones are.
  template <class T>
  static void declare_some(std::span<const T> all, std::size_t count) {
    const std::size_t step = std::max<std::size_t>(1, all.size() / count);
    skua::reads(all.data(), 1, all.size() / step, step);
  }

  const join_partitions& builds_;
  const join_partitions& probes_;
  const std::size_t grain_;
  join_match* const matches_;
  std::vector<join_table> tables_;
  skua::phase<std::uint64_t> tasks_;
};

class hashjoin_program : public program {
 public:
  explicit hashjoin_program(const parameters& asked)
      : input_{static_cast<std::size_t>(asked.number("n", asked.pick(1 << 16, 1 << 18, 1 << 20), 1, 1 << 23)),
               asked.choice("keys", {"uniform", "skew"}) == "skew", asked.seed.value_or(42)},
        grain_(static_cast<std::size_t>(asked.number("grain", 32, 1, 1 << 24))),
        times_(asked.number("times", asked.pick(1, 4, 1), 1, 1000)),
        join_only_(asked.choice("timed", {"all", "join"}) == "join"),
        by_half_(asked.choice("start", {"half", "all"}) == "half") {
    if (!input_.skewed && !std::has_single_bit(input_.builds))
      throw skua::bad_input("n is '" + std::to_string(input_.builds) +
                            "'; allowed with keys=uniform: a power of two; nearest: " +
                            std::to_string(nearest_power_of_two(input_.builds)));
  }

  void prepare() override {
    if (builds_.empty()) {
      builds_.resize(input_.builds);
      probes_.resize(input_.probes());
      for (std::size_t i = 0; i < builds_.size(); ++i) builds_[i] = input_.build(i);
      for (std::size_t j = 0; j < probes_.size(); ++j) probes_[j] = input_.probe(j);
    }
    matches_.assign(probes_.size(), join_match{});
    if (join_only_) partition_both();
  }
  void sequential() override {
    for (std::int64_t i = 0; i < times_; ++i)
      join_sequential(builds_, probes_, build_parts_, probe_parts_, matches_.data());
  }
  void parallel() override {
    for (std::int64_t i = 0; i < times_; ++i) {
      share().set(i, times_);
      if (!join_only_) partition_both();
      partition_joiner(build_parts_, probe_parts_, grain_, matches_.data()).join(by_half_);
    }
  }
  answer_check verify() override {
    if (!expected_) expected_ = join_expected(input_);
    const join_sums known = input_.seed == 42 ? join_known(input_) : join_sums{};
    const join_sums sums = join_answered(matches_);
    const std::string text = std::to_string(sums.matches) + " of " + std::to_string(matches_.size()) +
                             " tuples have a partner, sum of keys " + std::to_string(sums.keys);
    if (sums != *expected_) return {false, text + ", but some partners are wrong"};
    if (known.matches == 0) return {true, text};
    return {sums == known, text + (sums == known ? ", as published" : ", not as published")};
  }
  void flip_one() override {
    const join_tuple*& partner = matches_[matches_.size() / 2].build;  // some tuples have no partner
    partner = partner ? nullptr : builds_.data();
  }

 private:
  void partition_both() {
    const int bits = join_bits(builds_.size());
    partition(builds_, bits, build_parts_);
    partition(probes_, bits, probe_parts_);
  }

  join_input input_;
  std::size_t grain_;
  std::int64_t times_;
  bool join_only_;  // partitioning is not timed
  bool by_half_;
  join_relation builds_, probes_;
  join_partitions build_parts_, probe_parts_;  // the answer has pointers into them
  std::vector<join_match> matches_;
  std::optional<join_sums> expected_;
};

}  // namespace

extern const workload hashjoin_workload{
    .name = "hashjoin",
    .summary = "join two relations: one hash table for each partition, probed by small tasks",
    .ci = "2^16 tuples with 2^17 (40 MB)",
    .med = "2^18 tuples with 2^19, 4 times (160 MB)",
    .paper = "2^20 tuples with 2^21 (670 MB); the paper does not give the size",
    .options =
        {{"n", "1 .. 8388608", "tuples of the smaller relation; needs 600 n bytes"},
         {"keys", "uniform|skew",
          "each key matches twice, or some keys much more often; uniform requires n to be a power of two"},
         {"start", "half|all", "the share of workers that start with partitions"},
         {"grain", "1 .. 16777216", "tuples that one task looks up"},
         {"timed", "all|join", "time everything, or only the join of partitions, the paper's single phase"},
         {"times", "1 .. 1000", "number of repetitions"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<hashjoin_program>(asked);
    }};

}  // namespace workloads
