// This program does not use skua. It loads libraries that do. There is little room for thread_local variables of libraries
// that are loaded at run time (glibc.rtld.optional_static_tls), and skua's variables must fit.
#include <cstdio>
#include <dlfcn.h>

namespace {

template <class F>
F* function_in(void* library, const char* name) {
  auto* const found = reinterpret_cast<F*>(dlsym(library, name));
  if (!found) std::printf("%s\n", dlerror());
  return found;
}

int expect(const char* what, int right, int got) {
  if (got != right) std::printf("%s is %d, not %d\n", what, right, got);
  return got != right;
}

}  // namespace

int main(int, char** arguments) {
  void* const other = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
  int wrong = other ? 0 : (std::printf("%s\n", dlerror()), 1);
  // The second round loads the plug-in again, after its policy has been registered.
  for (int times = 0; times < 2 && !wrong; ++times) {
    void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) return std::printf("%s\n", dlerror()), 1;
    auto* const fib = function_in<int(int)>(plugin, "fib_of_plugin");
    auto* const all = function_in<int()>(plugin, "all_of_plugin");
    auto* const sum = function_in<int()>(other, "sum_by_closed_policy");
    if (!fib || !all || !sum) return 1;
    wrong = expect("fib(20)", 6765, fib(20)) + expect("what is wrong", 0, all());
    dlclose(plugin);  // skua stays loaded, because its threads still run
    wrong += expect("the sum", 4950, sum());
  }
  return wrong;
}
