// error: task_group::run.f. calls f..: f must not need an argument, also no task_context&
// join passes the task_context to a callable that takes one; task_group::run does not.
#include <skua/task_group.hpp>

void f(skua::task_group& tasks) {
#ifdef SKUA_WRONG
  tasks.run([](skua::task_context&) {});
#else
  tasks.run([] {});
#endif
}
