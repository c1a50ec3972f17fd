// The smallest program: every call forks, and idle workers steal the oldest tasks.
#include <skua/skua.hpp>

#include <cstdio>
#include <cstdlib>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main(int count, char** arguments) {
  const long n = count > 1 ? std::atol(arguments[1]) : 32;
  std::printf("fib(%ld) = %ld\n", n, fib(n));
}
