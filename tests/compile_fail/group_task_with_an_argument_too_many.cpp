// error: task_group::run.f, args.... calls f.args.... on copies: f must take them, and no task_context&
// A task gets only the arguments that are passed to run().
#include <skua/task_group.hpp>

void f(skua::task_group& tasks) {
#ifdef SKUA_WRONG
  tasks.run([](skua::task_context&, int) {}, 1);
#else
  tasks.run([](int) {}, 1);
  // A task that adds itself again.
  auto count_down = [&](auto self, int n) {
    if (n > 0) tasks.run(self, self, n - 1);
  };
  count_down(count_down, 3);
#endif
}
