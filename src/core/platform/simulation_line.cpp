#include "core/platform/simulation_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <utility>

#include "core/platform/simulated_machine.hpp"
#include "core/platform/timed_thread.hpp"

namespace skua::core {

class simulation_line::thread {
 public:
  thread(std::string machine, std::shared_ptr<const simulated_machine> simulated)
      : machine_(std::move(machine)), simulated_(std::move(simulated)) {}
  ~thread() {
    looks_.stop();
    remove();
  }

 private:
  /// A leaf may compute for long without an event, and a program may do other things than to simulate. False: from now on the
  /// program shows the progress itself.
  bool look() {
    constexpr int few = 4;
    if (simulated_->program_asks()) {
      remove();
      return false;
    }
    const simulation_progress now = simulated_->progress();
    looks_in_vain_ = now.events == events_ ? looks_in_vain_ + 1 : 0;
    events_ = now.events;
    if (now.events == 0 || looks_in_vain_ > few)
      remove();
    else
      draw(now.seconds);
    return true;
  }

  // The cursor is left at the beginning, so that what the program prints does not follow the line.
  void draw(double virtual_s) {
    const std::chrono::duration<double> real = std::chrono::steady_clock::now() - begin_;
    char text[256];
    int length = std::snprintf(text, sizeof text, "simulating %s: %.3g s of virtual time, %.0f s so far",
                               machine_.c_str(), virtual_s, real.count());
    length = std::min(length, static_cast<int>(sizeof text) - 1);
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && length >= size.ws_col)
      length = size.ws_col - 1;
    std::fprintf(stderr, "\r\x1b[K%.*s\r", length, text);
    is_drawn_ = true;
  }
  void remove() {
    if (std::exchange(is_drawn_, false)) std::fputs("\r\x1b[K", stderr);
  }

  const std::string machine_;
  const std::shared_ptr<const simulated_machine> simulated_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  bool is_drawn_ = false;
  int looks_in_vain_ = 0;
  std::uint64_t events_ = 0;
  timed_thread looks_{std::chrono::milliseconds(500), [this] { return look(); }};  // last: it uses the others
};

simulation_line::simulation_line(std::string machine, std::shared_ptr<const simulated_machine> simulated) {
  if (isatty(STDERR_FILENO) != 1) return;
  try {
    thread_ = std::make_unique<thread>(std::move(machine), std::move(simulated));
  } catch (const std::system_error&) {  // no more threads: then nothing is shown
  }
}
simulation_line::~simulation_line() = default;

}  // namespace skua::core
