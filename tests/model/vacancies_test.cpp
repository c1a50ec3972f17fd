// Guests and places: nobody sleeps beside a free place, and one holds it at a time.
#include <utility>

#include "core/vacancies.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

using P = checked_platform;

// Holders free their places as leave_worker() does; guests take one as take_worker() does, and leave it again.
template <class Self, int Places, int Guests>
struct visited : scenario<Self, Places + Guests> {
  core::tenure<P> places[Places];
  rl::var<int> visits[Places];  // belongs to who holds the place
  core::external_thread_count<P> waiting;
  core::vacancies<P> free;

  visited() {
    for (int i = 0; i < Places; ++i) {
      places[i].try_hold();
      AT(visits[i]) = 0;
    }
  }
  void leave(int i) {
    AT(visits[i]) = AT(visits[i]) + 1;
    places[i].release();
    if (waiting.any()) free.offer();
  }
  void visit() {
    int mine = 0;
    free.wait(waiting, [&] {
      for (mine = 0; mine < Places; ++mine)
        if (places[mine].try_hold()) return true;
      return false;
    });
    leave(mine);
  }
  void thread(unsigned i) {
    if (i < Places)
      leave(static_cast<int>(i));
    else
      visit();
  }
  void after() {
    int sum = 0;
    for (int i = 0; i < Places; ++i) {
      RL_ASSERT(places[i].try_hold());
      sum += AT(visits[i]);
    }
    RL_ASSERT(sum == Places + Guests);
    RL_ASSERT(!waiting.any());
  }
};
struct one_external_thread : visited<one_external_thread, 1, 1> {};
struct two_external_threads : visited<two_external_threads, 1, 2> {};
struct three_external_threads : visited<three_external_threads, 1, 3> {};
struct two_places : visited<two_places, 2, 2> {};

// A guest that tries first and only then says that it waits.
struct tries_before_it_says_so : visited<tries_before_it_says_so, 1, 1> {
  void thread(unsigned i) {
    if (i == 0) return leave(0);
    bool late = places[0].try_hold();
    free.wait(waiting, [&] { return std::exchange(late, true); });
    leave(0);
  }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  constexpr const char* late =
      "Keeps the look at the places behind that at the word, which Relacy never lets return what is stored "
      "later.";
  return mutant_test({{"vacancies.hpp"}, {}},
                     {{"one guest", &run_random<one_external_thread>},
                      {"two guests", &run_random<two_external_threads>},
                      {"three guests", &run_random<three_external_threads>},
                      {"two places", &run_random<two_places>}},
                     {{"wait", "load", "acquire -> relaxed", 1, late},
                      {"offer", "fetch_add", "release -> relaxed", 1, late}},
                     {{"tries before it says so", &run_random<tries_before_it_says_so>}})
      .run(30000, 30000);
}
