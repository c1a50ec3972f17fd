// Where an episode is, and what schedulers of earlier processes have chosen there, on the same machine with as many workers
// (SKUA_LEARNT).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/learning/learnt_file.hpp"

namespace skua::core {

enum class episode_kind : std::uint8_t { call, region, loop };

/// Where an episode is, and how large: episodes whose sizes have the same number of bits are alike.
struct episode_key {
  episode_kind kind;
  std::uint64_t site;  // an address of the program
  std::uint32_t size_bits;
  bool operator==(const episode_key&) const = default;
};

constexpr const char* name_of(episode_kind kind) noexcept {
  constexpr const char* names[] = {"call", "region", "loop"};
  return names[static_cast<std::size_t>(kind)];
}

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
