// Shared parts of the small programs. Each program is limited by one known cause. They are written like programs of users,
// for a real machine and for a simulated one. On a real machine they compute and read; on a simulated machine they declare
// that work.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <skua/skua.hpp>

namespace limited {

/// Computes for `us` microseconds of CPU time, even if other threads interrupt it.
void compute(double us);
/// Reads `bytes` bytes from `data` on, each once.
void read_all(const unsigned char* data, std::size_t bytes);

inline std::size_t workers() { return skua::default_scheduler().workers(); }

/// `size` is 1 in a quick run. The work is proportional to it.
struct program {
  std::string_view name;
  std::string_view limited_by;  // the name of the limit in `skua report`
  void (*run)(std::size_t size);
};

void balanced_joins(std::size_t size);
void balanced_loop(std::size_t size);
void serial_between_loops(std::size_t size);
void chain_of_joins(std::size_t size);
void outside_of_skua(std::size_t size);
void tiny_joins(std::size_t size);
void tiny_group_tasks(std::size_t size);
void tiny_tasks_of_one_maker(std::size_t size);
void tiny_tasks_from_outside(std::size_t size);
void tiny_joins_from_outside(std::size_t size);
void tiny_reductions_from_outside(std::size_t size);
void one_long_task(std::size_t size);
void one_long_iteration(std::size_t size);
void long_task_begun_last(std::size_t size);
void small_loops(std::size_t size);
void tasks_behind_a_mutex(std::size_t size);
void short_mutex(std::size_t size);
void short_std_mutex(std::size_t size);
void spinlock(std::size_t size);
void one_counter_for_all(std::size_t size);
void falsely_shared_lines(std::size_t size);
void data_from_afar(std::size_t size);
void full_memories(std::size_t size);
void one_memory_for_all(std::size_t size);
void tasks_that_sleep(std::size_t size);
void tasks_behind_a_lock(std::size_t size);

inline constexpr program programs[] = {
    {"balanced_joins", "nothing", balanced_joins},
    {"balanced_loop", "nothing", balanced_loop},
    {"serial_between_loops", "too little parallelism", serial_between_loops},
    {"chain_of_joins", "too little parallelism", chain_of_joins},
    {"outside_of_skua", "too little parallelism", outside_of_skua},
    {"tiny_joins", "too small tasks", tiny_joins},
    {"tiny_group_tasks", "too small tasks", tiny_group_tasks},
    {"tiny_tasks_of_one_maker", "too small tasks", tiny_tasks_of_one_maker},
    {"tiny_tasks_from_outside", "too small tasks", tiny_tasks_from_outside},
    {"tiny_joins_from_outside", "too small tasks", tiny_joins_from_outside},
    {"tiny_reductions_from_outside", "too small tasks", tiny_reductions_from_outside},
    {"one_long_task", "load imbalance", one_long_task},
    {"one_long_iteration", "load imbalance", one_long_iteration},
    {"long_task_begun_last", "load imbalance", long_task_begun_last},
    {"small_loops", "too small tasks", small_loops},
    {"tasks_behind_a_mutex", "lock contention", tasks_behind_a_mutex},
    {"short_mutex", "lock contention", short_mutex},
    {"short_std_mutex", "slower per unit of work", short_std_mutex},
    {"spinlock", "slower per unit of work", spinlock},
    {"one_counter_for_all", "slower per unit of work", one_counter_for_all},
    {"falsely_shared_lines", "slower per unit of work", falsely_shared_lines},
    {"data_from_afar", "remote steals", data_from_afar},
    {"full_memories", "memory bandwidth", full_memories},
    {"one_memory_for_all", "memory bandwidth", one_memory_for_all},
    {"tasks_that_sleep", "sleeping", tasks_that_sleep},
    {"tasks_behind_a_lock", "sleeping", tasks_behind_a_lock},
};

}  // namespace limited
