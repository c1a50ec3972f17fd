// Numbers of workers and domains.
#pragma once

#include <cstdint>

namespace skua {

using worker_id = std::uint32_t;  // 0 .. workers-1, in one scheduler
using domain_id = std::uint32_t;  // 0 .. domains-1, in logical (hwloc) order

}  // namespace skua
