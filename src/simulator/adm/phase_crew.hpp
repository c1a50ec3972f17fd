// The workers of a machine with a substrate that have taken part in a phase, and stay for the next one.
//
// In the ADM paper a phase is a loop around dequeue() that every thread runs: all of them are there when the next phase
// begins, and none is called. Here a worker that has nothing else to do stands by: for a while after a phase, and from the
// start until the program makes something else of it, by a fork. One that is summoned sits down at once: on hardware for
// tasks it would have waited there; on a software substrate it has the line of one word to fetch, which says that the phase
// has begun. Who stands by runs nothing else meanwhile.
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

  /// Others than phases want workers: who has not been in a phase yet is free for them.
  void fork_happens() noexcept;

 private:
  enum class bond : std::uint8_t { fresh, took_part, left };  // left: in vain, since its last phase

  bond& bond_of(worker_id thread);

  struct member {
    worker_id thread;
    std::uint32_t worker;
    run_state* run = nullptr;
  };
  struct summoned {
    run_state* run;
    worker_id caller;  // the thread that waits; it may be another one than that which summoned
    std::size_t there;
    bool ended = false;    // who was in it leaves
    bool is_told = false;  // run.all_summoned_left() tells the caller of the last one
  };

  std::vector<summoned>::iterator find(const run_state& run);
  void leave(const run_state& run);

  engine_machine& machine_;
  const std::unique_ptr<substrate> hardware_;
  const bool through_memory_;
  std::vector<bond> bonds_;        // by the engine's number of a thread
  bool forked_ = false;            // so nobody waits from the start any more
  std::vector<member*> waiting_;   // in the order in which they came
  std::vector<summoned> running_;  // runs inside others too
  alignas(skua::detail::line_pair) core::shared<std::uint64_t> begun_{0};
};

}  // namespace skua::simulator
