// Whether thieves leave the short pieces of a dealt loop alone. Then the data of even loops stay near, and the loops become
// several times faster; loops with uneven pieces take up to twice as long. So the scheduler tries both for each loop, in blocks
// of loops that follow each other, and keeps the faster one. Now and then it tries the other one again. It gives up a block that is
// three times as slow.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

#include "core/learning/code_estimates.hpp"

namespace skua::core {

/// By an address of code: one for each type of a loop's body (loop_run::thief_site). For all workers of a scheduler. Two loops may
/// share an entry. Relaxed: each word stands for itself, and a lost update only delays a decision.
class piece_trials {
 public:
  bool leaves_alone(const void* loop) const noexcept {
    return alone_[code_index(loop)].load(std::memory_order_relaxed);
  }

  /// Whether the data of a short loop may still be on their way to the workers: in the first block, and in one after a block of
  /// the other way. Not in the first loop, of which nobody knows how long it is.
  bool may_fetch_data(const void* loop) const noexcept {
    const float last = last_loop_ns(loop);
    if (last == 0 || last > still_short_ns) return false;
    const std::uint32_t block_number =
        trials_[code_index(loop)].loops.load(std::memory_order_relaxed) / block;
    return block_number < 3 || block_number % tries_again == 1;
  }

  /// How long the last loop took; 0 if there was none.
  float last_loop_ns(const void* loop) const noexcept {
    return trials_[code_index(loop)].last_loop_ns.load(std::memory_order_relaxed);
  }

  /// A loop of so many positions has ended that took so long.
  void ended(const void* loop, float all_ns, float positions) noexcept {
    const float ns_each = all_ns / positions;
    std::atomic<bool>& alone = alone_[code_index(loop)];
    trial& t = trials_[code_index(loop)];
    t.last_loop_ns.store(all_ns, std::memory_order_relaxed);
    const std::uint32_t number = t.loops.load(std::memory_order_relaxed), in_block = number % block;
    const bool was_alone = alone.load(std::memory_order_relaxed);
    std::atomic<float>& ns = was_alone ? t.alone_ns : t.shared_ns;
    const float other = (was_alone ? t.shared_ns : t.alone_ns).load(std::memory_order_relaxed);
    const bool gives_up = in_block != 0 && other != 0 && ns_each > 3 * other;
    // The first half of a block brings the data to the workers. Of the others the fastest counts: a thread may lose its CPU.
    if (in_block == block / 2 || gives_up ||
        (in_block > block / 2 && ns_each < ns.load(std::memory_order_relaxed)))
      ns.store(ns_each, std::memory_order_relaxed);
    const std::uint32_t next_loop = gives_up ? number - in_block + block : number + 1;
    t.loops.store(next_loop, std::memory_order_relaxed);
    if (next_loop % block != 0) return;
    const bool next = next_way(t, next_loop / block);
    if (was_alone != next) alone.store(next, std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint32_t block = 8, tries_again = 128;  // loops, blocks
  static constexpr float still_short_ns =
      1e6F;  // ten short pieces (short_piece_ns): the data may be far away
  struct trial {
    std::atomic<std::uint32_t> loops{0};
    std::atomic<float> alone_ns{0}, shared_ns{0};  // a position in the last block of this kind
    std::atomic<float> last_loop_ns{0};            // all of the last loop
  };

  static bool next_way(const trial& t, std::uint32_t block_number) noexcept {
    if (block_number == 1) return false;
    // The fastest loop of a block may be luck: thieves may have taken what lay near them.
    constexpr float luck = 1.15F;
    const bool alone_is_faster =
        t.alone_ns.load(std::memory_order_relaxed) <= luck * t.shared_ns.load(std::memory_order_relaxed);
    return block_number % tries_again == 0 ? !alone_is_faster : alone_is_faster;
  }

  struct flag : std::atomic<bool> {
    flag() noexcept : std::atomic<bool>(true) {}
  };
  static constexpr std::size_t entries = std::size_t{1} << code_index_bits;
  // All workers read the flags at each piece, so they share no line with what each loop writes.
  alignas(detail::line_pair) flag alone_[entries];
  alignas(detail::line_pair) trial trials_[entries];
};

}  // namespace skua::core
