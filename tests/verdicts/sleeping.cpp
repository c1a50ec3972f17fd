// Tasks that wait in the kernel: for a time, or for a lock that skua does not know.
#include <mutex>
#include <thread>

#include "program.hpp"

namespace limited {

void tasks_that_sleep(std::size_t size) {
  skua::parallel_for(
      std::size_t{0}, 20 * size * workers(),
      [](std::size_t) {
        compute(200);
        std::this_thread::sleep_for(std::chrono::microseconds(800));
      },
      skua::loop{.grain = 1});
}

void tasks_behind_a_lock(std::size_t size) {
  std::mutex one_at_a_time;
  skua::parallel_for(
      std::size_t{0}, 20 * size * workers(),
      [&](std::size_t) {
        const std::lock_guard lock(one_at_a_time);
        compute(500);
      },
      skua::loop{.grain = 1});
}

}  // namespace limited
