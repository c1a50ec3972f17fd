#include "cli/own_runs.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <string_view>
#include <thread>

#include <skua/topology.hpp>

extern char** environ;

namespace skua::cli {
namespace {

constexpr const char* this_program = "/proc/self/exe";

std::vector<char*> clean_environment() {
  std::vector<char*> kept;
  for (char** variable = environ; *variable; ++variable)
    if (!std::string_view(*variable).starts_with("SKUA_")) kept.push_back(*variable);
  kept.push_back(nullptr);
  return kept;
}

/// What comes through until the other end is closed.
std::string read_all(int from) {
  std::string all;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t got = read(from, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return all;
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

/// Both streams into one pipe: a run that succeeds says nothing on the second, for it warns on a terminal only.
pid_t start(arguments words, int output) {
  words.insert(words.begin(), "skua");
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::vector<char*> environment = clean_environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  pid_t child = -1;
  const int error = posix_spawn(&child, this_program, &actions, nullptr, pointers.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

std::string complaint_of(const arguments& words, const own_run& ran, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = WIFEXITED(status) ? fmt::format("ended with {}", WEXITSTATUS(status))
                                            : fmt::format("was ended by signal {}", WTERMSIG(status));
  const std::string said = ran.output.substr(0, ran.output.find_last_not_of('\n') + 1).substr(0, 300);
  return fmt::format("`skua {}` {}: {}", fmt::join(words, " "), how, said);
}

own_run run_one(const arguments& words) {
  own_run ran;
  std::array<int, 2> channel;
  if (pipe2(channel.data(), O_CLOEXEC) != 0) return {.output = {}, .complaint = "there is no pipe left"};
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(words, channel[1]);
  close(channel[1]);
  if (child >= 0) {
    ran.output = read_all(channel[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ran.complaint = complaint_of(words, ran, status);
  } else {
    ran.complaint = "this program cannot start itself";
  }
  close(channel[0]);
  ran.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return ran;
}

}  // namespace

std::vector<own_run> run_ourselves(const std::vector<arguments>& commands,
                                   const std::function<void(std::size_t, std::size_t, const own_run&)>& ended,
                                   std::size_t at_a_time) {
  std::vector<own_run> runs(commands.size());
  std::atomic<std::size_t> next = 0;
  std::mutex telling;
  std::size_t done = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < commands.size(); i = next++) {
      runs[i] = run_one(commands[i]);
      const std::lock_guard alone(telling);
      ended(++done, i, runs[i]);
    }
  };
  if (at_a_time == 0) at_a_time = topology::host().default_workers(true);
  std::vector<std::jthread> threads;
  for (std::size_t i = 1; i < std::min(at_a_time, commands.size()); ++i) threads.emplace_back(work);
  work();
  threads.clear();
  return runs;
}

}  // namespace skua::cli
