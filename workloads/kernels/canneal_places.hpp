// A placement that several threads change at once. No scheduling.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "workloads/kernels/canneal.hpp"

namespace workloads {

/// Places that threads swap at any time, as PARSEC's atomic pointers are: who swaps holds the place of the smaller
/// element for some instructions, in which others wait for it.
class canneal_shared_places {
 public:
  explicit canneal_shared_places(std::vector<canneal_place>& places) : places_(places) {}

  canneal_place at(std::uint32_t id) const {
    canneal_place seen = word(id).load(std::memory_order_relaxed);
    while (seen == held) {
      std::this_thread::yield();
      seen = word(id).load(std::memory_order_relaxed);
    }
    return seen;
  }
  // Always the smaller element first, so that nobody waits in a circle. What is read is the word itself: relaxed.
  void swap(std::uint32_t a, std::uint32_t b) {
    if (b < a) std::swap(a, b);
    canneal_place of_a = at(a);
    while (!word(a).compare_exchange_weak(of_a, held, std::memory_order_relaxed)) of_a = at(a);
    canneal_place of_b = at(b);
    while (!word(b).compare_exchange_weak(of_b, of_a, std::memory_order_relaxed)) of_b = at(b);
    word(a).store(of_b, std::memory_order_relaxed);
  }

 private:
  static constexpr canneal_place held = ~canneal_place{0};  // no place: a grid has at most 65535 rows
  std::atomic_ref<canneal_place> word(std::uint32_t id) const { return std::atomic_ref(places_[id]); }

  std::vector<canneal_place>& places_;
};

}  // namespace workloads
