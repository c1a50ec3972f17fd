// The interface of every program in this folder. The tool, the tests and the demo run all programs through it.
//
//   const workloads::workload* heat = workloads::find("heat");
//   auto program = heat->make({.size = workloads::size_class::med});
//   program->prepare();                         // input; not timed
//   program->parallel();                        // or sequential()
//   workloads::answer_check v = program->verify();   // not timed
//
// A program may be prepared and run any number of times. It is used by one thread at a time.
#pragma once

#include <atomic>
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

namespace workloads {

/// ci: well under half a second on one core; med: a few seconds on two cores; paper: as published, run on demand.
enum class size_class { ci, med, paper };

struct answer_check {
  bool correct = false;
  std::string message;  // the answer in one line, or what is wrong with it
};

/// The progress of a run, as a share from 0 to 1. A program that repeats a step a known number of times reports each
/// step. Any thread may read it. It costs no time on a simulated machine.
///
///   for (int sweep = 0; sweep < sweeps; ++sweep) {
///     share().set(sweep, sweeps);
///     ...
///   }
class run_share {
 public:
  /// `done` of `all` steps are done. The steps should take about the same time each; 0 < all.
  template <class Number>
  void set(Number done, Number all) noexcept {
    share_.store(static_cast<double>(done) / static_cast<double>(all), std::memory_order_relaxed);
  }
  /// For steps that are not done in order: one more of `all` is done. Any thread may call it.
  template <class Number>
  void one_more(Number all) noexcept {
    share_.fetch_add(1 / static_cast<double>(all), std::memory_order_relaxed);
  }
  void reset() noexcept { share_.store(0, std::memory_order_relaxed); }
  double now() const noexcept { return share_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> share_ = 0;
};

class program {
 public:
  virtual ~program() = default;
  virtual void prepare() {}
  virtual void sequential() = 0;
  virtual void parallel() = 0;
  virtual answer_check verify() = 0;
  /// Corrupts one element of the last answer, to test that verify() notices. An answer may have no elements: see
  /// nothing_to_damage.
  virtual void flip_one() = 0;
  /// Numbers that the program counted in the last run, by name.
  virtual std::map<std::string, double> numbers() const { return {}; }
  /// The progress of parallel(). It stays 0 in a program that cannot know it. The caller resets it before each run.
  run_share& share() noexcept { return share_; }

 private:
  run_share share_;
};

/// Throws skua::bad_input. Arguments are, for example, "for no keys" and "n of at least 1".
[[noreturn]] inline void nothing_to_damage(const std::string& answer, const std::string& allowed) {
  throw skua::bad_input("there is nothing to corrupt in the answer " + answer +
                        "; allowed with --corrupt-result: " + allowed);
}

/// If two are equally near, the smaller one. n > 0.
inline std::uint64_t nearest_power_of_two(std::uint64_t n) {
  const std::uint64_t below = std::bit_floor(n);
  return n - below <= below / 2 ? below : 2 * below;
}

/// The parameters of a program. Functions that read an option throw skua::bad_input.
struct parameters {
  size_class size = size_class::ci;
  std::optional<std::uint64_t> seed = std::nullopt;  // none: the published seed
  std::map<std::string, std::string, std::less<>> options = {};

  template <class T>
  T pick(T ci, T med, T paper) const {
    return size == size_class::ci ? ci : size == size_class::med ? med : paper;
  }
  /// The option's value, which must be one of `allowed`. The default is the first of them.
  std::string choice(std::string_view option, std::initializer_list<std::string_view> allowed) const;
  /// A whole number from `min` to `max`.
  std::int64_t number(std::string_view option, std::int64_t default_value, std::int64_t min,
                      std::int64_t max) const;
  std::string text(std::string_view option, std::string_view default_value) const;
};

struct option {
  std::string_view name;
  std::string_view allowed;  // "a|b" for a choice, otherwise a description
  std::string_view about;
};

struct workload {
  std::string_view name;
  std::string_view summary;
  std::string_view ci, med, paper;  // what each size means
  std::vector<option> options;
  std::unique_ptr<program> (*make)(const parameters&);
};

/// All workloads, in the order of the guide.
std::span<const workload* const> all();
/// Returns nullptr if no workload has that name.
const workload* find(std::string_view name);

}  // namespace workloads
