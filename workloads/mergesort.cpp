// mergesort: sorts n 32-bit keys.
//
// Tasks: cilksort. The four quarters are sorted in parallel, then merged in pairs into a second array, then back. A
// merge cuts the longer run in the middle and the other run at the position of that key, and merges both halves in
// parallel. One task sorts or merges fewer than 2048 keys.
// Paper: Cilk's cilksort (after Akl and Santoro, 1987); CAB sorts 1024 x 1024 keys, ADM 2^20.
#include <bit>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"
#include "workloads/kernels/sort.hpp"
#include "workloads/mergesort_phase.hpp"

namespace workloads {
namespace {

using keys = std::span<sort_key>;

// Cycles of the kernels alone (bench/leaf_costs.cpp): for each key of a merge; for each key and each halving of a sort.
constexpr double merge_cycles = 9.8, sort_cycles = 10.5;

/// Merges two sorted runs to the a.size() + b.size() keys at `to`.
void merge_leaf(keys a, keys b, sort_key* to) {
  skua::reads(a.data(), a.size());
  skua::reads(b.data(), b.size());
  skua::writes(to, a.size() + b.size());
  skua::costs(merge_cycles * static_cast<double>(a.size() + b.size()));
  merge_runs(a, b, to);
}

void sort_leaf_run(keys all) {
  skua::writes(all.data(), all.size());
  skua::costs(sort_cycles * static_cast<double>(all.size()) *
              static_cast<double>(std::bit_width(all.size())));
  sort_run(all);
}

void merge(keys a, keys b, sort_key* to) {
  if (a.size() < b.size()) std::swap(a, b);
  if (b.size() < sort_leaf) return merge_leaf(a, b, to);
  const auto [a_cut, b_cut] = cut_runs(a, b);
  skua::join([=] { merge(a.first(a_cut), b.first(b_cut), to); },
             [=] { merge(a.subspan(a_cut), b.subspan(b_cut), to + a_cut + b_cut); });
}

/// Sorts `all`. `other` is scratch memory of the same length.
void cilksort(keys all, keys other) {
  if (all.size() < sort_leaf) return sort_leaf_run(all);
  const std::size_t quarter = all.size() / 4, half = 2 * quarter;
  const keys a = all.first(quarter), b = all.subspan(quarter, quarter);
  const keys c = all.subspan(half, quarter), d = all.subspan(half + quarter);
  skua::join([=] { cilksort(a, other.first(quarter)); },
             [=] { cilksort(b, other.subspan(quarter, quarter)); },
             [=] { cilksort(c, other.subspan(half, quarter)); },
             [=] { cilksort(d, other.subspan(half + quarter)); });
  skua::join([=] { merge(a, b, other.data()); }, [=] { merge(c, d, other.data() + half); });
  merge(other.first(half), other.subspan(half), all.data());
}

class mergesort_program : public program {
 public:
  explicit mergesort_program(const parameters& asked)
      : n_(static_cast<std::size_t>(
            asked.number("n", asked.pick(65536, 1 << 24, 1 << 20), 0, 1'000'000'000))),
        seed_(asked.seed.value_or(42)),
        leaf_(static_cast<std::size_t>(asked.number("leaf", sort_leaf, 16, 1 << 20))),
        by_phase_(asked.choice("form", {"joins", "phase"}) == "phase"),
        permutation_(asked.choice("input", {"keys", "permutation"}) == "permutation") {}

  void prepare() override {
    keys_ = permutation_ ? sort_permutation(n_) : sort_keys(seed_, n_);
    other_.resize(n_);
    if (!input_hash_) input_hash_ = hash_set(keys_);
  }
  void sequential() override { sort_run(keys_); }
  void parallel() override {
    if (by_phase_) return sort_by_phase(leaf_, sort_leaf_run, merge_leaf).sort(keys_, other_);
    // The keys and scratch memory of the same size.
    skua::shaped({.input_bytes = 2 * keys_.size() * sizeof(sort_key), .branching = 4},
                 [&] { cilksort(keys_, other_); });
  }
  answer_check verify() override {
    const std::uint64_t published = permutation_ || seed_ != 42 ? 0 : sorted_keys_hash(n_);
    if (const char* wrong = sort_complaint(keys_, n_, input_hash_.value_or(0), published))
      return {false, wrong};
    return {true, std::to_string(n_) + " keys in order" + (published ? ", as published" : "")};
  }
  void flip_one() override {
    if (keys_.empty()) nothing_to_damage("for no keys", "n of at least 1; nearest: n=1");
    keys_[n_ / 2] ^= 1;
  }

 private:
  std::size_t n_;
  std::uint64_t seed_;
  std::size_t leaf_;
  bool by_phase_;
  bool permutation_;
  std::vector<sort_key> keys_, other_;
  std::optional<std::uint64_t> input_hash_;
};

}  // namespace

extern const workload mergesort_workload{
    .name = "mergesort",
    .summary = "cilksort: sort four quarters in parallel, then merge in parallel",
    .ci = "65536 keys",
    .med = "2^24 keys",
    .paper = "2^20 keys (8 MB)",
    .options = {{"n", "0 .. 1000000000", "keys"},
                {"form", "joins|phase", "forks and joins, or one phase as in the ADM paper"},
                {"leaf", "16 .. 1048576", "with form=phase: one task sorts or merges fewer keys than this"},
                {"input", "keys|permutation", "random keys, or the permutation that BOTS uses"}},
    .make = [](const parameters& asked) -> std::unique_ptr<program> {
      return std::make_unique<mergesort_program>(asked);
    }};

}  // namespace workloads
