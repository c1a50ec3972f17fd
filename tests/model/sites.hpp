// The places where the code under test orders memory: each call with an order other than relaxed is recorded when it runs.
// One order can be weakened, and a fence can be left out.
#pragma once

#include <atomic>

namespace skua::model {

/// The source location of a call.
struct site {
  const char* file;
  const char* function;
  unsigned line;

  static constexpr site here(const char* file = __builtin_FILE(), const char* function = __builtin_FUNCTION(),
                             unsigned line = __builtin_LINE()) {
    return {file, function, line};
  }
};

/// A site with one of its orders. A compare-and-swap has two.
struct ordered_site {
  site at;
  const char* operation;
  std::memory_order order;
  bool fence;
};

/// All recorded sites. The storage has a fixed size, because Relacy tracks memory that is allocated while a scenario runs.
class sites {
 public:
  static constexpr int max = 128;
  static inline ordered_site found[max];
  static inline int count = 0;

  // The mutant that runs now.
  static inline int weakened = -1;
  static inline std::memory_order weaker = std::memory_order_relaxed;

  static std::memory_order pass(const site& at, const char* operation, std::memory_order order) {
    if (order == std::memory_order_relaxed) return order;
    return index_of({at, operation, order, false}) == weakened ? weaker : order;
  }
  static bool removes(const site& at, const char* operation) {
    return index_of({at, operation, std::memory_order_seq_cst, true}) == weakened;
  }

 private:
  static int index_of(const ordered_site& s);  // mutants.cpp
};

}  // namespace skua::model
