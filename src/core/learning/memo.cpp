// Loops that remember which worker ran which block: the blocks of a sweep go to the workers that ran them in the
// previous sweep.
//
// A loop is cut into up to eight blocks for each worker. Every worker that takes part first claims the blocks that it
// ran last time, from the front, and then the blocks that the others have not begun, from the far end, which they would
// reach last. Idle workers join by themselves: each worker's part is one iteration of a lazy loop over the number of
// workers.
#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include <skua/parallel_for.hpp>

#include "core/scheduler_core.hpp"

namespace skua {

struct loop_memo::data {
  std::uint64_t size = 0;
  std::uint32_t grain = 0;
  std::size_t workers = 0;
  std::vector<worker_id> ran_by;    // the worker of each block in the last sweep
  std::vector<worker_id> runs_now;  // in this sweep; the worker that claims a block writes its entry
};

loop_memo::loop_memo() : data_(std::make_unique<data>()) {}
loop_memo::~loop_memo() = default;

namespace detail {

namespace {

constexpr std::uint64_t blocks_per_worker = 8;

std::uint64_t block_size(std::uint64_t size, std::uint32_t grain, std::size_t workers) {
  const std::uint64_t max = blocks_per_worker * workers;
  return std::max<std::uint64_t>(grain, size / max + (size % max != 0));
}

/// When the loop is not the remembered one, starts anew with neighbouring blocks on the same worker.
void remember(loop_memo::data& memo, std::uint64_t size, std::uint32_t grain, std::size_t workers) {
  if (memo.size == size && memo.grain == grain && memo.workers == workers) return;
  const std::uint64_t block = block_size(size, grain, workers);
  const std::size_t blocks = static_cast<std::size_t>((size - 1) / block + 1);
  memo.size = 0;  // invalid, in case an allocation throws
  memo.ran_by.resize(blocks);
  for (std::size_t b = 0; b < blocks; ++b) memo.ran_by[b] = static_cast<worker_id>(b * workers / blocks);
  memo.runs_now = memo.ran_by;
  memo.size = size;
  memo.grain = grain;
  memo.workers = workers;
}

class sweep {
 public:
  sweep(loop_memo::data& memo, void (*code)(void*, std::uint64_t, std::uint64_t), void* data)
      : memo_(memo),
        code_(code),
        data_(data),
        block_(block_size(memo.size, memo.grain, memo.workers)),
        claimed_(std::make_unique<std::atomic<bool>[]>(blocks())) {}

  /// One worker's part.
  void take_part() {
    for (std::size_t b = 0; b < blocks(); ++b)
      if (memo_.ran_by[b] == me()) try_run(b);
    for (std::size_t b = blocks(); b-- > 0;) try_run(b);
  }
  loop_fate fate;

 private:
  std::size_t blocks() const noexcept { return memo_.ran_by.size(); }
  // Read each time: a task that waited may continue on another worker.
  static worker_id me() noexcept { return core::current_stack()->seat->id; }

  void try_run(std::size_t b) {
    const std::uint64_t first = b * block_;
    if (claimed_[b].load(std::memory_order_relaxed) || claimed_[b].exchange(true, std::memory_order_relaxed))
      return;
    memo_.runs_now[b] = me();
    if (fate.stops(first)) return;
    try {
      code_(data_, first, memo_.size - first > block_ ? first + block_ : memo_.size);
    } catch (...) {
      fate.keep(first);
    }
  }

  loop_memo::data& memo_;
  void (*code_)(void*, std::uint64_t, std::uint64_t);
  void* data_;
  const std::uint64_t block_;
  std::unique_ptr<std::atomic<bool>[]> claimed_;
};

}  // namespace

void run_as_last(task_context& w, loop_memo& memo, std::uint64_t size, std::uint32_t grain,
                 void (*code)(void*, std::uint64_t, std::uint64_t), void* data) {
  loop_memo::data& contents = memo.contents();
  const std::size_t workers = w.seat->pool->workers();
  remember(contents, size, grain, workers);
  sweep now(contents, code, data);
  parallel_for(std::size_t{0}, workers, [&](std::size_t) { now.take_part(); });
  std::swap(contents.ran_by, contents.runs_now);
  now.fate.rethrow();
}

}  // namespace detail
}  // namespace skua
