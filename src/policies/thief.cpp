// The functions of a thief that need only its virtual functions.
#include <skua/steal_policy.hpp>

#include <algorithm>
#include <utility>

namespace skua {

std::span<const worker_id> thief::random_workers(std::size_t count) {
  if (others_.empty()) {
    // First: after a failure in the loop, a part of the workers would count as all of them.
    others_.reserve(workers());
    for (worker_id w = 0; w < workers(); ++w)
      if (w != id()) others_.push_back(w);
  }
  count = std::min(count, others_.size());
  // The front of a shuffle. It may start from any order, so it starts from that of the last call.
  for (std::size_t i = 0; i < count; ++i) std::swap(others_[i], others_[i + random(others_.size() - i)]);
  return std::span(others_).first(count);
}

}  // namespace skua
