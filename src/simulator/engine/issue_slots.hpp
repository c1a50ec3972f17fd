// Workers on one hardware thread take turns, and hardware threads of a core share what it issues: together they get less done
// than so many cores would.
//
//   issue_slots slots({0, 0, 1, 1}, smt_throughput::with_gain(30));  // the cores of four hardware threads
//   slots.sit(worker, thread);
//   slots.begin(thread, now);
//   for (issue_slots::work left = issue_slots::of(cycles); left > 0;) {
//     pass(slots.slice(thread, left));                               // 2 / 1.3 times as long if the other one computes
//     left -= slots.done(thread, now) - slots.done(thread, before);  // more, if it has ended since
//   }
//   slots.end(thread, now);
//
// Only who computes takes part: who waits for data, for a message or for work needs no slot.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// How much several threads of one core get done at the same time, in hundredths of what one does that is alone there.
class smt_throughput {
 public:
  /// They do not disturb each other.
  static constexpr smt_throughput of_cores() noexcept { return smt_throughput(0); }
  /// An in-order core that issues two instructions a cycle, threaded like a Niagara 2, as in the ADM paper. Where that is
  /// silent: a thread issues one a cycle at most, so two do not disturb each other.
  static constexpr smt_throughput of_two_slots() noexcept { return smt_throughput(200); }
  /// A core that one thread can nearly fill: any more add so much, all of them together.
  static constexpr smt_throughput with_gain(unsigned percent) noexcept {
    return smt_throughput(100 + percent);
  }

  /// Do so many hold each other up?
  constexpr bool scarce(std::size_t threads) const noexcept { return max_ != 0 && threads * 100 > max_; }
  /// Of what it does alone, what each of so many gets done: `whole` parts of `whole`, or less.
  static constexpr std::uint64_t whole = 1'000'000;
  constexpr std::uint64_t rate(std::size_t threads) const noexcept {
    return scarce(threads) ? max_ * (whole / 100) / threads : whole;
  }

 private:
  explicit constexpr smt_throughput(std::size_t max) noexcept : max_(max) {}
  std::size_t max_;  // 0: no end
};

class issue_slots {
 public:
  /// What a worker gets done, in parts of a cycle's. Less than nothing: it got more done than it wanted.
  using work = std::int64_t;
  static constexpr work of(cycles alone) noexcept {
    constexpr cycles max = std::numeric_limits<work>::max() / smt_throughput::whole;
    return static_cast<work>(std::min(alone, max) * smt_throughput::whole);
  }
  /// Of what was done in `all` cycles, that of the first few.
  static work part(work done, cycles first, cycles all) noexcept {
    return static_cast<work>(static_cast<double>(done) * static_cast<double>(first) /
                             static_cast<double>(all));
  }

  /// `cores`: of each hardware thread.
  issue_slots(const std::vector<std::uint32_t>& cores, smt_throughput together)
      : together_(together), threads_(cores.size()), cores_(cores.empty() ? 0 : std::ranges::max(cores) + 1) {
    for (std::size_t i = 0; i < cores.size(); ++i) {
      threads_[i].core = cores[i];
      ++cores_[cores[i]].threads;
    }
  }

  void attach(std::uint32_t worker, std::size_t thread) noexcept {
    hardware& one = threads_[thread];
    if (one.worker == none) one.worker = worker, ++cores_[one.core].taken;
    one.shared |= one.worker != worker;
  }
  /// Does anybody sit where he may hold those of `thread` up?
  bool contested(std::size_t thread) const noexcept {
    const hardware& one = threads_[thread];
    return one.shared || together_.scarce(cores_[one.core].taken);
  }

  void begin(std::size_t thread, cycles now) noexcept {
    advance(thread, now);
    if (threads_[thread].busy++ == 0) ++cores_[threads_[thread].core].busy;
  }
  void end(std::size_t thread, cycles now) noexcept {
    advance(thread, now);
    if (--threads_[thread].busy == 0) --cores_[threads_[thread].core].busy;
  }
  /// What a worker there has got done until now, had it computed for ever: differences count.
  work done(std::size_t thread, cycles now) noexcept {
    advance(thread, now);
    return static_cast<work>(threads_[thread].done);
  }
  /// For so long who has so much left computes before it looks again how many others do.
  cycles slice(std::size_t thread, work left) const noexcept {
    const std::uint64_t rate = rate_of(thread);
    const cycles all = (static_cast<std::uint64_t>(left) + rate - 1) / rate;
    return std::min(all, std::max<cycles>(all / 16, 500));
  }
  /// For a handler beside those that compute: it has its thread for itself.
  cycles stretched(std::size_t thread, cycles alone) const noexcept {
    const core& its = cores_[threads_[thread].core];
    return alone * smt_throughput::whole / together_.rate(std::min(its.busy + 1, its.threads));
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct core {
    std::size_t threads = 0, taken = 0, busy = 0;  // taken: threads on which workers sit
    cycles at = 0;                                 // up to then
    std::uint64_t done = 0;  // each of its threads has got so much done, had it computed for ever
  };
  struct hardware {
    std::size_t core = 0, busy = 0;        // busy: workers that compute there
    std::uint32_t worker = none;           // the first that sat there
    bool shared = false;                   // with others
    std::uint64_t core_was = 0, done = 0;  // up to what its core had got done, each worker here so much
  };

  std::uint64_t rate_of(std::size_t thread) const noexcept {
    const hardware& one = threads_[thread];
    return together_.rate(cores_[one.core].busy) / std::max<std::size_t>(one.busy, 1);
  }
  void advance(std::size_t thread, cycles now) noexcept {
    hardware& one = threads_[thread];
    core& its = cores_[one.core];
    if (now > its.at) its.done += (now - its.at) * together_.rate(its.busy), its.at = now;
    one.done += (its.done - one.core_was) / std::max<std::size_t>(one.busy, 1);
    one.core_was = its.done;
  }

  smt_throughput together_;
  std::vector<hardware> threads_;
  std::vector<core> cores_;
};

}  // namespace skua::simulator
