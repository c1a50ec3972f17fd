// The hardware of the ADM paper's chips, as the machine files adm-cmp-*.json describe it: the tiles and their network,
// and the numbers of Carbon, of direct messages and of user-level interrupts.
//
//   const adm_hardware chip = find_adm_hardware("adm-cmp-64c");
//   chip.cores();                                              // 64, with two threads each
//   find_adm_hardware("adm-cmp-64c", 4).threads();             // 256: the paper's Figure 7
//
// Times are in cycles. Paper: Sanchez, Yoo and Kozyrakis, "Flexible Architectural Support for Fine-Grain Scheduling"
// (ASPLOS 2010), Tables 3 and 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace skua::simulator {

using cycles = std::uint64_t;

/// A virtual number, as the operating system numbers threads.
using thread_number = std::uint32_t;
/// A hardware thread. The threads of a core have consecutive numbers, as do the cores of a tile.
using context_number = std::uint32_t;
using core_number = std::uint32_t;

/// The cost of a scheduler's operation in the best and the worst of the paper's programs, and on average (Table 5).
struct operation_cycles {
  unsigned best, average, worst;
};
struct scheduler_operations {
  operation_cycles enqueue, dequeue, receive_update, match_steal, send_tasks, receive_task;
};

struct tile_network_numbers {
  unsigned router_stages, flit_bytes, local_link;
  unsigned shortest_global_link, longest_global_link;
  unsigned average_message;  // as published; more than the parts above add up to
  unsigned ideal_message;    // between any two cores, on the network without contention of Figure 8
};

struct carbon_numbers {
  unsigned requests_a_cycle;
  unsigned local_tasks;  // capacity of a local task unit
  unsigned queue_tasks;  // capacity of the global task unit per thread
  unsigned task_words;
  unsigned reduction;  // of 128 threads through shared memory; also of the software runtime
};

struct direct_message_numbers {
  unsigned receive_words, send_words;  // of a thread's buffers
  unsigned translations;               // capacity of a core's TTB
  unsigned handler;                    // of a message, at user level
  unsigned radix;                      // of the tree of managers
  unsigned reduction;                  // of 128 threads, in the messages that end a phase
  scheduler_operations operations;
};

struct user_interrupt_numbers {
  unsigned transfers_a_message;  // of cache lines, on each side
  unsigned longest_message;      // maximum time of these transfers
  unsigned transfer_in_tile, transfer_between_tiles;
  scheduler_operations operations;
};

struct adm_hardware {
  std::string name;
  unsigned tiles, cores_a_tile, threads_a_core;
  tile_network_numbers network;
  carbon_numbers carbon;
  direct_message_numbers messages;
  user_interrupt_numbers interrupts;

  unsigned cores() const noexcept { return tiles * cores_a_tile; }
  unsigned threads() const noexcept { return cores() * threads_a_core; }
  core_number core_of(context_number context) const noexcept { return context / threads_a_core; }
  unsigned tile_of(core_number core) const noexcept { return core / cores_a_tile; }
};

/// Parses a file's text. Throws bad_input that names the file, the value and what is allowed, also for a machine
/// without this hardware. `threads_a_core` is one of the file's `smt_choices`; the default is the file's `smt`.
adm_hardware parse_adm_hardware(std::string_view file, std::string_view text,
                                std::optional<unsigned> threads_a_core = {});
/// Finds a machine that comes with skua.
adm_hardware find_adm_hardware(const std::string& name, std::optional<unsigned> threads_a_core = {});

}  // namespace skua::simulator
