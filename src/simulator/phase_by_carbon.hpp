// A run of a phase on Carbon: every task goes to the hardware queues at once and comes from there one by one.
//
// A task is four words in a table here, and what the hardware queues is its number and, of a range, which positions. The
// order is that of the hardware, last in, first out, whatever the phase asks for. Reductions go through shared memory.
// A participant takes part in the end of the phase from its coming on; the hardware ends a phase when all who have come
// wait. Papers: Kumar, Hughes and Nguyen (Carbon, ISCA 2007); Sanchez, Yoo and Kozyrakis (ASPLOS 2010), section 2.2.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "core/phase_run.hpp"
#include "simulator/carbon.hpp"
#include "simulator/machine_part.hpp"
#include "simulator/simulated_world.hpp"
#include "simulator/substrate.hpp"

namespace skua::simulator {

struct carbon_seat final : core::participant {
  carbon_seat(std::uint32_t index, std::unique_ptr<skua::detail::phase_tasks> queue);

  worker_id thread = 0;              // where the participant runs
  bool waits = false;                // for what comes next, and keeps its thread
  bool told = false;                 // that it has come
  std::optional<carbon_task> given;  // by the hardware, and not taken yet
  bool has_ended = false;
};

class phase_by_carbon final : public skua::detail::phase_base::run_state, private machine_part {
 public:
  phase_by_carbon(simulated_world& world, const adm_hardware& chip, std::vector<context_number> at,
                  const phase_parts& of);
  ~phase_by_carbon() override;

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  static carbon_seat& place(core::participant& p) noexcept { return static_cast<carbon_seat&>(p); }
  void sit_down(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override { attend(here); }
  bool ended(const core::participant& here) const noexcept override;
  bool is_over() const noexcept override { return over_; }
  void stand_up(core::participant& here) noexcept override;
  std::shared_ptr<void> result(core::participant& first) noexcept override;

  // machine_part
  std::optional<cycles> next() const override { return tasks_.next(); }
  void advance(cycles now) override;

  void tell(const carbon_event& e) noexcept;
  void wait(carbon_seat& here) noexcept;
  void enqueue(carbon_seat& here, const carbon_task& task) noexcept;
  std::optional<carbon_task> dequeue(carbon_seat& here) noexcept;
  std::uint64_t keep(const skua::detail::phase_words& words, std::uint64_t positions);
  skua::detail::phase_words take(const carbon_task& one);

  struct entry {
    skua::detail::phase_words words;
    std::uint64_t positions, left;  // that have not been taken
  };

  simulated_world& world_;
  carbon tasks_;
  std::deque<carbon_seat> places_;
  std::vector<entry> table_;           // by carbon_task::content
  std::vector<std::uint64_t> unused_;  // of the table
  std::unique_ptr<skua::detail::phase_tasks> splitter_;
  bool over_ = false;
  std::vector<carbon_event> told_;  // kept for its memory
};

}  // namespace skua::simulator
