// External threads and workers: no external thread may sleep while a worker is free, and only one thread may hold a worker
// at a time.
#include <utility>

#include "core/external/vacancies.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// Holders free their workers like leave_worker(). External threads take a worker like take_worker() and leave it again.
template <class Self, int Workers, int Threads>
struct visited : scenario<Self, Workers + Threads> {
  core::tenure<P> workers[Workers];
  rl::var<int> visits[Workers];  // belongs to the holder of the worker
  core::waiting_external_threads<P> waiting;
  core::vacancies<P> free;

  visited() {
    for (int i = 0; i < Workers; ++i) {
      workers[i].try_hold();
      AT(visits[i]) = 0;
    }
  }
  void leave(int i) {
    AT(visits[i]) = AT(visits[i]) + 1;
    workers[i].release();
    if (waiting.any()) free.offer();
  }
  void visit(bool comes_back = false) {
    int mine = 0;
    const auto take = [&] {
      for (mine = 0; mine < Workers; ++mine)
        if (workers[mine].try_hold()) return true;
      return false;
    };
    if (comes_back)
      free.wait_to_come_back(waiting, take);
    else
      free.wait(waiting, [&](bool may) { return may && take(); });
    leave(mine);
  }
  void thread(unsigned i) {
    if (i < Workers)
      leave(static_cast<int>(i));
    else
      visit();
  }
  void after() {
    int sum = 0;
    for (int i = 0; i < Workers; ++i) {
      RL_ASSERT(workers[i].try_hold());
      sum += AT(visits[i]);
    }
    RL_ASSERT(sum == Workers + Threads);
    RL_ASSERT(!waiting.any());
  }
};
struct one_external_thread : visited<one_external_thread, 1, 1> {};
struct two_external_threads : visited<two_external_threads, 1, 2> {};
struct three_external_threads : visited<three_external_threads, 1, 3> {};
struct two_workers : visited<two_workers, 2, 2> {};
// Threads that take a worker again, and perhaps other threads in line.
template <class Self, int Workers, int Back, int InLine>
struct visited_again : visited<Self, Workers, Back + InLine> {
  void thread(unsigned i) {
    if (i < Workers)
      this->leave(static_cast<int>(i));
    else
      this->visit(i < Workers + Back);
  }
};
struct one_comes_back : visited_again<one_comes_back, 1, 1, 0> {};
struct two_come_back : visited_again<two_come_back, 1, 2, 0> {};
struct some_come_back : visited_again<some_come_back, 1, 2, 1> {};

// A thread that also waits for something else, which ends at once.
struct one_beside : visited<one_beside, 1, 2> {
  void thread(unsigned i) {
    if (i < 2) return i == 0 ? leave(0) : visit();
    bool taken = false;
    free.wait_beside(waiting, [&](bool may) { return taken = may && workers[0].try_hold(); });
    leave(0);
  }
};

// Planted mistake: an external thread tries to take a worker before it announces that it waits.
struct tries_before_it_announces_itself : visited<tries_before_it_announces_itself, 1, 1> {
  void thread(unsigned i) {
    if (i == 0) return leave(0);
    bool late = workers[0].try_hold();
    free.wait(waiting, [&](bool) { return std::exchange(late, true); });
    leave(0);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* is_free_needs_no_help =
      "In Relacy a seq_cst load sees the newest store, so tenure::is_free() needs no help.";
  return mutant_test({{"vacancies.hpp"}, {}},
                     {{"one external thread", &run_random<one_external_thread>},
                      {"two external threads", &run_random<two_external_threads>},
                      {"three external threads", &run_random<three_external_threads>},
                      {"two workers", &run_random<two_workers>},
                      {"one comes back", &run_random<one_comes_back>},
                      {"two come back", &run_random<two_come_back>},
                      {"some come back", &run_random<some_come_back>},
                      {"one waits beside the line", &run_random<one_beside>}},
                     {{"wait_to_come_back", "load", "acquire -> relaxed", 0, is_free_needs_no_help},
                      {"wait_beside", "load", "acquire -> relaxed", 0, is_free_needs_no_help}},
                     {{"tries before it announces itself", &run_random<tries_before_it_announces_itself>}})
      .run(30000, 30000);
}
