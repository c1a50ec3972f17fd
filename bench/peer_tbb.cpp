// The oneTBB contender.
#include <memory>

// clang-format off: the runtime must come first
#include "tbb_runtime.hpp"
#include "forks.hpp"
// clang-format on
#include "suite.hpp"

int main(int argc, char** argv) {
  std::unique_ptr<bench::suite<bench::runtime>> suite;
  return bench::peer_main(argc, argv, "tbb", [&](const bench::request& asked) {
    suite = std::make_unique<bench::suite<bench::runtime>>(asked.workers);
    return suite->kernels();
  });
}
