// error: the destructor of a task's callable and arguments must not throw
// The worker that ran a task destroys its callable, also after cancel().
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
