// A program that does not use skua loads a library that does. The room for thread_local variables of libraries
// that are loaded so late is small (glibc.rtld.optional_static_tls), and skua's variables must fit.
#include <cstdio>
#include <dlfcn.h>

int main(int, char** arguments) {
  void* const plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) return std::printf("%s\n", dlerror()), 1;
  const auto fib = reinterpret_cast<int (*)(int)>(dlsym(plugin, "fib_of_plugin"));
  if (!fib) return std::printf("%s\n", dlerror()), 1;
  const int got = fib(20);
  if (got != 6765) return std::printf("fib(20) is 6765, not %d\n", got), 1;
  dlclose(plugin);  // skua stays, for its threads
  return 0;
}
