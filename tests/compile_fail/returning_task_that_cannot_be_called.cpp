// error: task_group::run_returning.f, args.... calls f.args.... on copies: f must take them, and no task_context&
// A task that returns a value gets only the arguments that are passed to run_returning().
#include <skua/task_group.hpp>

int f(skua::task_group& tasks) {
#ifdef SKUA_WRONG
  auto result = tasks.run_returning([](int a, int b) { return a + b; }, 1);
  auto other = tasks.run_returning(1);
#else
  auto result = tasks.run_returning([](int a, int b) { return a + b; }, 1, 2);
#endif
  tasks.wait();
  return result.get();
}
