// asan: AddressSanitizer: heap-buffer-overflow
// A task has a stack of its own. It is suspended and continued, and then writes past the end of a block.
#include <skua/scheduler.hpp>
#include <skua/sync.hpp>
#include <skua/task_group.hpp>

#include <chrono>
#include <memory>
#include <thread>

int main() {
  skua::scheduler pool({.workers = 1});
  skua::task_group tasks;
  const auto block = std::make_unique<char[]>(100);
  volatile char* const bytes = block.get();
  pool.run([&] {
    tasks.run([=] {
      bytes[99] = 1;
      skua::blocking([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
      bytes[100] = 1;
    });
  });
  tasks.wait();
}
