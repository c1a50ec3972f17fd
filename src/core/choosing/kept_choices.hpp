// What schedulers of earlier processes have chosen, on the same machine with as many workers (SKUA_LEARNT).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/choosing/episode_key.hpp"
#include "core/learning/learnt_file.hpp"

namespace skua::core {

struct settings;

class kept_choices {
 public:
  /// Null if nothing is kept between processes.
  static std::unique_ptr<kept_choices> of(const settings& options);

  /// Nothing also for a program without a build id, whose places cannot be told from those of another version.
  std::optional<learnt_choice> find(const episode_key& key) const noexcept;
  void keep(const episode_key& key, const learnt_choice& chosen) const noexcept;

  explicit kept_choices(std::string machine) : machine_(std::move(machine)) {}

 private:
  std::string place_of(const episode_key& key) const;
  const std::string machine_;
};

}  // namespace skua::core
