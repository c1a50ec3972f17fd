// What has been learnt: the shapes of regions by name, and the policies that were chosen by place. It is kept in the process,
// and in the file that SKUA_LEARNT names, so that later processes know it.
//
//   skua learnt 2
//   region NAME BYTES BRANCHING DEPTH BYTES_BY_LEVEL...
//   policy PLACE POLICY SAMPLES NS DEVIATION
//
// A file of another version, or a damaged one, is ignored with one line on stderr, and replaced when there is something to
// keep. A file that is not skua's stays as it is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <skua/shaped.hpp>

#include "core/choosing/samples.hpp"
#include "core/platform/process_fork.hpp"

namespace skua::core {

/// The policy that runs a place's episodes fastest, and its nanoseconds for an iteration.
struct learnt_choice {
  std::string policy;
  samples measured;
};

class learnt_file {
 public:
  static learnt_file& of_process();
  /// Says on stderr if SKUA_LEARNT names no file that can be read or written, once for a process. The program goes on.
  static void say_if_unusable() noexcept;
  /// Whether there is a file.
  bool is_kept() const noexcept { return !path_.empty(); }

  std::optional<learnt_region> region(const std::string& name) const;
  void keep(const std::string& name, const learnt_region& seen);
  /// `place` is a text without blanks.
  std::optional<learnt_choice> choice(const std::string& place) const;
  void keep(const std::string& place, const learnt_choice& chosen);

 private:
  struct contents {
    std::map<std::string, learnt_region> regions;
    std::map<std::string, learnt_choice> choices;
  };
  enum class state { readable, foreign };

  explicit learnt_file(std::string path);
  contents read();
  void write();

  const std::string path_;
  mutable fork_safe_lock mutex_;
  contents known_, own_;  // own: what this process has learnt
  state state_ = state::readable;
};

}  // namespace skua::core
