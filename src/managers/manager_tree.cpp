#include "managers/manager_tree.hpp"

#include <algorithm>

namespace skua::managers {

std::string to_string(party p) {
  if (p.height == 0) return "worker " + std::to_string(p.index);
  return "manager " + std::to_string(p.height - 1) + "." + std::to_string(p.index);
}

manager_tree::manager_tree(std::uint32_t workers, std::uint32_t radix) : radix_(radix), counts_{workers} {
  do {
    counts_.push_back((counts_.back() + radix - 1) / radix);
  } while (counts_.back() > 1);
  starts_.push_back(0);
  for (const std::uint32_t n : counts_) starts_.push_back(starts_.back() + n);
}

std::uint32_t manager_tree::children(party manager) const {
  return std::min(radix_, counts_[manager.height - 1] - manager.index * radix_);
}

party manager_tree::ancestor(party p, std::uint32_t height) const {
  while (p.height < height) p = parent(p);
  return p;
}

worker_range manager_tree::workers_below(party p) const {
  std::uint64_t first = p.index;
  std::uint64_t last = first + 1;
  for (std::uint32_t i = 0; i < p.height; ++i) {
    first *= radix_;
    last *= radix_;
  }
  return {static_cast<std::uint32_t>(first),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(last, workers()))};
}

level_id manager_tree::common_level(party a, party b) const {
  while (a != b) {
    a = parent(a);
    b = parent(b);
  }
  return a.height - 1;
}

party manager_tree::counterpart(party worker, party victims, party thieves) const {
  const worker_range from = workers_below(victims), to = workers_below(thieves);
  return worker_party(to.first + (worker.index - from.first) % to.size());
}

std::uint32_t manager_tree::thread_of(party p, std::uint32_t dedicated) const {
  if (p.height == 0) return p.index;
  if (dedicated == 0) return workers_below(child(p, children(p) / 2)).first;
  return workers() + static_cast<std::uint32_t>((number_of(p) - workers()) % dedicated);
}

}  // namespace skua::managers
