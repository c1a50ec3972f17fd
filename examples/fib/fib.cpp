// The smallest program: every call forks, and idle workers steal from the oldest end.
#include <skua/skua.hpp>

#include <cstdio>
#include <cstdlib>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main(int count, char** words) {
  const long n = count > 1 ? std::atol(words[1]) : 32;
  std::printf("fib(%ld) = %ld\n", n, fib(n));
}
