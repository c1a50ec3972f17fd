// Nobody sleeps while there is work that he could do: what is forked before a long computation, somebody else begins.
#include <fmt/core.h>

#include <string_view>

#include <skua/declare.hpp>
#include <skua/join.hpp>
#include <skua/parallel_for.hpp>
#include <skua/task_group.hpp>

#include "cli/fuzz/program.hpp"

namespace skua::cli::fuzz {
namespace {

/// Far longer than a sleeper by the clock sleeps, or a hostile schedule holds a thread up.
constexpr double long_computation = 2e9;

}  // namespace

void program::look_for_help(dice& by) {
  if (!everybody_helps_ || pool_.workers() < 2) return;
  for (std::uint64_t rounds = by.below(4); rounds != 0; --rounds) {
    costs(static_cast<double>(by.magnitude(1, 4'000'000)));  // so long the others have time to lie down
    bool begun = false;
    std::string_view what;
    const auto wait_in_vain = [&] {
      costs(long_computation);
      if (!begun)
        book_.complain(
            fmt::format("{} was begun by nobody while its maker computed {:g} cycles and all others "
                        "were idle",
                        what, long_computation));
    };
    const auto begin = [&] { begun = true; };
    switch (by.below(3)) {
      case 0:
        what = "the second task of a join";
        join(wait_in_vain, begin);
        break;
      case 1: {
        what = "a task of a group";
        task_group group;
        group.run(begin);
        wait_in_vain();
        group.wait();
        break;
      }
      default:
        what = "the second half of a loop";
        parallel_for(0, 2, [&](int i) { i == 0 ? wait_in_vain() : begin(); }, {.grain = 1});
    }
  }
}

}  // namespace skua::cli::fuzz
