// A phase on Carbon: every task goes to the hardware queues at once, and tasks come from there one by one.
//
// A task is four words in a table here. The hardware queues its number and, for a range, the positions. The order is
// that of the hardware, last in, first out, whatever the phase requests. Reductions go through shared memory. A
// participant takes part in the end of the phase from its arrival on; the hardware ends a phase when all participants
// that have arrived wait.
// Papers: Kumar, Hughes and Nguyen (Carbon, ISCA 2007); Sanchez, Yoo and Kozyrakis (ASPLOS 2010), section 2.2.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "simulator/adm/carbon.hpp"
#include "simulator/adm/phase_on_hardware.hpp"
#include "simulator/adm/substrate.hpp"
#include "simulator/engine/machine_part.hpp"

namespace skua::simulator {

struct carbon_participant final : core::on_new_words<carbon_participant>, hardware_participant {
  carbon_participant(std::uint32_t index, std::unique_ptr<skua::detail::phase_tasks> queue);

  std::optional<carbon_task> given;  // by the hardware, but not taken yet
  bool has_ended = false;
};

class carbon_user {
 public:
  virtual void happened(const carbon_event& e) = 0;

 protected:
  ~carbon_user() = default;
};

/// The units of a chip. They outlive a phase; a nested phase has its own units.
class carbon_units final : public machine_part {
 public:
  carbon_units(const adm_hardware& chip, tile_network::kind network, std::vector<context_number> at);

  /// Reserves the units for a run until end_run(). False: they are already reserved.
  bool reserve() noexcept { return !std::exchange(reserved_, true); }
  void begin_run(carbon_user& user) noexcept { user_ = &user; }
  void end_run() noexcept;
  carbon& tasks() noexcept { return tasks_; }

  std::optional<cycles> next() const override { return tasks_.next(); }
  void advance(cycles now) override;

 private:
  carbon tasks_;
  bool reserved_ = false;
  carbon_user* user_ = nullptr;
  std::vector<carbon_event> events_;  // kept to reuse its memory
};

class phase_by_carbon final : private core::on_new_words<phase_by_carbon>,
                              public phase_on_hardware,
                              private carbon_user {
 public:
  phase_by_carbon(engine_machine& simulated_machine, carbon_units& units, const phase_parts& of);
  ~phase_by_carbon() override;

  void attend(core::participant& here) noexcept override;
  bool next(core::participant& here) noexcept override;

 private:
  static carbon_participant& participant_of(core::participant& p) noexcept {
    return static_cast<carbon_participant&>(p);
  }
  void attach(core::participant& here, bool first) noexcept override;
  void begin(core::participant& here) noexcept override { attend(here); }
  bool ended(const core::participant& here) const noexcept override;
  bool is_over() const noexcept override { return over_; }
  std::shared_ptr<void> result(core::participant& first) noexcept override;

  void happened(const carbon_event& e) override;
  void enqueue(carbon_participant& here, const carbon_task& task) noexcept;
  std::optional<carbon_task> dequeue(carbon_participant& here) noexcept;
  std::uint64_t keep(const skua::detail::phase_words& words, std::uint64_t positions);
  skua::detail::phase_words take(const carbon_task& one);

  struct entry {
    skua::detail::phase_words words;
    std::uint64_t positions, left;  // left: not taken yet
  };

  carbon_units& units_;
  carbon& tasks_;
  std::deque<carbon_participant> own_participants_;
  std::vector<entry> table_;           // by carbon_task::content
  std::vector<std::uint64_t> unused_;  // entries of the table
  std::unique_ptr<skua::detail::phase_tasks> splitter_;
  bool over_ = false;
};

}  // namespace skua::simulator
