// The programs that consist of forks only, compiled in forks.cpp. Include it after the runtime of the contender.
#pragma once

#include "programs.hpp"

namespace bench {

extern template std::int64_t fib<runtime>(std::int64_t);
extern template std::int64_t tree_sum<runtime>(const bench_node*);
extern template std::int64_t skynet_loop<runtime>(std::int64_t, std::int64_t);
extern template std::int64_t skynet_tasks<runtime>(std::int64_t, std::int64_t);
extern template std::int64_t queens<runtime>(const placed&, int, int, int);

}  // namespace bench
