// Runs a part of a test in a child process that has limits or masks of its own. The calling process should have no other
// threads.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

struct child_result {
  int exit_code = -1;  // -1: a signal ended the child, or it could not be started
  int signal = 0;
  std::string errors;  // the child's standard error
};

/// The child exits with the result of body().
template <class F>
child_result in_child(F body) {
  std::array<int, 2> channel{};
  if (pipe(channel.data()) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    dup2(channel[1], STDERR_FILENO);
    close(channel[0]);
    close(channel[1]);
    std::_Exit(body());
  }
  close(channel[1]);
  child_result ended;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; child > 0 && (got = read(channel[0], buffer.data(), buffer.size())) > 0;)
    ended.errors.append(buffer.data(), static_cast<std::size_t>(got));
  close(channel[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return ended;
  if (WIFEXITED(status)) ended.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  return ended;
}
