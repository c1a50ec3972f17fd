// The messages between workers and managers, with the fields of Table 2 of the ADM paper.
//
//   UPDATE          up      the number of tasks; 0: blocked
//   STEAL           down    give tasks to that thief; 0 tasks: the STEAL for that thief is withdrawn
//   TASK            across  one task for a thief, or none when there is nothing to give
//   VICTIM_UPDATE   up      the answer to a STEAL
//   STEALER_UPDATE  up      all tasks of a STEAL have arrived
//   UNBLOCK         down    the phase has ended
//
// `level` is the level of a manager: the receiver of an UPDATE, or the manager that started a steal.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "base/sure_memory.hpp"
#include "managers/manager_tree.hpp"

namespace skua::managers {

/// A receive buffer holds sixteen messages of four words, and the tasks of one answer fill at most half of it.
inline constexpr std::size_t receive_buffer_messages = 16;
inline constexpr std::size_t max_tasks_in_burst = receive_buffer_messages / 2;

/// Four words that describe a task; only the queues can interpret them.
using task_descriptor = std::array<std::uint64_t, 4>;

/// As a number of tasks: no worker is present, and there is no task. A blocked worker waits for tasks, an absent one
/// does not.
inline constexpr std::uint64_t no_worker = std::numeric_limits<std::uint64_t>::max();
/// Added to a number of tasks: no worker is present where they lie. Others may take them, and no more tasks are wanted.
inline constexpr std::uint64_t vacant = std::uint64_t{1} << 62;
inline bool is_vacant(std::uint64_t tasks) { return tasks != no_worker && (tasks & vacant) != 0; }
inline std::uint64_t count_of(std::uint64_t tasks) {
  return tasks == no_worker ? no_worker : tasks & ~vacant;
}

struct update {
  level_id level;
  std::uint64_t tasks;
};
struct steal {
  level_id level;
  std::uint64_t tasks_to_transfer;
  party thief;  // a worker, or a manager for all workers below it
};
struct task {
  std::optional<task_descriptor> descriptor;
  bool is_last;
};
struct victim_update {
  level_id level;
  std::uint64_t transferred;
  std::uint64_t left;
};
struct stealer_update {
  level_id level;
  std::uint64_t tasks;
};
struct unblock {
  level_id level;
};
using message = std::variant<update, steal, task, victim_update, stealer_update, unblock>;

/// A part of a reduction. The UPDATE of a party that blocks carries it, and UNBLOCK carries the result. May be null.
using rider = std::shared_ptr<void>;

/// A message on its way. As with ADM's receive instruction, the receiver learns the sender.
struct envelope {
  party from;
  party to;
  message content;
  rider value = {};
};

/// The messages that a state machine sends. Between each two parties they must arrive in this order.
using outbox = base::sure_vector<envelope>;

/// Combines two riders. Neither is null, and the callee owns both.
class reduction {
 public:
  virtual rider combine(rider a, rider b) = 0;

 protected:
  ~reduction() = default;
};

/// "worker 0 -> manager 0.0  UPDATE<0, 5>"
std::string to_string(const envelope& sent);

}  // namespace skua::managers
