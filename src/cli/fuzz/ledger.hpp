// Which tasks have run: each exactly once, in the end. Virtual workers are one thread, so nothing here needs protection.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skua::cli::fuzz {

/// The tasks first .. first+size-1; the first of them makes the others.
struct tasks {
  std::uint32_t first = 0, size = 0;
  std::uint32_t end() const { return first + size; }
  tasks rest() const { return {first + 1, size - 1}; }
  /// The i-th of so many pieces, none of which is empty if there are as many tasks.
  tasks piece(std::uint64_t i, std::uint64_t of) const {
    const auto at = [&](std::uint64_t k) { return first + static_cast<std::uint32_t>(size * k / of); };
    return {at(i), at(i + 1) - at(i)};
  }
};

class ledger {
 public:
  explicit ledger(std::uint32_t all);

  void began(std::uint32_t task);
  std::uint32_t ran(tasks which) const;
  bool none_ran(tasks which) const { return ran(which) == 0; }
  bool all_ran(tasks which) const { return ran(which) == which.size; }
  /// Of all of them that have run.
  std::uint64_t begun() const { return begun_; }

  /// What the tasks of a range compute together.
  std::uint64_t sum(tasks which) const { return sums_[which.end()] - sums_[which.first]; }

  /// In one sentence; the first one counts.
  void complain(const std::string& what);
  const std::string& complaint() const { return complaint_; }

 private:
  std::vector<std::uint8_t> times_;  // that each has begun
  std::vector<std::uint64_t> sums_;  // of what all before each compute
  std::uint64_t begun_ = 0;
  std::string complaint_;
};

}  // namespace skua::cli::fuzz
