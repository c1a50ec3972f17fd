// Loops that remember which worker ran which block: the blocks of a sweep go to the workers that ran them in the
// previous sweep.
//
// A loop is cut into up to eight blocks for each worker. Every worker that takes part first claims the blocks that it
// ran last time, from the front, and then the blocks that the others have not begun, from the far end, which they would
// reach last. Idle workers join by themselves: each worker's part is one iteration of a lazy loop over the number of
// workers.
#include "core/learning/memo.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>
#include <vector>

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

namespace core {

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

/// Memory for a result of each block, if the loop has results.
class results_of_blocks {
 public:
  results_of_blocks(detail::loop_run& all, std::size_t blocks) : all_(all), made_(how() ? blocks : 0) {
    if (how()) memory_ = static_cast<std::byte*>(::operator new(blocks * how()->size, alignment()));
  }
  ~results_of_blocks() {
    if (!how()) return;
    for (std::size_t b = 0; b < made_.size(); ++b)
      if (made_[b]) how()->destroy(at(b));
    ::operator delete(memory_, alignment());
  }
  results_of_blocks(const results_of_blocks&) = delete;
  results_of_blocks& operator=(const results_of_blocks&) = delete;

  void run(std::size_t block, std::uint64_t first, std::uint64_t last) {
    if (how()) {
      how()->identity(all_.body, at(block));
      made_[block] = 1;
    }
    all_.code.run(all_.body, how() ? at(block) : nullptr, first, last);
  }
  void combine_at(void* result) {
    if (!how()) return;
    how()->identity(all_.body, result);
    try {
      for (std::size_t b = 0; b < made_.size(); ++b)
        if (std::exchange(made_[b], char{0})) how()->combine(all_.body, result, at(b));
    } catch (...) {
      how()->destroy(result);
      throw;
    }
  }

 private:
  const detail::result_functions* how() const noexcept { return all_.code.results; }
  std::align_val_t alignment() const noexcept { return std::align_val_t{how()->alignment}; }
  void* at(std::size_t block) const noexcept { return memory_ + block * how()->size; }

  detail::loop_run& all_;
  std::vector<char> made_;
  std::byte* memory_ = nullptr;
};

class sweep {
 public:
  sweep(loop_memo::data& memo, detail::loop_run& all)
      : memo_(memo),
        all_(all),
        results_(all, memo.ran_by.size()),
        block_(block_size(memo.size, memo.grain, memo.workers)),
        claimed_(std::make_unique<std::atomic<bool>[]>(blocks())) {}

  /// One worker's part.
  void take_part() {
    for (std::size_t b = 0; b < blocks(); ++b)
      if (memo_.ran_by[b] == me()) try_run(b);
    for (std::size_t b = blocks(); b-- > 0;) try_run(b);
  }
  void combine_at(void* result) { results_.combine_at(result); }

 private:
  std::size_t blocks() const noexcept { return memo_.ran_by.size(); }
  // Read each time: a task that waited may continue on another worker.
  static worker_id me() noexcept { return current_stack()->worker->id; }

  void try_run(std::size_t b) {
    const std::uint64_t first = b * block_;
    if (claimed_[b].load(std::memory_order_relaxed) || claimed_[b].exchange(true, std::memory_order_relaxed))
      return;
    memo_.runs_now[b] = me();
    if (all_.stops(first)) return;
    try {
      results_.run(b, first, memo_.size - first > block_ ? first + block_ : memo_.size);
    } catch (...) {
      all_.keep(first);
    }
  }

  loop_memo::data& memo_;
  detail::loop_run& all_;
  results_of_blocks results_;
  const std::uint64_t block_;
  std::unique_ptr<std::atomic<bool>[]> claimed_;
};

}  // namespace

void run_as_last(task_context& w, loop_memo& memo, detail::loop_run& all, std::uint64_t size, void* result) {
  loop_memo::data& contents = memo.contents();
  const std::size_t workers = w.worker->pool->workers();
  remember(contents, size, all.grain, workers);
  sweep now(contents, all);
  parallel_for(std::size_t{0}, workers, [&](std::size_t) { now.take_part(); });
  std::swap(contents.ran_by, contents.runs_now);
  now.combine_at(result);
}

}  // namespace core
}  // namespace skua
