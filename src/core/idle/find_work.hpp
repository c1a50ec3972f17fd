// The order in which a worker without a task looks at the sources of work. worker_loop.cpp and the model tests
// (tests/model/idle_test.cpp) run this code.
#pragma once

namespace skua::core {

/// Each source does what there is and returns true, or it returns false. The last one asks the steal policy until there is
/// something to do, and sleeps meanwhile.
template <class Sources>
bool find_work(Sources from) {
  return from.continue_ready_stack()            // it holds memory, and other tasks wait for its end
         || from.lend_worker()                  // an external thread waits for a worker
         || from.run_own_task()                 // newest first: warm in the cache, no traffic
         || from.take_from_inbox()              // tasks of external threads
         || from.run_join_of_suspended_stack()  // of a stack that was suspended here
         || from.end_thread()                   // the scheduler stops
         || from.take_part_in_phase()           // on a simulated machine with a substrate
         || from.run_stolen_task();             // searches, and sleeps while there is nothing
}

}  // namespace skua::core
