// The log of events. A thread that reads while the owner writes must see only whole events, in order, and each only once.
#include "observe/event_log.hpp"

#include "mutants.hpp"

// Relacy replaces new, but only the form of delete without a size. A log that grows allocates inside a schedule.
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }
void operator delete[](void* p, std::size_t) noexcept { operator delete[](p); }

namespace skua::model {
namespace {

// A plain word that the log copies. Relacy checks its reads and writes for races.
struct checked_event {
  rl::var<int> number;
  checked_event() = default;
  explicit checked_event(int n) { AT(number) = n; }
  checked_event& operator=(const checked_event& other) {
    AT(number) = static_cast<int>(AT(other.number));
    return *this;
  }
};

using log_of_two = observe::event_log<checked_platform, checked_event, 2>;

template <class Self>
struct written_and_read : scenario<Self, 2> {
  log_of_two log{3};  // its second piece is allocated while the other thread reads

  int read() {
    int seen = 0;
    log.read([&](const checked_event& e) { RL_ASSERT(AT(e.number) == ++seen); });
    return seen;
  }
};

struct while_written : written_and_read<while_written> {
  void thread(unsigned i) {
    if (i == 0) {
      for (int n = 1; n <= 3; ++n) log.add(checked_event(n));
    } else {
      const int first = read();
      RL_ASSERT(read() >= first);
    }
  }
  void after() { RL_ASSERT(read() == 3); }
};

struct full : written_and_read<full> {
  void thread(unsigned i) {
    if (i == 0)
      for (int n = 1; n <= 5; ++n) log.add(checked_event(n));
    else
      read();
  }
  void after() {
    RL_ASSERT(read() == 3);
    RL_ASSERT(log.lost() == 2);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"event_log.hpp"}, {}},
                     {{"read while written", &run_random<while_written>}, {"a full log", &run_random<full>}},
                     {})
      .run(20'000, 20'000);
}
