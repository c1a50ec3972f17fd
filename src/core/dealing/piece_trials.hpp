// Whether thieves leave the short pieces of a dealt loop alone. Then the data of even loops stay near, and the loops become
// several times faster; loops with uneven pieces take up to twice as long. So the scheduler tries both for each loop, in blocks
// of loops that follow each other, and keeps the faster one. Now and then it tries the other one again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <skua/detail/split_queue.hpp>

namespace skua::core {

/// By an address of code: one for each type of a loop's body (loop_run::thief_site). For all workers of a scheduler. Two loops may
/// share an entry. Relaxed: each word stands for itself, and a lost update only delays a decision.
class piece_trials {
 public:
  bool leaves_alone(const void* loop) const noexcept {
    return entries_[at(loop)].alone.load(std::memory_order_relaxed);
  }

  /// A loop has ended that took so long for each position.
  void ended(const void* loop, float ns_each) noexcept {
    entry& e = entries_[at(loop)];
    const std::uint32_t number = e.loops.load(std::memory_order_relaxed);
    e.loops.store(number + 1, std::memory_order_relaxed);
    const bool alone = e.alone.load(std::memory_order_relaxed);
    // The first half of a block brings the data to the workers.
    const std::uint32_t in_block = number % block;
    std::atomic<float>& cost = alone ? e.alone_ns : e.shared_ns;
    if (in_block == block / 2)
      cost.store(ns_each, std::memory_order_relaxed);
    else if (in_block > block / 2)
      cost.store((cost.load(std::memory_order_relaxed) + ns_each) / 2, std::memory_order_relaxed);
    if (in_block == block - 1) begin_block(e, (number + 1) / block);
  }

 private:
  static constexpr std::uint32_t block = 8, tries_again = 32;  // loops, blocks
  struct entry {
    std::atomic<bool> alone{true};
    std::atomic<std::uint32_t> loops{0};
    std::atomic<float> alone_ns{0}, shared_ns{0};  // a position of the last block
  };

  static void begin_block(entry& e, std::uint32_t number) noexcept {
    const bool faster =
        e.alone_ns.load(std::memory_order_relaxed) <= e.shared_ns.load(std::memory_order_relaxed);
    const bool tries_other = number == 1 || number % tries_again == 0;
    const bool next = number == 1 ? false : faster != tries_other;
    if (e.alone.load(std::memory_order_relaxed) != next) e.alone.store(next, std::memory_order_relaxed);
  }

  static constexpr int index_bits = 6;
  static std::size_t at(const void* loop) noexcept {
    return (reinterpret_cast<std::uintptr_t>(loop) * 0x9E3779B97F4A7C15u) >> (64 - index_bits);
  }
  alignas(detail::line_pair) entry entries_[std::size_t{1} << index_bits];
};

}  // namespace skua::core
