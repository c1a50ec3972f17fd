// The built-in policies with their options as structs, for programs that would rather be checked by the compiler.
//
//   skua::scheduler pool({.policy = skua::with::most_loaded{.refresh = 10, .scope = skua::with::scope::domain}});
//   skua::scheduler mixed({.policy = skua::with::mix{.share = 0.9, .first = skua::with::nearest{.heads = true}}});
//
// Each is what stands in the parentheses of a policy's name (`skua explain NAME` says what every option does) and converts
// to that text: scheduler_options::policy takes either. What a number allows is checked by the scheduler's constructor,
// which throws bad_input.
#pragma once

#include <cstdint>
#include <string>

#include <skua/detail/export.hpp>

namespace skua::with {

/// most_loaded: for every attempt, for one in `refresh`, or a sorted list.
enum class scan { always, sometimes, list };
/// A success: the same victim again, or the top of the list.
enum class after { same, top };
enum class scope { machine, domain };
/// managers: half of what the fullest has more, or one task.
enum class steal { half, one };

struct SKUA_API nearest {
  bool persistence = false, heads = false, half = false;
  operator std::string() const;
};
struct SKUA_API random {
  bool half = false;
  bool once = false;  // one try a round
  operator std::string() const;
};
struct SKUA_API round_robin {
  bool half = false;
  operator std::string() const;
};
struct SKUA_API most_loaded {
  scan how = scan::list;
  std::int64_t refresh = 5;  // attempts
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
  std::int64_t boundary = -1;      // a level; -1: by equation 4
  std::int64_t large = 1'048'576;  // bytes
  operator std::string() const;
};
struct SKUA_API depth_aware {
  std::int64_t candidates = 2;
  bool half = false;
  operator std::string() const;
};
struct SKUA_API affinity {
  std::int64_t candidates = 31;
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
  double share = 0.5;
  std::string first = nearest{}, second = random{};
  operator std::string() const;
};
struct SKUA_API chaos {
  double refuse = 0.3;
  operator std::string() const;
};

}  // namespace skua::with
