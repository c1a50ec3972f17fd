// A placement that several threads change at once. No scheduling.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "workloads/kernels/canneal.hpp"

namespace workloads {

/// Places that threads may swap at any time, like PARSEC's atomic pointers. A thread that swaps holds the place of the
/// smaller element for a few instructions; other threads wait for it.
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
  // The smaller element always comes first, so threads cannot wait in a circle. Only the word itself is read, so
  // relaxed is enough.
  void swap(std::uint32_t a, std::uint32_t b) {
    if (b < a) std::swap(a, b);
    canneal_place of_a = at(a);
    while (!word(a).compare_exchange_weak(of_a, held, std::memory_order_relaxed)) of_a = at(a);
    canneal_place of_b = at(b);
    while (!word(b).compare_exchange_weak(of_b, of_a, std::memory_order_relaxed)) of_b = at(b);
    word(a).store(of_b, std::memory_order_relaxed);
  }

 private:
  static constexpr canneal_place held =
      ~canneal_place{0};  // not a valid place: a grid has at most 65535 rows
  std::atomic_ref<canneal_place> word(std::uint32_t id) const { return std::atomic_ref(places_[id]); }

  std::vector<canneal_place>& places_;
};

}  // namespace workloads
