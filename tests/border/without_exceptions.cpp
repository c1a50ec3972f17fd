// A program that is compiled without exceptions uses the library, which is compiled with them.
//
//   without_exceptions           uses all headers; prints `passed`
//   without_exceptions refused   causes an error for which skua would throw; the program must end with SIGABRT
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
  // The scan yields 0, 3, 6, ... of a thousand values of 3. Their sum is 3 * 999 * 500, and the other calls add 7 + 1 + 1 +
  // 1.
  const long sum = use_all(v, list);
  if (sum != 3 * 999 * 500 + 10) {
    std::printf("a sum is %ld\n", sum);
    return 1;
  }
  std::puts("passed");
}
