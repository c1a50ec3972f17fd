// How fast the simulator is: short loops, one after another, on a simulated machine of two EPYC 9654.
#pragma once

#include <cstdint>

#include <skua/skua.hpp>

#include "kernels.hpp"
#include "protocol.hpp"

namespace bench {

/// The units are the simulated machine's events: steps of its workers. The size is the number of these workers.
inline outcome run_simulated_loops(const request& asked) {
  constexpr std::int64_t loops = 20;
  skua::scheduler simulated({.workers = static_cast<std::size_t>(asked.size),
                             .simulate = skua::simulation{.machine = "epyc-9654-2s"}});
  std::int64_t ran = 0;  // a simulated machine runs on one thread
  const auto run_loops = [&] {
    for (std::int64_t i = 0; i < loops; ++i)
      skua::parallel_for(std::int64_t{0}, asked.size, [&](std::int64_t) {
        skua::costs(10'000);
        ++ran;
      });
  };
  outcome result;
  result.seconds = measure(asked, [&] { simulated.run(run_loops); });
  const std::int64_t runs = asked.repeat + 1;
  result.units = static_cast<double>(simulated.simulated().events) / static_cast<double>(runs);
  result.check = std::to_string(ran);
  result.verified = ran == runs * loops * asked.size;
  return result;
}

}  // namespace bench
