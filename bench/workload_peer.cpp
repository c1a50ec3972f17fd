// A contender of `skua bench --workloads`: runs the unchanged programs of workloads/ on one runtime. The size is 0, 1
// or 2 for ci, med or paper. It is compiled with skua itself, and with another runtime behind skua's interface
// (shims/).
#include <skua/skua.hpp>

#include <stdexcept>

#include "protocol.hpp"
#include "workloads/common/workload.hpp"

#ifdef BENCH_SKUA
namespace shim {
template <class F>
void on(int workers, F&& f) {
  skua::scheduler pool({.workers = workers});
  pool.run(f);
}
}  // namespace shim
#endif

namespace {

bench::outcome run(const workloads::workload& what, const bench::request& asked) {
  if (asked.size > 2) throw std::invalid_argument("--size must be 0, 1 or 2, for ci, med or paper");
  const auto program = what.make({.size = static_cast<workloads::size_class>(asked.size)});
  bench::outcome result;
  const auto compute = [&] {
#ifdef BENCH_SERIAL
    program->sequential();
#else
    program->parallel();
#endif
  };
  shim::on(asked.workers,
           [&] { result.seconds = bench::measure(asked, 1, [&] { program->prepare(); }, compute); });
  const workloads::answer_check v = program->verify();
  result.check = v.correct ? "" : v.message;
  result.verified = v.correct;
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::peer_main(argc, argv, BENCH_PEER, [](const bench::request&) {
    std::map<std::string, bench::kernel> kernels;
    for (const workloads::workload* what : workloads::all())
      kernels[std::string(what->name)] = {0,
                                          [what](const bench::request& asked) { return run(*what, asked); }};
    return kernels;
  });
}
