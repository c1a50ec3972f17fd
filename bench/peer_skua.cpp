// skua, called from main as a user would.
#include <memory>
#include <skua/skua.hpp>

#include "suite.hpp"

namespace {

struct skua_runtime {
  explicit skua_runtime(int workers) { skua::scheduler::configure_standard({.workers = workers}); }

  template <class F>
  void enter(F f) {
    f();
  }
  template <class F, class G>
  [[gnu::always_inline]] static auto join(F&& f, G&& g) {
    return skua::join(std::forward<F>(f), std::forward<G>(g));
  }
  template <class F, class G>
  [[gnu::always_inline]] static void both(F&& f, G&& g) {
    skua::join(std::forward<F>(f), std::forward<G>(g));
  }
  template <class Body>
  [[gnu::always_inline]] static void children(std::int64_t n, Body&& body) {
    skua::parallel_for(std::int64_t{0}, n, body);
  }
  template <class Body>
  [[gnu::always_inline]] static void tasks(std::int64_t n, Body&& body) {
    skua::task_group group;
    for (std::int64_t i = 0; i < n; ++i) group.run([i, &body] { body(i); });
    group.wait();
  }
  template <class Body>
  [[gnu::always_inline]] void loop(std::int64_t n, Body&& body) {
    skua::parallel_for(std::int64_t{0}, n, body);
  }
  template <class Body>
  void rendezvous(Body&& body) {
    skua::parallel_for(0, 2, [&](auto) { body(); });
  }
  struct sweep {
    explicit sweep(skua_runtime&) {}
    template <class Body>
    void rows(std::int64_t first, std::int64_t last, std::int64_t grain, Body&& body) {
      skua::parallel_for(skua::blocked(first, last, grain), body);
    }
  };
  using group = skua::task_group;
  template <class T>
  class local {
   public:
    T& here() { return values_.local(); }
    template <class F>
    void for_each(F f) {
      values_.for_each(f);
    }

   private:
    skua::per_worker<T> values_;
  };
};

std::int64_t fib(skua::worker& w, std::int64_t n) {
  if (n < 2) return n;
  auto [a, b] = skua::join(
      w, [=](skua::worker& on) { return fib(on, n - 1); }, [=](skua::worker& on) { return fib(on, n - 2); });
  return a + b;
}

std::int64_t fib_with_worker(std::int64_t n) {
  std::int64_t value = 0;
  skua::join([&](skua::worker& w) { value = fib(w, n); }, [] {});  // the way to a first worker
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  std::unique_ptr<bench::suite<skua_runtime>> suite;
  return bench::peer_main(
      argc, argv, BENCH_PEER,
      [&](const bench::request& asked) {
        suite = std::make_unique<bench::suite<skua_runtime>>(asked.workers);
        auto kernels = suite->kernels();
        kernels["fib_worker"] = {32,
                                 [&](const bench::request& r) { return suite->run_fib(r, fib_with_worker); }};
        return kernels;
      },
      [] {
        const skua::counters total = skua::scheduler::standard().report().total;
        return bench::steal_counts{static_cast<std::int64_t>(total.steals),
                                   static_cast<std::int64_t>(total.remote_steals)};
      });
}
