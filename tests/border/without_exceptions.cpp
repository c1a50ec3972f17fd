// A program that is compiled without exceptions uses a library that has them.
//
//   without_exceptions           uses all headers; prints `passed`
//   without_exceptions refused   an error that skua would throw: the program ends with SIGABRT
#include <cstdio>
#include <cstring>
#include <list>
#include <vector>

#include <skua/skua.hpp>

long use_all(std::vector<long>& v, const std::list<long>& list);

int main(int argc, char** argv) {
  if (argc > 1 && !std::strcmp(argv[1], "refused")) {
    skua::scheduler pool({.workers = -5});
    return 0;
  }
  std::vector<long> v(1000);
  const std::list<long> list{1, 2, 3};
  // The scan makes 0, 3, 6, ... of a thousand times 3: their sum, and 7 + 1 + 1 + 1 of the other calls.
  const long sum = use_all(v, list);
  if (sum != 3 * 999 * 500 + 10) {
    std::printf("a sum is %ld\n", sum);
    return 1;
  }
  std::puts("passed");
}
