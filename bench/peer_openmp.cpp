// The OpenMP contender.
#include <memory>

// clang-format off: the runtime must come first
#include "openmp_runtime.hpp"
#include "forks.hpp"
// clang-format on
#include "suite.hpp"

int main(int argc, char** argv) {
  std::unique_ptr<bench::suite<bench::runtime>> suite;
  return bench::peer_main(argc, argv, BENCH_PEER, [&](const bench::request& asked) {
    suite = std::make_unique<bench::suite<bench::runtime>>(asked.workers);
    return suite->kernels();
  });
}
