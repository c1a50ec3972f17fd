#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace bench {

/// The median of a non-empty list.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// How many targets a program meets.
class counted_targets {
 public:
  /// What to print behind the row.
  const char* check(bool met) {
    ++(met ? met_ : missed_);
    return met ? "" : "  missed";
  }
  void print() const { std::printf("%d targets met, %d missed\n", met_, missed_); }

 private:
  int met_ = 0, missed_ = 0;
};

}  // namespace bench
