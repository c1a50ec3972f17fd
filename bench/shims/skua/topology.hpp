// The part of skua's topology.hpp that workloads need to refuse bad input.
#pragma once

#include <stdexcept>

namespace skua {

class bad_input : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace skua
