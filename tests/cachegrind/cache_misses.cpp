// Runs a workload on one worker, so that its cache misses can be counted:
// cache_misses prepare|run ROUNDS NAME [OPTION=VALUE]...
//
// `prepare` only makes the input. Results are not verified. On a simulated machine (SKUA_SIMULATE) the program prints the
// misses of each cache on a line of its own, beginning with the first level.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const bool run = std::strcmp(argv[1], "run") == 0;
  const workloads::workload* const found = workloads::find(argv[3]);
  if (found == nullptr) return 2;
  workloads::parameters asked;
  for (int i = 4; i < argc; ++i) {
    const std::string setting = argv[i];
    asked.options[setting.substr(0, setting.find('='))] = setting.substr(setting.find('=') + 1);
  }
  const auto program = found->make(asked);
  skua::scheduler pool({.workers = 1});
  for (int round = 0; round < std::atoi(argv[2]); ++round) {
    program->prepare();
    if (run) pool.run([&] { program->parallel(); });
  }
  if (!pool.is_simulated()) return 0;
  for (const skua::simulated_cache& cache : pool.simulated().caches)
    std::printf("%llu\n", static_cast<unsigned long long>(cache.demand_misses));
}
