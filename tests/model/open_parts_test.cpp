// The parts of a bundle of group tasks: the last part that ends sees the results of all, and may free the bundle at once.
#include <optional>

#include "core/dealing/open_parts.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// One thread runs the whole bundle and splits parts off. The first of them splits off another one, as a worker that was called
// hands on. `started` stands for the call box.
template <class Self, int Parts>
struct bundle : scenario<Self, Parts + 1> {
  std::optional<core::open_parts<P>> all{std::in_place}, inner{std::in_place};
  rl::var<int> results[Parts + 1];
  atomic<int> started[Parts + 1];
  atomic<int> lasts;

  bundle() {
    lasts.store(0, std::memory_order_relaxed);
    for (auto& s : started) s.store(0, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i != 0)
      while (!started[i].load(std::memory_order_acquire)) P::relax();
    if (i == 0) {
      for (int k = 1; k <= (Parts == 3 ? 2 : Parts); ++k) start(*all, k);
    } else if (Parts == 3 && i == 1) {
      start(*inner, 3);
    }
    AT(results[i]) = 10 + static_cast<int>(i);
    if (Parts == 3 && (i == 1 || i == 3)) {
      if (!inner->ended()) return;
      RL_ASSERT(AT(results[1]) == 11 && AT(results[3]) == 13);
      inner.reset();
    }
    ends();
  }
  void start(core::open_parts<P>& of, int k) {
    of.split_off();
    started[k].store(1, std::memory_order_release);
  }
  void ends() {
    if (!all->ended()) return;
    for (int k = 0; k <= Parts; ++k) RL_ASSERT(AT(results[k]) == 10 + k);
    lasts.fetch_add(1, std::memory_order_relaxed);
    all.reset();
  }
  void after() { RL_ASSERT(lasts.load(std::memory_order_relaxed) == 1); }
};
struct one_part : bundle<one_part, 1> {};
struct two_parts : bundle<two_parts, 2> {};
struct a_part_of_a_part : bundle<a_part_of_a_part, 3> {};

// Planted mistake: a part is split off after the other thread has it.
struct counts_too_late : scenario<counts_too_late, 2> {
  core::open_parts<P> all;
  atomic<int> started;
  rl::var<int> results[2];
  counts_too_late() { started.store(0, std::memory_order_relaxed); }
  void thread(unsigned i) {
    if (i == 0) {
      started.store(1, std::memory_order_release);
      all.split_off();
    } else {
      while (!started.load(std::memory_order_acquire)) P::relax();
    }
    AT(results[i]) = 10 + static_cast<int>(i);
    if (!all.ended()) return;
    for (int k = 0; k < 2; ++k) RL_ASSERT(AT(results[k]) == 10 + k);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"open_parts.hpp"}, {}},
                     {{"one part is split off", &run_random<one_part>},
                      {"two parts are split off", &run_random<two_parts>},
                      {"a part is split off from a part", &run_random<a_part_of_a_part>}},
                     {}, {{"the part is counted after another thread has it", &run_random<counts_too_late>}})
      .run(100000, 50000);
}
