#include "peer_process.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

extern char** environ;

namespace bench {
namespace {

std::filesystem::path program_of(const std::string& peer) { return peers_folder() / peer; }

std::vector<std::string> arguments_of(const job& wanted) {
  std::vector<std::string> command = {program_of(wanted.peer).string(),
                                      wanted.kernel,
                                      "--workers",
                                      std::to_string(wanted.workers),
                                      "--repeat",
                                      std::to_string(wanted.repeat),
                                      "--size",
                                      std::to_string(wanted.size)};
  for (const std::string& root : wanted.roots) command.insert(command.end(), {"--root", root});
  if (!wanted.expected.empty()) command.insert(command.end(), {"--expect", wanted.expected});
  return command;
}

struct ended {
  std::string output;
  int status = 0;
  bool timed_out = false;
  bool started = true;
};

/// Reads from `from` until its end or the deadline. Returns false after the deadline.
bool read_until(int from, std::chrono::steady_clock::time_point deadline, std::string& output) {
  std::array<char, 4096> buffer;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd waiting{from, POLLIN, 0};
    if (poll(&waiting, 1, std::max(0, static_cast<int>(left.count()))) == 0) return false;
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got <= 0) return true;
    output.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

ended run(std::vector<std::string> command, int timeout_seconds) {
  ended result;
  std::array<int, 2> channel;
  if (pipe(channel.data()) != 0) return {.output = {}, .started = false};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, channel[1], STDERR_FILENO);
  posix_spawn_file_actions_addclose(&actions, channel[0]);
  posix_spawn_file_actions_addclose(&actions, channel[1]);
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  result.started = posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  if (result.started) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
    result.timed_out = !read_until(channel[0], deadline, result.output);
    if (result.timed_out) kill(child, SIGKILL);
    waitpid(child, &result.status, 0);
  }
  close(channel[0]);
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::filesystem::path peers_folder() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "bench";
}

bool peer_exists(const std::string& peer) { return access(program_of(peer).c_str(), X_OK) == 0; }

measurement run_peer(const job& wanted, int timeout_seconds) {
  const ended end = run(arguments_of(wanted), timeout_seconds);
  measurement result;
  if (!end.started)
    result.complaint = "cannot be started";
  else if (end.timed_out)
    result.complaint = "did not finish within " + std::to_string(timeout_seconds) + " s";
  else if (WIFSIGNALED(end.status))
    result.complaint =
        "ended by signal " + std::to_string(WTERMSIG(end.status)) + ": " + first_line(end.output);
  if (!result.complaint.empty()) return result;

  try {
    const nlohmann::json line = nlohmann::json::parse(first_line(end.output));
    result.units = line.at("units");
    result.seconds = line.at("seconds").get<std::vector<double>>();
    result.check = line.at("check");
    result.verified = line.at("verified");
    result.peak_bytes = line.at("peak_bytes");
    result.steals = line.at("steals");
    result.remote_steals = line.at("remote_steals");
    if (result.seconds.empty()) result.complaint = "printed no measurements";
  } catch (const nlohmann::json::exception&) {
    result.complaint = end.output.empty() ? "printed nothing" : first_line(end.output);
  }
  return result;
}

}  // namespace bench
