#include "core/platform/callers.hpp"

#include <algorithm>
#include <cstddef>
#include <unwind.h>

namespace skua::core {

namespace {

struct walk {
  std::span<std::uint64_t> to;
  std::size_t found = 1;
  bool begun = false;
  int left = 16;  // functions of the library, before the call is found
};

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* data) {
  walk& all = *static_cast<walk*>(data);
  const auto address = static_cast<std::uint64_t>(_Unwind_GetIP(frame));
  if (all.begun)
    all.to[all.found++] = address;
  else
    all.begun = address == all.to[0];
  return all.found == all.to.size() || --all.left == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

void find_callers(const void* from, std::span<std::uint64_t> to) noexcept {
  std::ranges::fill(to, 0);
  to[0] = reinterpret_cast<std::uint64_t>(from);
  walk all{to};
  _Unwind_Backtrace(&visit, &all);
}

}  // namespace skua::core
