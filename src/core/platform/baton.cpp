// Each thread has one word, on which it sleeps until it holds the baton.
#include "core/platform/baton.hpp"

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdint>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "core/platform/process_fork.hpp"
#include "core/platform/stack_memory.hpp"

namespace skua::core {

struct baton_thread::shared_part {
  std::atomic<std::uint32_t> has_baton{0};
  std::function<void()> code;
  pthread_t thread{};
  bool is_ours = false, ended = false;
  const std::uint32_t process = process_generation();

  // Not with host_platform::park(), which would pass virtual time.
  void wait() noexcept {
    while (has_baton.exchange(0, std::memory_order_acquire) == 0)
      syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&has_baton), FUTEX_WAIT_PRIVATE, 0, nullptr,
              nullptr, 0);
  }
  void give() noexcept {
    has_baton.store(1, std::memory_order_release);  // partner: wait
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&has_baton), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr,
            nullptr, 0);
  }
};

namespace {

constexpr std::size_t min_bytes = 1 << 20;

class thread_attributes {
 public:
  explicit thread_attributes(std::size_t stack_bytes) {
    pthread_attr_init(&attributes_);
    pthread_attr_setstacksize(&attributes_, std::max(stack_bytes, min_bytes));
  }
  ~thread_attributes() { pthread_attr_destroy(&attributes_); }
  thread_attributes(const thread_attributes&) = delete;
  thread_attributes& operator=(const thread_attributes&) = delete;
  const pthread_attr_t* get() const noexcept { return &attributes_; }

 private:
  pthread_attr_t attributes_;
};

}  // namespace

baton_thread::baton_thread() : shared_(std::make_shared<shared_part>()) {}

baton_thread::baton_thread(std::size_t stack_bytes, std::function<void()> code)
    : shared_(std::make_shared<shared_part>()) {
  shared_->code = std::move(code);
  const auto main = [](void* data) -> void* {
    const std::unique_ptr<std::shared_ptr<shared_part>> mine(
        static_cast<std::shared_ptr<shared_part>*>(data));
    watch_overflow_on_this_thread();
    (*mine)->wait();
    (*mine)->code();
    return nullptr;
  };
  auto handed = std::make_unique<std::shared_ptr<shared_part>>(shared_);
  const thread_attributes attributes(stack_bytes);
  if (const int error = pthread_create(&shared_->thread, attributes.get(), main, handed.get()))
    throw std::system_error(error, std::generic_category(), "skua: a thread of a simulated machine");
  handed.release();
  shared_->is_ours = true;
}

baton_thread::~baton_thread() {
  if (!shared_->is_ours) return;
  if (shared_->ended)
    pthread_join(shared_->thread, nullptr);
  else
    pthread_detach(shared_->thread);
}

bool baton_thread::pass_baton(baton_thread& next) noexcept {
  shared_part& mine = *shared_;  // the thread itself holds it
  if (mine.process != process_generation()) end_child("the turn of a worker that has a thread of its own");
  const bool ended = mine.ended;
  next.shared_->give();
  if (!ended) mine.wait();
  return !ended;
}

void baton_thread::end() noexcept { shared_->ended = true; }

}  // namespace skua::core
