// Workers on one hardware thread take turns, and the hardware threads of a core share its issue slots. Together they
// get less done than the same number of cores.
//
//   issue_slots slots({0, 0, 1, 1}, smt_throughput::with_gain(30));  // the cores of four hardware threads
//   slots.attach(worker, thread);
//   slots.begin(thread, now);
//   for (issue_slots::work left = issue_slots::of(cycles); left > 0;) {
//     pass(slots.slice(thread, left));                               // 2 / 1.3 times as long if the other one computes
//     left -= slots.done(thread, now) - slots.done(thread, before);  // more, if it has ended since
//   }
//   slots.end(thread, now);
//
// Only computing takes slots; a worker that waits for data, for a message or for work takes none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "simulator/machine/memory_types.hpp"

namespace skua::simulator {

/// The throughput of several threads on one core, in percent of one thread that has the core for itself.
class smt_throughput {
 public:
  /// Threads do not slow each other down.
  static constexpr smt_throughput of_cores() noexcept { return smt_throughput(0); }
  /// An in-order core that issues two instructions per cycle, with threads like a Niagara 2, as in the ADM paper. Our
  /// assumption, which the paper does not state: a thread issues at most one per cycle, so two do not slow each other
  /// down.
  static constexpr smt_throughput of_two_slots() noexcept { return smt_throughput(200); }
  /// A core that one thread nearly fills: all further threads together add this percentage.
  static constexpr smt_throughput with_gain(unsigned percent) noexcept {
    return smt_throughput(100 + percent);
  }

  /// Whether this number of threads slow each other down.
  constexpr bool scarce(std::size_t threads) const noexcept { return max_ != 0 && threads * 100 > max_; }
  /// The speed of each of this number of threads, in parts of `whole`, which is the speed of one alone.
  static constexpr std::uint64_t whole = 1'000'000;
  constexpr std::uint64_t rate(std::size_t threads) const noexcept {
    return scarce(threads) ? max_ * (whole / 100) / threads : whole;
  }

 private:
  explicit constexpr smt_throughput(std::size_t max) noexcept : max_(max) {}
  std::size_t max_;  // 0: unlimited
};

class issue_slots {
 public:
  /// The work of a worker, in parts of a cycle. Negative: it has done more than it needed to.
  using work = std::int64_t;
  static constexpr work of(cycles alone) noexcept {
    constexpr cycles max = std::numeric_limits<work>::max() / smt_throughput::whole;
    return static_cast<work>(std::min(alone, max) * smt_throughput::whole);
  }
  /// The part of the work of `all` cycles that was done in the first `first` of them.
  static work part(work done, cycles first, cycles all) noexcept {
    return static_cast<work>(static_cast<double>(done) * static_cast<double>(first) /
                             static_cast<double>(all));
  }

  /// `cores`: the core of each hardware thread.
  issue_slots(const std::vector<std::uint32_t>& cores, smt_throughput together)
      : together_(together), threads_(cores.size()), cores_(cores.empty() ? 0 : std::ranges::max(cores) + 1) {
    for (std::size_t i = 0; i < cores.size(); ++i) {
      threads_[i].core = cores[i];
      ++cores_[cores[i]].threads;
    }
  }

  void attach(std::uint32_t worker, std::size_t thread) noexcept {
    hardware& one = threads_[thread];
    if (one.worker == no_worker) one.worker = worker, ++cores_[one.core].taken;
    one.shared |= one.worker != worker;
  }
  /// Whether workers on this thread may be slowed down, by workers on it or on the same core.
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
  /// The work that a worker on this thread would have done if it had computed all the time. Only differences are
  /// meaningful.
  work done(std::size_t thread, cycles now) noexcept {
    advance(thread, now);
    return static_cast<work>(threads_[thread].done);
  }
  /// How long a worker with this much work left computes before it checks again how many others compute.
  cycles slice(std::size_t thread, work left) const noexcept {
    const std::uint64_t rate = rate_of(thread);
    const cycles all = (static_cast<std::uint64_t>(left) + rate - 1) / rate;
    return std::min(all, std::max<cycles>(all / 16, 500));
  }
  /// The time of a handler beside computing threads. The handler has its hardware thread for itself.
  cycles stretched(std::size_t thread, cycles alone) const noexcept {
    const core& its = cores_[threads_[thread].core];
    return alone * smt_throughput::whole / together_.rate(std::min(its.busy + 1, its.threads));
  }

 private:
  static constexpr std::uint32_t no_worker = ~std::uint32_t{0};
  struct core {
    std::size_t threads = 0, taken = 0, busy = 0;  // taken: threads with workers
    cycles at = 0;                                 // the time of `done`
    std::uint64_t done = 0;                        // by each of its threads, had it computed all the time
  };
  struct hardware {
    std::size_t core = 0, busy = 0;        // busy: workers that compute on it
    std::uint32_t worker = no_worker;      // the first that attached
    bool shared = false;                   // by several workers
    std::uint64_t core_was = 0, done = 0;  // done: by each worker, when the core had done `core_was`
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
