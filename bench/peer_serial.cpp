// Serial programs without a runtime. Recursive calls are noinline. Otherwise the compiler inlines fib into itself and
// finds equal subtrees, and the time depends on how much of fib it can leave out.
#include <memory>
#include <utility>

#include "suite.hpp"

namespace {

struct serial {
  explicit serial(int) {}

  template <class F>
  void enter(F f) {
    f();
  }
  template <class F, class G>
  static auto join(F f, G g) {
    struct {
      decltype(f()) first;
      decltype(g()) second;
    } both{f(), g()};
    return both;
  }
  template <class F, class G>
  static void both(F f, G g) {
    f();
    g();
  }
  template <class Body>
  static void children(std::int64_t n, Body body) {
    for (std::int64_t i = 0; i < n; ++i) body(i);
  }
  template <class Body>
  static void tasks(std::int64_t n, Body body) {
    children(n, body);
  }
  template <class Body>
  void loop(std::int64_t n, Body body) {
    for (std::int64_t i = 0; i < n; ++i) body(i);
  }
  template <class Map>
  std::int64_t reduce(std::int64_t n, Map map) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += map(i);
    return sum;
  }
  template <class Body>
  void rendezvous(Body) {
    throw std::invalid_argument("rendezvous needs two workers");
  }
  struct sweep {
    explicit sweep(serial&) {}
    template <class Body>
    void rows(std::int64_t first, std::int64_t last, std::int64_t, Body body) {
      body(first, last);
    }
  };
  struct group {
    template <class F>
    void run(F f) {
      f();
    }
    void wait() {}
  };
  template <class T>
  class local {
   public:
    T& here() { return value_; }
    template <class F>
    void for_each(F f) {
      f(value_);
    }

   private:
    T value_;
  };
};

}  // namespace

namespace bench {

template <>
[[gnu::noinline]] std::int64_t fib<serial>(std::int64_t n) {
  if (n < 2) return n;
  return fib<serial>(n - 1) + fib<serial>(n - 2);
}

template <>
[[gnu::noinline]] std::int64_t tree_sum<serial>(const bench_node* node) {
  if (!node->left) return node->value;
  return node->value + tree_sum<serial>(node->left) + tree_sum<serial>(node->right);
}

template <>
[[gnu::noinline]] std::int64_t skynet_loop<serial>(std::int64_t first, std::int64_t leaves) {
  if (leaves == 1) return first;
  std::int64_t total = 0;
  for (int i = 0; i < 10; ++i) total += skynet_loop<serial>(first + i * (leaves / 10), leaves / 10);
  return total;
}

template <>
std::int64_t skynet_tasks<serial>(std::int64_t first, std::int64_t leaves) {
  return skynet_loop<serial>(first, leaves);
}

template <>
[[gnu::noinline]] std::int64_t queens<serial>(const placed& board, int n, int row, int) {
  if (row == n) return 1;
  std::int64_t solutions = 0;
  for (int column = 0; column < n; ++column) {
    if (!bench_queen_safe(board.columns, row, column)) continue;
    placed next = board;
    next.columns[row] = static_cast<char>(column);
    solutions += queens<serial>(next, n, row + 1, 0);
  }
  return solutions;
}

}  // namespace bench

int main(int argc, char** argv) {
  std::unique_ptr<bench::suite<serial>> suite;
  return bench::peer_main(argc, argv, "serial", [&](const bench::request& asked) {
    if (asked.workers != 1) throw std::invalid_argument("--workers must be 1 for the serial contender");
    suite = std::make_unique<bench::suite<serial>>(1);
    return suite->kernels();
  });
}
