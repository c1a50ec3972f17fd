// The skua runtime, called from main as a user would call it.
#pragma once

#include <skua/skua.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace bench {

struct runtime {
  explicit runtime(int workers) { skua::configure_default_scheduler({.workers = workers}); }

  template <class F>
  void enter(F f) {
    f();
  }
  template <class F>
  void in_task(F f) {
    skua::default_scheduler().run(f);
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
  template <class Map>
  [[gnu::always_inline]] std::int64_t reduce(std::int64_t n, Map&& map) {
    return skua::parallel_reduce(std::int64_t{0}, n, std::int64_t{0}, map, std::plus<>{});
  }
  template <class Body>
  void rendezvous(Body&& body) {
    skua::parallel_for(0, 2, [&](auto) { body(); });
  }
  struct sweep {
    explicit sweep(runtime&) {}
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

}  // namespace bench
