// A small program of a user. It must compile, link and give the right answers.
#include <cstdio>
#include <numeric>
#include <vector>

#include <skua/skua.hpp>

long fib(long n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

int main() {
  std::vector<int> squares(1000);
  skua::parallel_for(0, squares.size(), [&](auto i) { squares[i] = static_cast<int>(i * i); });
  const long sum = std::accumulate(squares.begin(), squares.end(), 0L);
  const bool right = fib(20) == 6765 && sum == 332833500;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
