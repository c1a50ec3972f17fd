// What any real thread may see of a simulated machine while it runs: how far it is and who runs there.
#pragma once

#include <atomic>
#include <cstdint>

namespace skua::core {

struct vital_signs {
  static constexpr std::uint32_t no_worker = ~std::uint32_t{0};

  std::atomic<std::uint64_t> events{0}, cycles{0};
  std::atomic<std::uint32_t> worker{no_worker}, cpu{0};  // of the virtual thread that runs
  std::atomic<int> real_thread{0};                       // on which it runs; 0: nobody is inside
};

}  // namespace skua::core
