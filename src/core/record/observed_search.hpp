// What a search tells the observer. A search (worker_loop.cpp) does the steps of the idle protocol and knows of no observer.
// observed_search<Search> takes its place in the protocol, tells the observer about each step, and lets the search do it.
#pragma once

#include <utility>

#include "core/record/observed.hpp"

namespace skua::core {

/// `Search` derives from idle_search<..., observed_search<Search>, ...>.
template <class Search>
class observed_search final : public Search {
 public:
  using Search::Search;

  auto run() {
    observer().search_begins();
    auto task = Search::run();
    observer().search_ends(static_cast<bool>(task));
    return task;
  }

  // The steps, as idle_search asks for them.

  void restart() {
    observer().search_restarts();
    Search::restart();
  }
  void awaits_call() {
    observer().enters(activity::waiting);
    Search::awaits_call();
    observer().enters(activity::looking);
  }
  auto ask_policy() {
    observer().asks_policy();
    auto task = Search::ask_policy();
    observer().policy_answered(static_cast<bool>(task));
    return task;
  }
  void steps_aside() { observer().enters(activity::waiting); }
  void returned(bool displaced) {
    if (displaced) observer().search_restarts();
    Search::returned(displaced);
    observer().enters(activity::looking);
  }
  void falls_asleep() {
    observer().enters(activity::asleep);
    Search::falls_asleep();
  }
  void stays_awake() {
    observer().enters(activity::looking);
    Search::stays_awake();
  }
  observed_sleep observe_sleep() { return observed_sleep(this->here_); }
  void slept(bool work) {
    observer().search_restarts();
    Search::slept(work);
  }

 private:
  worker_observer& observer() noexcept { return this->here_.observer; }
};

}  // namespace skua::core
