// Sums that are restarted while their writer adds to them. Nothing from before the restart may count afterwards.
#include "observe/new_beginning.hpp"

#include "mutants.hpp"

namespace skua::model {
namespace {

constexpr std::uint64_t before = 1000, asked_at = 100;

/// A writer of one sum, which is large before a thread requests a restart, as in src/observe/stopwatch.hpp.
template <class Self>
struct one_sum : scenario<Self, 3> {
  observe::new_beginning<checked_platform> beginning;
  atomic<std::uint64_t> sum;

  one_sum() { sum.store(before, std::memory_order_relaxed); }
  void add() {
    beginning.if_due([&] {
      RL_ASSERT(beginning.at() == asked_at);
      sum.store(0, std::memory_order_relaxed);
    });
    sum.store(sum.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  std::uint64_t read() const { return beginning.is_due() ? 0 : sum.load(std::memory_order_relaxed); }
};

/// The thread that requests the restart reads afterwards.
struct asked_for : one_sum<asked_for> {
  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < 3; ++n) add();
    } else if (i == 1) {
      beginning.ask(asked_at);
      RL_ASSERT(read() <= 3);
      RL_ASSERT(read() <= 3);
    }
  }
  void after() {
    add();
    RL_ASSERT(read() <= 4);
  }
};

/// The thread that reads learns of the restart from another variable.
struct heard_of : one_sum<heard_of> {
  atomic<int> told;
  heard_of() { told.store(0, std::memory_order_relaxed); }
  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 0; n < 2; ++n) add();
    } else if (i == 1) {
      beginning.ask(asked_at);
      told.store(1, std::memory_order_release);
    } else if (told.load(std::memory_order_acquire) == 1) {
      RL_ASSERT(read() <= 2);
    }
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"new_beginning.hpp"}, {}},
                     {{"asked for", &run_random<asked_for>}, {"heard of", &run_random<heard_of>}}, {})
      .run(20'000, 20'000);
}
