// Joining two relations by hashing: tuples, partitions, the table of a partition, and the check of the answer. No
// scheduling.
//
// All keys of the build relation are different. The probe relation is twice as long, and each of its tuples has one
// partner. Tuples have 100 bytes, so their location matters.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "workloads/common/random.hpp"

namespace workloads {

struct join_tuple {
  std::uint32_t key;
  std::array<std::uint8_t, 96> payload;

  /// The first 8 bytes of the payload are random, the others are 0.
  std::uint64_t tag() const {
    std::uint64_t first;
    std::memcpy(&first, payload.data(), sizeof first);
    return first;
  }
};
static_assert(sizeof(join_tuple) == 100);
using join_relation = std::vector<join_tuple>;

/// One line of the answer; nullptr if a tuple has no partner.
struct join_match {
  const join_tuple* build = nullptr;
  const join_tuple* probe = nullptr;
};

/// The input, which can be computed from a position.
struct join_input {
  std::size_t builds;  // a power of two if not skewed
  bool skewed;
  std::uint64_t seed = 42;

  std::size_t probes() const { return 2 * builds; }
  static std::uint32_t key_of(std::size_t build) {
    return static_cast<std::uint32_t>(build * 2654435761u + 12345);
  }
  /// The build tuple that a probe tuple matches: each one matches twice, or the first ones most often.
  std::size_t partner_of(std::size_t probe) const {
    if (!skewed) return ((probe * 0x9E3779B1u + 7) & (probes() - 1)) >> 1;
    const double u = uniform_at(seed + 2, probe);
    return static_cast<std::size_t>(static_cast<double>(builds) * (u * u));
  }
  join_tuple build(std::size_t i) const { return tuple(key_of(i), random_at(seed, i)); }
  join_tuple probe(std::size_t j) const { return tuple(key_of(partner_of(j)), random_at(seed + 1, j)); }

 private:
  static join_tuple tuple(std::uint32_t key, std::uint64_t tag) {
    join_tuple made{key, {}};
    std::memcpy(made.payload.data(), &tag, sizeof tag);
    return made;
  }
};

/// Sums of an answer, which do not depend on the order of its lines.
struct join_sums {
  std::uint64_t matches = 0, keys = 0, hash = 0;
  bool operator==(const join_sums&) const = default;

  void add(std::uint32_t key, std::uint64_t build_tag, std::uint64_t probe_tag) {
    ++matches;
    keys += key;
    hash += mix(build_tag ^ probe_tag);
  }
};
inline join_sums join_expected(const join_input& input) {
  join_sums sums;
  for (std::size_t j = 0; j < input.probes(); ++j) {
    const std::size_t i = input.partner_of(j);
    sums.add(join_input::key_of(i), random_at(input.seed, i), random_at(input.seed + 1, j));
  }
  return sums;
}
/// Lines whose keys differ do not count.
inline join_sums join_answered(std::span<const join_match> matches) {
  join_sums sums;
  for (const join_match& m : matches)
    if (m.build && m.probe && m.build->key == m.probe->key)
      sums.add(m.build->key, m.build->tag(), m.probe->tag());
  return sums;
}
/// The published sums for seed 42; without matches if not published.
inline join_sums join_known(const join_input& input) {
  if (input.builds == 65536 && !input.skewed) return {131072, 281465963216896, 0xdb5f541e9c4c469c};
  if (input.builds == 65536) return {131072, 280777985577385, 0xdb973257978fbf7a};
  if (input.builds == 131072 && !input.skewed) return {262144, 562940516368384, 0xdcd100b613d5fc23};
  if (input.builds == 1048576 && !input.skewed) return {2097152, 4503592850423808, 0x63f2d3af9a50faf5};
  if (input.builds == 1048576) return {2097152, 4498237204095498, 0xf5e749a64aa8c492};
  return {};
}

/// The partition of a key and its bucket there: the upper and the lower bits of a hash.
inline std::size_t join_partition_of(std::uint32_t key, int bits) {
  return bits == 0 ? 0 : static_cast<std::size_t>(mix(key) >> (64 - bits));
}
/// The number of bits that makes a partition of the build relation at most 256 KB.
inline int join_bits(std::size_t builds) {
  return static_cast<int>(std::bit_width((builds * sizeof(join_tuple) - 1) / (256 * 1024)));
}

/// Counts the tuples of each partition.
inline void join_count(std::span<const join_tuple> from, int bits, std::uint32_t* counts) {
  for (const join_tuple& t : from) ++counts[join_partition_of(t.key, bits)];
}
/// Copies each tuple to the next place of its partition.
inline void join_scatter(std::span<const join_tuple> from, int bits, std::uint32_t* next, join_tuple* to) {
  for (const join_tuple& t : from) to[next[join_partition_of(t.key, bits)]++] = t;
}

/// The build tuples of a partition in a hash table with chaining.
class join_table {
 public:
  void build(std::span<const join_tuple> tuples) {
    tuples_ = tuples;
    heads_.assign(std::bit_ceil(tuples.size() + 1), none);
    next_.resize(tuples.size());
    for (std::uint32_t i = 0; i < tuples.size(); ++i) {
      std::uint32_t& head = heads_[bucket(tuples[i].key)];
      next_[i] = std::exchange(head, i);
    }
  }
  void probe(std::span<const join_tuple> probes, join_match* matches) const {
    for (const join_tuple& p : probes) *matches++ = {partner(p.key), &p};
  }
  std::span<const std::uint32_t> heads() const { return heads_; }

 private:
  static constexpr std::uint32_t none = ~0u;
  std::size_t bucket(std::uint32_t key) const { return mix(key) & (heads_.size() - 1); }
  const join_tuple* partner(std::uint32_t key) const {
    std::uint32_t i = heads_[bucket(key)];
    while (i != none && tuples_[i].key != key) i = next_[i];
    return i == none ? nullptr : &tuples_[i];
  }

  std::span<const join_tuple> tuples_;
  std::vector<std::uint32_t> heads_, next_;
};

/// A relation in partitions. Blocks of the input are counted and copied independently. The position of a tuple does not
/// depend on the number of blocks.
class join_partitions {
 public:
  void prepare(const join_relation& from, int bits, std::size_t block) {
    from_ = from;
    bits_ = bits;
    block_ = block;
    places_.assign(blocks() << bits, 0);
    first_.assign((std::size_t{1} << bits) + 1, 0);
    tuples_.resize(from.size());
  }
  std::size_t blocks() const { return (from_.size() + block_ - 1) / block_; }
  std::size_t size() const { return first_.size() - 1; }
  std::span<const join_tuple> block(std::size_t b) const {
    return from_.subspan(b * block_, std::min(block_, from_.size() - b * block_));
  }
  std::span<const join_tuple> operator[](std::size_t partition) const {
    return std::span(tuples_).subspan(first_[partition], first_[partition + 1] - first_[partition]);
  }
  std::size_t first(std::size_t partition) const { return first_[partition]; }

  /// To be called in this order, each for all blocks.
  void count(std::size_t b) { join_count(block(b), bits_, places_.data() + b * size()); }
  void place() {
    std::uint32_t at = 0;
    for (std::size_t p = 0; p < size(); ++p) {
      first_[p] = at;
      for (std::size_t b = 0; b < blocks(); ++b) at += std::exchange(places_[b * size() + p], at);
    }
    first_.back() = at;
    starts_ = places_;
  }
  void scatter(std::size_t b) { join_scatter(block(b), bits_, places_.data() + b * size(), tuples_.data()); }
  /// Afterwards: the tuples that this block has put into a partition.
  std::span<const join_tuple> copied(std::size_t b, std::size_t partition) const {
    const std::size_t at = b * size() + partition;
    return std::span(tuples_).subspan(starts_[at], places_[at] - starts_[at]);
  }

 private:
  std::span<const join_tuple> from_;
  int bits_ = 0;
  std::size_t block_ = 1;
  std::vector<std::uint32_t> places_, starts_;  // indexed by block and partition
  std::vector<std::uint32_t> first_;            // indexed by partition
  join_relation tuples_;
};

/// Joins the partitions one after another. matches[i] is for tuple i of `probe_parts`.
inline void join_sequential(const join_relation& builds, const join_relation& probes,
                            join_partitions& build_parts, join_partitions& probe_parts, join_match* matches) {
  const int bits = join_bits(builds.size());
  for (const auto& [from, to] : {std::pair(&builds, &build_parts), std::pair(&probes, &probe_parts)}) {
    to->prepare(*from, bits, from->size());
    to->count(0);
    to->place();
    to->scatter(0);
  }
  join_table table;
  for (std::size_t p = 0; p < build_parts.size(); ++p) {
    table.build(build_parts[p]);
    table.probe(probe_parts[p], matches + probe_parts.first(p));
  }
}

}  // namespace workloads
