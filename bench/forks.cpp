// The programs that consist of forks only, for BENCH_RUNTIME. They have their own translation unit, since compilers
// limit how much a unit may grow by inlining, and a user's program is not compiled together with fifteen others.
#include BENCH_RUNTIME

#include "programs.hpp"

namespace bench {

template std::int64_t fib<runtime>(std::int64_t);
template std::int64_t tree_sum<runtime>(const bench_node*);
template std::int64_t skynet_loop<runtime>(std::int64_t, std::int64_t);
template std::int64_t skynet_tasks<runtime>(std::int64_t, std::int64_t);
template std::int64_t queens<runtime>(const placed&, int, int, int);

}  // namespace bench
