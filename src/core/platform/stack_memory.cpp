#include "core/platform/stack_memory.hpp"

#include <csignal>
#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "core/stack.hpp"

namespace skua::core {

std::size_t whole_pages(std::size_t bytes) {
  static const std::size_t page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

stack_memory::stack_memory(std::size_t bytes, std::size_t guard_bytes)
    : mapped_(guard_bytes + whole_pages(bytes)), bytes_(bytes) {
  mapping_ =
      mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping_ == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(mapping_) + guard_bytes;
  if (guard_bytes == 0 || mprotect(mapping_, guard_bytes, PROT_NONE) == 0) return;
  munmap(mapping_,
         mapped_);  // the kernel allows no more mappings; without a guard an overflow would go unnoticed
  throw std::bad_alloc();
}

stack_memory::~stack_memory() {
  if (mapping_) munmap(mapping_, mapped_);
}

// ---- overflow

namespace {

struct sigaction previous_action;

extern "C" void on_segmentation_fault(int number, siginfo_t* info, void* machine) {
  const task_context* w = detail::current;
  if (w) {
    const stack& s = static_cast<const stack&>(*w);
    const char* at = static_cast<const char*>(info->si_addr);
    const char* low = static_cast<const char*>(s.memory());
    if (!s.external() && at < low && at >= low - stack_guard_bytes) {
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
  if (sanitizer_is_here()) return;
  static const bool installed = [] {
    struct sigaction action{};
    action.sa_sigaction = &on_segmentation_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSEGV, &action, &previous_action) == 0;
  }();
  (void)installed;
}

void signal_stack::turn_on() noexcept {
  stack_t mine{};
  mine.ss_sp = memory_.data();
  mine.ss_size = memory_.size();
  sigaltstack(&mine, nullptr);
}

bool signal_stack::turn_off() noexcept {
  stack_t now{};
  if (sigaltstack(nullptr, &now) != 0) return false;
  if (now.ss_sp != memory_.data() || (now.ss_flags & SS_DISABLE)) return true;
  stack_t off{};
  off.ss_flags = SS_DISABLE;
  return sigaltstack(&off, nullptr) == 0;
}

namespace {

/// The signal stack of a thread that may never be joined. Its memory is not thread_local, because a library that is
/// loaded by dlopen() has room for only a few hundred bytes of thread_local variables.
class own_signal_stack {
 public:
  // Without memory an overflow ends the process without a message.
  own_signal_stack() noexcept : stack_(new(std::nothrow) signal_stack) {
    if (stack_) stack_->turn_on();
  }
  ~own_signal_stack() {
    if (stack_ && stack_->turn_off()) delete stack_;
  }
  own_signal_stack(const own_signal_stack&) = delete;
  own_signal_stack& operator=(const own_signal_stack&) = delete;

 private:
  signal_stack* stack_;
};

}  // namespace

void watch_overflow_on_this_thread() noexcept {
  if (sanitizer_is_here()) return;
  static thread_local own_signal_stack own;
  static_cast<void>(own);
}

}  // namespace skua::core
