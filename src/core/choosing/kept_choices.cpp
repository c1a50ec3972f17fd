#include "core/choosing/kept_choices.hpp"

#include <cstdint>
#include <cstdio>
#include <exception>
#include <string_view>
#include <utility>

#include "core/platform/symbols.hpp"
#include "core/start/settings.hpp"

namespace skua::core {

namespace {

// FNV-1a: the same number in each process.
std::uint64_t hash_of(std::string_view text) noexcept {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

std::unique_ptr<kept_choices> kept_choices::of(const settings& options) {
  if (!learnt_file::of_process().is_kept()) return nullptr;
  std::string machine = options.machine.draw();
  machine += options.machine.processor();
  if (options.simulate)
    machine += options.simulate->machine + std::to_string(static_cast<int>(options.simulate->level));
  char text[48];
  std::snprintf(text, sizeof text, "%zu,%016llx", options.workers,
                static_cast<unsigned long long>(hash_of(machine)));
  return std::make_unique<kept_choices>(text);
}

/// Empty: it cannot be named.
std::string kept_choices::place_of(const episode_key& key) const {
  const std::string site = place_in_build(key.site);
  if (site.empty()) return {};
  return site + ',' + name_of(key.kind) + ',' + std::to_string(key.size_bits) + ',' + machine_;
}

std::optional<learnt_choice> kept_choices::find(const episode_key& key) const noexcept try {
  const std::string place = place_of(key);
  return place.empty() ? std::nullopt : learnt_file::of_process().choice(place);
} catch (const std::exception&) {
  return std::nullopt;
}

void kept_choices::keep(const episode_key& key, const learnt_choice& chosen) const noexcept try {
  if (const std::string place = place_of(key); !place.empty()) learnt_file::of_process().keep(place, chosen);
} catch (const std::exception&) {  // it is learnt again
}

}  // namespace skua::core
