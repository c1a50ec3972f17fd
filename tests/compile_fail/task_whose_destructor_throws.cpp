// error: the destructor of a task's callable and arguments must not throw
// A task's callable is destroyed by the worker that ran it, also after cancel().
#include <skua/task_group.hpp>

struct argument {
#ifdef SKUA_WRONG
  ~argument() noexcept(false) {}
#else
  ~argument() {}
#endif
};

void f(skua::task_group& tasks) {
  tasks.run([](const argument&) {}, argument());
}
