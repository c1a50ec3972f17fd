// What every program of this folder offers, so that the tool, the tests and the demo can run any of them.
//
//   const workloads::workload* heat = workloads::find("heat");
//   auto program = heat->make({.size = workloads::size_class::med});
//   program->prepare();                         // input; not timed
//   program->parallel();                        // or sequential()
//   workloads::verdict v = program->verify();   // not timed
//
// A program may be prepared and run any number of times. It is used by one thread at a time.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <skua/topology.hpp>

#include "workloads/common/run_share.hpp"

namespace workloads {

/// ci: well under half a second on one core; med: a few seconds on two; paper: as published, run on demand.
enum class size_class { ci, med, paper };

struct verdict {
  bool correct = false;
  std::string says;  // the answer in one line, or what is wrong with it
};

class program {
 public:
  virtual ~program() = default;
  virtual void prepare() {}
  virtual void sequential() = 0;
  virtual void parallel() = 0;
  virtual verdict verify() = 0;
  /// Damages one element of the last answer; a verify() that does not notice is no check. An answer may have none: see
  /// nothing_to_damage.
  virtual void flip_one() = 0;
  /// What it counted itself in the last run, by name.
  virtual std::map<std::string, double> numbers() const { return {}; }
  /// How much of parallel() is done; stays 0 in a program that cannot know. Who waits clears it before each run.
  run_share& share() noexcept { return share_; }

 private:
  run_share share_;
};

/// Says so; "... for no keys", "n of at least 1".
[[noreturn]] inline void nothing_to_damage(const std::string& answer, const std::string& allowed) {
  throw skua::bad_input("there is nothing to damage in the answer " + answer +
                        "; allowed with --damage: " + allowed);
}

/// Of two as near the smaller one. n > 0.
inline std::uint64_t nearest_power_of_two(std::uint64_t n) {
  const std::uint64_t below = std::bit_floor(n);
  return n - below <= below / 2 ? below : 2 * below;
}

/// What a program is asked to do. Functions that read an option throw skua::bad_input.
struct parameters {
  size_class size = size_class::ci;
  std::optional<std::uint64_t> seed = std::nullopt;  // none: the published one
  std::map<std::string, std::string, std::less<>> options = {};

  template <class T>
  T pick(T ci, T med, T paper) const {
    return size == size_class::ci ? ci : size == size_class::med ? med : paper;
  }
  /// The option's value, one of `allowed`; the first where it is not given.
  std::string choice(std::string_view option, std::initializer_list<std::string_view> allowed) const;
  /// A whole number between `least` and `most`.
  std::int64_t number(std::string_view option, std::int64_t otherwise, std::int64_t least,
                      std::int64_t most) const;
  std::string text(std::string_view option, std::string_view otherwise) const;
};

struct option {
  std::string_view name;
  std::string_view allowed;  // "a|b" for a choice, else words
  std::string_view about;
};

struct workload {
  std::string_view name;
  std::string_view summary;
  std::string_view ci, med, paper;  // what each size means
  std::vector<option> options;
  std::unique_ptr<program> (*make)(const parameters&);
};

/// All of them, in the order of the guide.
std::span<const workload* const> all();
/// nullptr where there is none of that name.
const workload* find(std::string_view name);

}  // namespace workloads
