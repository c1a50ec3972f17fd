// Memory of stacks: reserved at once, committed as touched, a guard below.
#include "core/stack.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "core/queue/queue_operations.hpp"

namespace skua::core {

namespace {

std::size_t page_bytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}
std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
}

/// A function's frame may be larger than a page and jump over a small guard. Only addresses are used up.
constexpr std::size_t guard_bytes = 1 << 20;

}  // namespace

// [guard | stack | slots | sides]; without the first two for a thread's own stack.
stack::stack(std::size_t bytes) : bytes_(bytes ? whole_pages(bytes) : 0) {
  const std::size_t below = bytes_ ? guard_bytes : 0;
  const std::size_t slot_bytes = whole_pages((join_capacity + 1) * sizeof(detail::slot));
  mapped_ = below + bytes_ + slot_bytes + whole_pages(join_capacity * sizeof(stolen_side));
  mapping_ =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapping_);
  if (below && mprotect(begin, below, PROT_NONE) != 0) {
    munmap(mapping_, mapped_);
    throw std::bad_alloc();
  }
  usable_ = begin + below;
  initialise<host_platform>(*this, reinterpret_cast<detail::slot*>(begin + below + bytes_), join_capacity);
  // Fresh pages are zero, which is an empty side: no need to touch a megabyte.
  sides_ = reinterpret_cast<stolen_side*>(begin + below + bytes_ + slot_bytes);
  scope_base.store(slots, std::memory_order_relaxed);
}

void stack::use_deque() {
  deque = std::make_unique<joins_deque>();
  armed = slots;
  limit.store(slots, std::memory_order_relaxed);
  split.store(last + 1, std::memory_order_relaxed);
}

stack::~stack() {
  end_context(execution);
  munmap(mapping_, mapped_);
}

namespace {

struct sigaction previous_action;

extern "C" void on_segmentation_fault(int number, siginfo_t* info, void* machine) {
  const task_context* w = detail::current;
  if (w) {
    const stack& s = static_cast<const stack&>(*w);
    const char* at = static_cast<const char*>(info->si_addr);
    const char* low = static_cast<const char*>(s.memory());
    if (!s.external() && at < low && at >= low - guard_bytes) {
      static const char text[] =
          "skua: stack overflow: a task used up its stack; set SKUA_STACK_BYTES (default 1048576) to a "
          "larger "
          "number of bytes\n";
      [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
      std::abort();
    }
  }
  if (previous_action.sa_flags & SA_SIGINFO) {
    previous_action.sa_sigaction(number, info, machine);
  } else if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN) {
    previous_action.sa_handler(number);
  } else {
    signal(number, SIG_DFL);
    raise(number);
  }
}

}  // namespace

void install_overflow_handler() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  static const bool installed = [] {
    struct sigaction action{};
    action.sa_sigaction = &on_segmentation_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &previous_action) == 0;
  }();
  (void)installed;
#endif
}

namespace {

/// What a handler runs on when a thread's own stack is used up. Its memory is not itself thread_local: the room for these
/// in a library that is loaded while a program runs (dlopen) is a few hundred bytes.
class signal_stack {
 public:
  signal_stack() noexcept : memory_(static_cast<char*>(std::malloc(bytes))) {}
  ~signal_stack() {
    if (turned_off()) std::free(memory_);
  }
  signal_stack(const signal_stack&) = delete;
  signal_stack& operator=(const signal_stack&) = delete;

  /// Without memory an overflow ends the process as well, but without a word.
  void turn_on() noexcept {
    if (!memory_) return;
    stack_t mine{};
    mine.ss_sp = memory_;
    mine.ss_size = bytes;
    sigaltstack(&mine, nullptr);
  }

 private:
  static constexpr std::size_t bytes = 32768;

  // Not while a handler runs there, from which the thread ends; and the program may have set one of its own since.
  bool turned_off() noexcept {
    stack_t now{};
    if (sigaltstack(nullptr, &now) != 0) return false;
    if (now.ss_sp != memory_ || (now.ss_flags & SS_DISABLE)) return true;
    stack_t off{};
    off.ss_flags = SS_DISABLE;
    return sigaltstack(&off, nullptr) == 0;
  }

  char* memory_;
};

}  // namespace

void watch_overflow_on_this_thread() noexcept {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  static thread_local signal_stack own;
  own.turn_on();
#endif
}

}  // namespace skua::core
