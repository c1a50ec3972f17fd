#include "base/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>

extern char** environ;

namespace skua::base {
namespace {

using clock = std::chrono::steady_clock;

double since(clock::time_point begin) { return std::chrono::duration<double>(clock::now() - begin).count(); }

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<char*> environment_of(std::string_view without, std::vector<std::string>& with) {
  std::vector<char*> kept = pointers_to(with);
  kept.pop_back();  // the end
  for (char** variable = environ; *variable; ++variable)
    if (without.empty() || !std::string_view(*variable).starts_with(without)) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

/// Returns a process id, or -1. Both output streams of the process go to `output`.
pid_t spawn(const process_command& command, int output) {
  std::vector<std::string> words = command.arguments, with = command.with;
  words.insert(words.begin(), command.name);
  std::vector<char*> arguments = pointers_to(words), environment = environment_of(command.without, with);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t child = -1;
  const int error =
      posix_spawn(&child, command.program.c_str(), &actions, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

/// Milliseconds for poll(2), rounded up: -1 without a limit.
int left_ms(double max_seconds, clock::time_point begin) {
  if (max_seconds <= 0) return -1;
  return static_cast<int>(std::clamp(1000 * (max_seconds - since(begin)) + 1, 0.0, double{INT_MAX}));
}

/// Reads until all writers have closed the pipe. Returns false when the time is over first.
bool read_all(int from, double max_seconds, clock::time_point begin, std::string& output) {
  std::array<char, 4096> buffer;
  for (;;) {
    pollfd waiting{from, POLLIN, 0};
    const int ready = poll(&waiting, 1, left_ms(max_seconds, begin));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return false;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

void wait_for(pid_t child, process_result& ended) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    ended.signal = WTERMSIG(status);
  else
    ended.exit_code = WEXITSTATUS(status);
}

}  // namespace

std::string process_result::ending() const {
  if (!started) return "could not be started";
  if (timed_out) return "did not finish within " + std::to_string(static_cast<long>(seconds)) + " s";
  if (signal != 0) return "was killed by signal " + std::to_string(signal);
  return "exited with code " + std::to_string(exit_code);
}

process_result run_process(const process_command& command) {
  process_result ended;
  std::array<int, 2> channel;
  if (pipe2(channel.data(), O_CLOEXEC) != 0) return ended;
  const clock::time_point begin = clock::now();
  const pid_t child = spawn(command, channel[1]);
  close(channel[1]);
  ended.started = child >= 0;
  if (ended.started) {
    ended.timed_out = !read_all(channel[0], command.max_seconds, begin, ended.output);
    if (ended.timed_out) kill(child, SIGKILL);
    wait_for(child, ended);
  }
  close(channel[0]);
  ended.seconds = since(begin);
  return ended;
}

process_result run_in_copy(const std::function<int()>& body) {
  process_result ended;
  const clock::time_point begin = clock::now();
  const pid_t copy = fork();
  if (copy == 0) std::_Exit(body());
  ended.started = copy > 0;
  if (ended.started) wait_for(copy, ended);
  ended.seconds = since(begin);
  return ended;
}

namespace {

std::string quoted(const std::string& argument) {
  constexpr const char* plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string::npos) return argument;
  std::string text = "'";
  for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string command_line() {
  std::ifstream from("/proc/self/cmdline", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(from)), std::istreambuf_iterator<char>());
  std::string line;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find('\0', at), all.size());
    line += (line.empty() ? "" : " ") + quoted(all.substr(at, end - at));
    at = end + 1;
  }
  return line;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts));
}

}  // namespace skua::base
