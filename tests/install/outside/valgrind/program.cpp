// A correct program: memcheck must report nothing. Helgrind and DRD are not used. They report false races, because they do
// not follow atomic operations.
#include <skua/skua.hpp>

#include <cstdio>
#include <vector>

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = skua::join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

long all() {
  long sum = fib(12);
  std::vector<int> squares(1000);
  skua::parallel_for(std::size_t{0}, squares.size(),
                     [&](std::size_t i) { squares[i] = static_cast<int>(i * i); });
  for (const int one : squares) sum += one;
  skua::task_group tasks;
  long parts[10] = {};
  for (long i = 0; i < 10; ++i) tasks.run([&parts, i] { parts[i] = i; });
  tasks.wait();
  for (const long one : parts) sum += one;
  skua::mutex m;
  long counted = 0;
  skua::parallel_for(0, 100, [&](int) {
    m.lock();
    ++counted;
    m.unlock();
  });
  return sum + counted;
}

}  // namespace

int main() {
  skua::scheduler pool({.workers = 2});
  std::printf("sum %ld\n", pool.run(all));
}
