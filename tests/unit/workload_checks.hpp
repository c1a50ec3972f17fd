// What the tests of workloads ask of each: that its answer is verified on any number of workers, that a damaged one is
// not, and that bad options are refused.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <skua/skua.hpp>

#include "workloads/common/workload.hpp"

namespace workloads {

using options_map = std::map<std::string, std::string, std::less<>>;

inline std::string readable(const std::string& name, const options_map& options) {
  std::string text = name;
  for (const auto& [option, value] : options) text += " " + option + "=" + value;
  return text;
}

/// Sequentially, on 1, 2, 3 and 8 workers, which must say the same of their answer, and damaged.
inline void expect_verified(const std::string& name, const options_map& options = {},
                            std::optional<std::uint64_t> seed = std::nullopt) {
  SCOPED_TRACE(readable(name, options));
  const auto program = find(name)->make({.seed = seed, .options = options});
  program->prepare();
  program->sequential();
  const verdict alone = program->verify();
  EXPECT_TRUE(alone.correct) << alone.says;
  std::string said;
  for (const std::int64_t workers : {1, 2, 3, 8}) {
    skua::scheduler pool({.workers = workers});
    program->prepare();
    pool.run([&] { program->parallel(); });
    const verdict v = program->verify();
    EXPECT_TRUE(v.correct) << v.says << ", " << workers << " workers";
    if (said.empty()) said = v.says;
    EXPECT_EQ(v.says, said) << workers << " workers";
    program->flip_one();
    EXPECT_FALSE(program->verify().correct) << workers << " workers";
  }
}

/// What make() says to one option, or "accepted".
inline std::string complaint(const std::string& name, const std::string& option, const std::string& value) {
  try {
    find(name)->make({.options = {{option, value}}});
  } catch (const skua::bad_input& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace workloads
