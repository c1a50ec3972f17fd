// The counts of idle workers, as one group and in groups. The numbers never wrap and are exact in the end. No sleeper is
// missing. A thread that publishes work and reads that a worker searches can rely on it. So can one that relies on a group.
#include "core/idle/idle_counts.hpp"

#include <array>
#include <utility>

#include "core/idle/sleepers.hpp"
#include "mutants.hpp"

namespace skua::model {
namespace {

/// A platform that checks an order that Relacy does not model: what the first searcher of a group adds to the larger group
/// must come before what the last one takes away there, or that count would wrap. Relacy lets no read-modify-write overtake
/// another one. So the first searcher also writes a plain variable after its addition, and the last one reads that variable
/// before its subtraction. Relacy reports a data race if nothing orders the two.
struct paired_platform : checked_platform {
  template <class T>
  class atomic : public model::atomic<T> {
    using base = model::atomic<T>;

   public:
    T fetch_add(T v, std::memory_order order, site at = site::here()) {
      const T before = base::fetch_add(v, order, at);
      if (rl::var<int>* const pair = take_pair()) AT((*pair)) = 1;
      if (is_group && before == 0) {
        RL_ASSERT(count_ < most_pairs);
        pair_of_thread() = &pairs_[count_++];
      }
      return before;
    }
    T fetch_sub(T v, std::memory_order order, site at = site::here()) {
      if (rl::var<int>* const pair = take_pair()) RL_ASSERT(AT((*pair)) == 1);
      const T before = base::fetch_sub(v, order, at);
      if (is_group && before == 1) pair_of_thread() = &pairs_[count_ - 1];
      return before;
    }

   private:
    static constexpr bool is_group = sizeof(T) == 4;  // the root has 64 bits
    static constexpr int most_pairs = is_group ? 32 : 1;

    // The next operation of a thread that was the first or last of a group is at the larger group.
    static rl::var<int>*& pair_of_thread() { return pairs_of_threads[rl::ctx().current_thread()]; }
    static rl::var<int>* take_pair() { return std::exchange(pair_of_thread(), nullptr); }

    rl::var<int> pairs_[most_pairs];
    int count_ = 0;
  };
  static inline rl::var<int>* pairs_of_threads[max_threads];
};
using P = paired_platform;

// Where the workers of a scenario are.
template <std::size_t GroupSize, std::size_t Workers, std::size_t... Numbers>
struct arrangement {
  static constexpr std::size_t group_size = GroupSize, workers = Workers;
  static constexpr std::size_t at(unsigned i) { return std::array{Numbers...}[i]; }
};
using one_group = arrangement<8, 4, 0, 1, 2, 3>;
using groups_of_two = arrangement<2, 4, 0, 1, 2, 3>;
using groups_apart = arrangement<2, 8, 0, 2, 4, 7>;    // two levels of groups
using a_level_shared = arrangement<2, 8, 0, 1, 3, 2>;  // the same larger group
using unequal_groups = arrangement<2, 3, 0, 1, 2>;

template <class Self, class Where, int Threads>
struct counted : scenario<Self, Threads> {
  core::idle_counts<P, Where::group_size> counts;

  counted() {
    counts.use_groups(Where::workers);
    for (auto& pair : P::pairs_of_threads) pair = nullptr;
  }
  core::idle_count look() {
    const core::idle_count now = counts.read();
    RL_ASSERT(now.searching <= Where::workers && now.sleeping <= Where::workers);
    return now;
  }
  void expect(std::uint32_t searching, std::uint32_t sleeping) {
    const core::idle_count now = look();
    RL_ASSERT(now.searching == searching && now.sleeping == sleeping);
  }
};

// Each thread is a worker that searches, and perhaps sleeps. While it sleeps it is counted.
template <class Where, int Threads>
struct changes : counted<changes<Where, Threads>, Where, Threads> {
  void thread(unsigned i) {
    const std::size_t me = Where::at(i);
    for (unsigned round = rl::rand(2); round < 2; ++round) {
      this->counts.begin_search(me);
      this->look();
      if (rl::rand(2) == 0) {
        this->counts.falls_asleep(me);
        RL_ASSERT(this->look().sleeping != 0);
        this->counts.wakes(me);
      }
      this->counts.end_search(me);
    }
  }
  void after() { this->expect(0, 0); }
};

// At the end one worker searches, one sleeps, and one does neither. Groups that search are counted once.
template <class Where, int Searching>
struct remain : counted<remain<Where, Searching>, Where, 3> {
  void thread(unsigned i) {
    const std::size_t me = Where::at(i);
    this->counts.begin_search(me);
    if (i == 0) this->counts.falls_asleep(me);
    if (i == 1) this->counts.end_search(me);
    if (i == 1) this->counts.begin_search(me);
  }
  void after() {
    this->expect(Searching, 1);
    this->counts.wakes(Where::at(0));
    this->counts.end_search(Where::at(0));
    this->counts.end_search(Where::at(1));
    this->counts.end_search(Where::at(2));
    this->expect(0, 0);
  }
};

// A worker without neighbours falls asleep and wakes, and always counts as something. A worker of another group begins and
// ends its search meanwhile.
template <class Where>
struct never_nothing : counted<never_nothing<Where>, Where, 3> {
  never_nothing() { this->counts.begin_search(Where::at(2)); }
  void thread(unsigned i) {
    const std::size_t me = Where::at(2 - i);
    if (i == 0) {
      for (int round = 0; round < 2; ++round) {
        falls_asleep(me);
        wakes(me);
      }
    } else if (i == 1) {
      this->counts.begin_search(me);
      this->counts.end_search(me);
    } else {
      for (int looks = 0; looks < 4; ++looks) RL_ASSERT(this->look().any());
    }
  }
  void falls_asleep(std::size_t me) { this->counts.falls_asleep(me); }
  void wakes(std::size_t me) { this->counts.wakes(me); }
  void after() { this->expect(1, 0); }
};
// Another thread that knows that a worker sleeps sees it in the count, while a neighbour searches.
template <class Where>
struct seen_asleep : counted<seen_asleep<Where>, Where, 3> {
  enum : int { not_yet, asleep, seen };
  model::atomic<int> state;
  seen_asleep() { state.store(not_yet, std::memory_order_relaxed); }

  void thread(unsigned i) {
    const std::size_t me = Where::at(i);
    if (i == 2) {
      while (state.load(std::memory_order_acquire) != asleep) P::relax();
      RL_ASSERT(this->look().sleeping == 1);
      return state.store(seen, std::memory_order_release);
    }
    this->counts.begin_search(me);
    if (i == 0) {
      this->counts.falls_asleep(me);
      state.store(asleep, std::memory_order_release);
      while (state.load(std::memory_order_acquire) != seen) P::relax();
      this->counts.wakes(me);
    }
    this->counts.end_search(me);
  }
  void after() { this->expect(0, 0); }
};

// Planted mistake: a worker stops searching before it counts as a sleeper.
struct nothing_for_a_moment : counted<nothing_for_a_moment, unequal_groups, 2> {
  nothing_for_a_moment() { counts.begin_search(2); }
  void thread(unsigned i) {
    if (i == 1) {
      RL_ASSERT(look().any());
      return;
    }
    counts.end_search(2);
    counts.add_sleeper();
  }
};

// sleepers::restore() and begin_running(): the external thread sees that a task runs, or its worker sees the sleeper.
struct restored : counted<restored, one_group, 2> {
  model::atomic<bool> running;
  rl::var<bool> saw[2];
  restored() { running.store(false, std::memory_order_relaxed); }

  void thread(unsigned i) {
    if (i == 0) {
      counts.add_sleeper();
      AT(saw[0]) = running.load(std::memory_order_seq_cst);
    } else {
      running.store(true, std::memory_order_seq_cst);
      AT(saw[1]) = look().sleeping == 1;
    }
  }
  void after() {
    RL_ASSERT(AT(saw[0]) || AT(saw[1]));
    counts.remove_sleeper();
    expect(0, 0);
  }
};

// Publishers publish one job each, and wake a sleeper if no worker searches. Each worker takes one job and then does nothing
// more. So a publisher may rely on a worker that takes another job, and this worker must then wake a sleeper. All jobs must
// be taken: a worker that sleeps forever is a deadlock.
template <class Self, class Where, int Publishers, int Workers>
struct relied_on : scenario<Self, Publishers + Workers> {
  core::sleepers<P, Where::group_size> idle{Where::workers};
  model::atomic<int> jobs[Workers];
  bool hands_on = true;                 // a worker that was the last searcher wakes a sleeper
  bool some_search = rl::rand(2) != 0;  // workers search before a job is published

  relied_on() {
    idle.use_groups(Where::workers);
    for (auto& pair : P::pairs_of_threads) pair = nullptr;
    for (auto& j : jobs) j.store(0, std::memory_order_relaxed);
    for (int j = Publishers; j < Workers; ++j) jobs[j].store(1, std::memory_order_relaxed);
  }
  void thread(unsigned i) {
    if (i < Workers)
      work(Where::at(i));
    else
      publish(jobs[i - Workers]);
  }
  void publish(model::atomic<int>& job) {
    if (some_search)
      while (!idle.count().any()) P::relax();
    job.store(1, std::memory_order_relaxed);
    P::light_fence();
    if (idle.must_wake()) wake_any();
  }
  void wake_any() {
    for (int i = 0; i < Workers; ++i)
      if (idle.is_asleep(Where::at(i)) && idle.wake(Where::at(i))) return;
  }
  bool any_job() {
    for (auto& j : jobs)
      if (j.load(std::memory_order_relaxed) == 1) return true;
    return false;
  }
  bool take_job() {
    for (auto& j : jobs)
      if (j.load(std::memory_order_relaxed) == 1 && j.exchange(2, std::memory_order_relaxed) == 1)
        return true;
    return false;
  }
  void work(std::size_t me) {
    idle.begin_search(me);
    while (!take_job()) {
      if (rl::rand(2) == 0)
        P::relax();
      else
        sleep(me);
    }
    if (idle.end_search(me) && hands_on) wake_any();
  }
  // idle_search::sleep()
  void sleep(std::size_t me) {
    idle.park(me);
    P::heavy_fence();  // request_all() has another one before, for the limits of the queues
    if (any_job()) return idle.unpark(me);
    auto& word = idle.word(me);
    for (std::uint32_t state; (state = word.load(std::memory_order_acquire)) != idle.awake;)
      P::park(word, state);
  }
  void after() {
    RL_ASSERT(!take_job());
    RL_ASSERT(!idle.count().any());
  }
};
template <class Where>
struct two_jobs : relied_on<two_jobs<Where>, Where, 2, 2> {};
template <class Where>
struct three_workers : relied_on<three_workers<Where>, Where, 1, 3> {};
// Planted mistake: the last searcher wakes no sleeper.
struct not_handed_on : relied_on<not_handed_on, unequal_groups, 2, 2> {
  not_handed_on() { hands_on = false; }
};

}  // namespace
}  // namespace skua::model

int main() {
  using namespace skua::model;
  return mutant_test({{"idle_counts.hpp"},
                      {"sleepers.hpp:end_search", "sleepers.hpp:wake", "sleepers.hpp:unpark",
                       "idle_counts_test.cpp:publish", "idle_counts_test.cpp:sleep"}},
                     {{"changes, one group", &run_random<changes<one_group, 3>>},
                      {"changes, groups of two", &run_random<changes<groups_of_two, 4>>},
                      {"changes, two levels", &run_random<changes<a_level_shared, 4>>},
                      {"changes, two levels, groups apart", &run_random<changes<groups_apart, 4>>},
                      {"what remains, one group", &run_random<remain<one_group, 2>>},
                      {"what remains, groups of two", &run_random<remain<groups_of_two, 2>>},
                      {"what remains, two levels", &run_random<remain<a_level_shared, 1>>},
                      {"never nothing, one group", &run_random<never_nothing<one_group>>},
                      {"never nothing, groups", &run_random<never_nothing<unequal_groups>>},
                      {"never nothing, two levels", &run_random<never_nothing<groups_apart>>},
                      {"seen asleep, one group", &run_random<seen_asleep<one_group>>},
                      {"seen asleep, groups", &run_random<seen_asleep<groups_of_two>>},
                      {"restored", &run_random<restored>},
                      {"two jobs, one group", &run_random<two_jobs<one_group>>},
                      {"two jobs, neighbours", &run_random<two_jobs<groups_of_two>>},
                      {"two jobs, two levels", &run_random<two_jobs<groups_apart>>},
                      {"three workers, one group", &run_random<three_workers<one_group>>},
                      {"three workers, groups", &run_random<three_workers<unequal_groups>>},
                      {"three workers, two levels", &run_random<three_workers<a_level_shared>>}},
                     {},
                     {{"nothing for a moment", &run_random<nothing_for_a_moment>},
                      {"the last searcher wakes no sleeper", &run_random<not_handed_on>}})
      .run(30000, 30000);
}
