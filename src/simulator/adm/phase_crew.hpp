// The workers of a machine with a substrate that have taken part in a phase and stand by for the next one.
//
// In the ADM paper a phase is a loop around dequeue() that every thread runs. All threads are present when the next
// phase begins, and none needs a call. Here an idle worker stands by: for some time after a phase, and from the start
// of the program until it first forks. A worker that is summoned joins at once. On hardware for tasks it would already
// have waited there; on a software substrate it fetches the line of one word, which announces the phase. A worker that
// stands by runs nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/topology.hpp>

#include "core/platform/platform.hpp"

namespace skua::simulator {

class engine_machine;

class phase_crew {
 public:
  using run_state = skua::detail::phase_base::run_state;

  phase_crew(engine_machine& simulated_machine, bool begins_through_memory)
      : machine_(simulated_machine), through_memory_(begins_through_memory) {}

  // As core::simulated_machine specifies.
  void took_part();
  bool stand_by(std::uint32_t worker);
  std::size_t summon(run_state& run);
  bool wait_for_summoned(run_state& run, bool (*is_wanted)());
  void dismiss(const run_state& run);

  /// The program forks, so workers that have not been in a phase yet stop standing by.
  void fork_happens() noexcept;
  /// An external thread needs a worker, so one stops standing by.
  void let_one_go() noexcept;

 private:
  /// fresh: not in a phase yet; took_part: in one; left: stood by in vain since its last phase.
  enum class membership : std::uint8_t { fresh, took_part, left };

  membership& membership_of(worker_id thread);

  struct member {
    worker_id thread;
    std::uint32_t worker;
    run_state* run = nullptr;
  };
  struct summoned {
    run_state* run;
    worker_id caller;  // the thread that waits for them; not always the one that summoned
    std::size_t there;
    bool ended = false;       // its members leave
    bool notify_run = false;  // the last to leave calls run.all_summoned_left()
  };

  std::vector<summoned>::iterator find(const run_state& run);
  void leave(const run_state& run);

  engine_machine& machine_;
  const bool through_memory_;
  std::vector<membership> memberships_;  // by the engine's thread number
  bool forked_ = false;                  // so fresh workers no longer stand by
  std::vector<member*> waiting_;         // in the order of their arrival
  std::vector<summoned> running_;        // including nested runs
  alignas(skua::detail::line_pair) core::shared<std::uint64_t> begun_{0};
};

}  // namespace skua::simulator
