// The random numbers of the NAS parallel benchmarks: x <- 5^13 x mod 2^46, as a fraction of 2^46.
//
//   workloads::npb_random numbers(271828183);
//   double u = numbers.next();     // the first number, in (0, 1) for an odd seed
//   numbers.skip(1000);            // the next call of next() returns the 1002nd number
//
// The computation is exact in 64-bit integers, since the result does not depend on the bits of a product above bit 63.
// skip(n) takes log(n) steps, so a task can start anywhere in the sequence.
#pragma once

#include <cstdint>

namespace workloads {

class npb_random {
 public:
  explicit constexpr npb_random(std::uint64_t seed) : state_(seed) {}

  constexpr double next() {
    state_ = state_ * factor & mask;
    return static_cast<double>(static_cast<std::int64_t>(state_)) * 0x1p-46;
  }
  constexpr void skip(std::uint64_t numbers) {
    for (std::uint64_t power = factor; numbers != 0; numbers >>= 1, power = power * power & mask)
      if (numbers & 1) state_ = state_ * power & mask;
  }

 private:
  static constexpr std::uint64_t factor = 1220703125;  // 5^13
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;
  std::uint64_t state_;
};

}  // namespace workloads
