// Checks for the tests of workloads: an answer is verified on any number of workers, a damaged answer is not, and bad
// options are refused.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <skua/skua.hpp>

#include "tests/support/sanitizers.hpp"
#include "workloads/common/workload.hpp"

namespace workloads {

using options_map = std::map<std::string, std::string, std::less<>>;

inline std::string readable(const std::string& name, const options_map& options) {
  std::string text = name;
  for (const auto& [option, value] : options) text += " " + option + "=" + value;
  return text;
}

/// What verify() must return before anything was computed. Some inputs are already their own answer.
enum class uncomputed { anything, wrong };

/// Checks the sequential answer, the answers on any number of workers, and damaged answers. The messages about the answers of
/// workers must be equal. ThreadSanitizer checks only runs with several threads.
inline void expect_verified(const std::string& name, const options_map& options = {},
                            std::optional<std::uint64_t> seed = std::nullopt,
                            uncomputed before = uncomputed::anything) {
  SCOPED_TRACE(readable(name, options));
  const auto program = find(name)->make({.seed = seed, .options = options});
  if constexpr (!under_thread_sanitizer) {
    program->prepare();
    program->sequential();
    const answer_check alone = program->verify();
    EXPECT_TRUE(alone.correct) << alone.message;
  }
  std::string said;
  for (const std::int64_t workers : any_number_of_workers) {
    skua::scheduler pool({.workers = workers});
    program->prepare();
    if (before == uncomputed::wrong) {
      EXPECT_FALSE(program->verify().correct);
    }
    pool.run([&] { program->parallel(); });
    const answer_check v = program->verify();
    EXPECT_TRUE(v.correct) << v.message << ", " << workers << " workers";
    if (said.empty()) said = v.message;
    EXPECT_EQ(v.message, said) << workers << " workers";
    program->flip_one();
    EXPECT_FALSE(program->verify().correct) << workers << " workers";
  }
}

/// Checks the answer of `workers` workers (0: sequential). A damaged answer must not be verified.
inline answer_check check_of(const std::string& name, const options_map& options, std::int64_t workers,
                             std::optional<std::uint64_t> seed = std::nullopt) {
  const auto program = find(name)->make({.seed = seed, .options = options});
  program->prepare();
  if (workers == 0) {
    program->sequential();
  } else {
    skua::scheduler pool({.workers = workers});
    pool.run([&] { program->parallel(); });
  }
  const answer_check v = program->verify();
  program->flip_one();
  EXPECT_FALSE(program->verify().correct);
  return v;
}

/// Returns the message with which make() refuses an option, or "accepted".
inline std::string complaint(const std::string& name, const std::string& option, const std::string& value) {
  try {
    find(name)->make({.options = {{option, value}}});
  } catch (const skua::bad_input& error) {
    return error.what();
  }
  return "accepted";
}

/// An input file of a workload, with any text in it.
class input_file {
 public:
  explicit input_file(std::string workload)
      : name(testing::TempDir() + "skua_" + workload + "_" + std::to_string(getpid())),
        workload_(std::move(workload)) {}
  ~input_file() { std::filesystem::remove(name); }
  input_file(const input_file&) = delete;
  input_file& operator=(const input_file&) = delete;

  void write(const std::string& text) const { std::ofstream(name) << text; }
  /// Returns the message with which make() refuses this text, without the name of the file, or "accepted".
  std::string complaint(const std::string& text) const {
    write(text);
    const std::string said = workloads::complaint(workload_, "input", name);
    return said == "accepted" ? said : said.substr(name.size());
  }

  const std::string name;

 private:
  std::string workload_;
};

}  // namespace workloads
