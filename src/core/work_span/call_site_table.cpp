#include "core/work_span/call_site_table.hpp"

#include <skua/detail/strand.hpp>

namespace skua::core {

call_site_table::entry& call_site_table::of(site where) noexcept {
  if (where == 0) return outside_;
  std::size_t at = static_cast<std::size_t>(detail::strand::mix(where));
  for (std::size_t i = 0; i < size; ++i) {
    entry& e = entries_[(at + i) % size];
    const site there = e.where.load(std::memory_order_relaxed);
    if (there == where) return e;
    if (there != 0) continue;
    e.where.store(where, std::memory_order_relaxed);
    return e;
  }
  return others_;  // more places than anybody wants to read about
}

}  // namespace skua::core
