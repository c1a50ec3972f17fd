// The built-in policies with their options as structs, so that the compiler checks names and types.
//
//   skua::scheduler pool({.policy = skua::with::most_loaded{.refresh = 10, .scope = skua::with::scope::domain}});
//   skua::scheduler mixed({.policy = skua::with::mix{.share = 0.9, .first = skua::with::nearest{.heads = true}}});
//
// The members of a struct are the options in the parentheses of a policy's name. `skua explain NAME` describes each of
// them and the range of its values. A struct converts to the text of the name with its options, and
// scheduler_options::policy accepts either form.
// Cost: the conversion allocates one string.
// Throws: the conversion throws std::bad_alloc. The scheduler's constructor throws bad_input for a value out of range.
// Thread-safety: the structs are values.
// Paper: `skua explain NAME` lists the paper of each policy.
#pragma once

#include <cstdint>
#include <string>

#include <skua/detail/export.hpp>

namespace skua::with {

/// most_loaded: loads are read at every attempt, at one in `refresh` attempts, or kept in a sorted list.
enum class scan { always, sometimes, list };
/// most_loaded: the next victim after a success: the same one again, or the top of the list.
enum class after { same, top };
/// most_loaded: whether victims are in the whole machine or in the thief's domain.
enum class scope { machine, domain };
/// managers: a steal takes half of the difference between the fullest worker and the thief, or one task.
enum class steal { half, one };

/// nearest: when workers hand new joins, loops and group tasks directly to idle workers (skua::dealing).
enum class deal { never, large, always };

struct SKUA_API nearest {
  bool persistence = false, heads = false, half = false;
  with::deal deal = with::deal::large;
  operator std::string() const;
};
struct SKUA_API random {
  bool half = false;
  bool once = false;  // one attempt in each round
  operator std::string() const;
};
struct SKUA_API round_robin {
  bool half = false;
  operator std::string() const;
};
struct SKUA_API most_loaded {
  scan how = scan::list;
  std::int64_t refresh = 5;  // attempts between two scans or refreshes of the list
  with::after after = with::after::same;
  with::scope scope = with::scope::machine;
  bool half = false;
  operator std::string() const;
};
struct SKUA_API announced {
  std::int64_t capacity = 4;   // tasks
  std::int64_t patience = 16;  // rounds
  bool half = false;
  operator std::string() const;
};
struct SKUA_API bitier {
  std::int64_t boundary = -1;      // a level; -1: computed by equation 4 of CAB
  std::int64_t large = 1'048'576;  // bytes
  bool spread = false;             // each domain gets the same part of a region every time
  operator std::string() const;
};
struct SKUA_API depth_aware {
  std::int64_t candidates = 2;  // workers
  bool half = false;
  operator std::string() const;
};
struct SKUA_API affinity {
  std::int64_t candidates = 31;  // workers
  bool strict = false;
  operator std::string() const;
};
struct SKUA_API deal_at_start {
  std::int64_t patience = 64;  // rounds
  operator std::string() const;
};
struct SKUA_API managers {
  std::int64_t radix = 8;
  with::steal steal = with::steal::half;
  std::int64_t underflow = 1;  // tasks
  std::int64_t dedicated = 0;  // workers
  bool rescue = true;
  std::int64_t patience = 64;  // rounds
  operator std::string() const;
};
struct SKUA_API chase_lev {
  operator std::string() const;
};
struct SKUA_API mix {
  double share = 0.5;  // of the first policy, 0 to 1
  std::string first = nearest{}, second = random{};
  operator std::string() const;
};
struct SKUA_API automatic {  // the policy named auto
  operator std::string() const;
};
struct SKUA_API chaos {
  double refuse = 0.3;  // share of rounds without an attempt, 0 to 0.95
  operator std::string() const;
};

}  // namespace skua::with
