// The workers of a machine with a substrate that have taken part in a phase and stand by for the next one.
//
// In the ADM paper a phase is a loop around dequeue() that every thread runs. All threads are present when the next
// phase begins, and none needs a call. Here an idle worker stands by: for some time after a phase, and from the start
// of the program until it first forks. A worker that is summoned joins at once. On hardware for tasks it would already
// have waited there; on a software substrate it fetches the line of one word, which announces the phase. A worker that
// stands by runs nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <skua/detail/phase_core.hpp>
#include <skua/topology.hpp>

#include "core/platform/phase_hardware.hpp"
#include "core/platform/platform.hpp"

namespace skua::simulator {

class engine_machine;
class substrate;

class phase_crew final : public core::phase_hardware {
 public:
  phase_crew(engine_machine& simulated_machine, std::unique_ptr<substrate> hardware);
  ~phase_crew();

  std::unique_ptr<run_state> make_phase(const phase_options& options, skua::detail::phase_work& work,
                                        std::atomic<bool>& stopped,
                                        const core::scheduler_core& pool) override;
  void reduce_parts(std::size_t threads) noexcept override;
  void took_part() noexcept override;
  bool stand_by(worker_id worker) noexcept override;
  void external_thread_waits() noexcept override;
  std::size_t summon(run_state& run) noexcept override;
  bool wait_for_summoned(run_state& run, bool (*is_wanted)()) noexcept override;
  void dismiss(const run_state& run) noexcept override;

  /// The program forks, so workers that have not been in a phase yet stop standing by.
  void fork_happens() noexcept;

 private:
  /// fresh: not in a phase yet; took_part: in one; left: stood by since its last phase and got no task.
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
  const std::unique_ptr<substrate> hardware_;
  const bool through_memory_;
  std::vector<membership> memberships_;  // by the engine's thread number
  bool forked_ = false;                  // so fresh workers no longer stand by
  std::vector<member*> waiting_;         // in the order of their arrival
  std::vector<summoned> running_;        // including nested runs
  alignas(skua::detail::line_pair) core::shared<std::uint64_t> begun_{0};
};

}  // namespace skua::simulator
