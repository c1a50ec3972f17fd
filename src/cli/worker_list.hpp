// Numbers of workers as one writes them: "1..8", "1,2,4,8", "1..24:4", "1..N".
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace skua::cli {

/// Ascending, each once. `N` stands for `most_useful`, what the machine has a worker for. A range with a step has its end
/// in any case: "1..10:4" is 1, 5, 9, 10. Throws bad_input.
std::vector<std::size_t> worker_list(std::string_view text, std::size_t most_useful);
/// From 1 to `most_useful`, and not more than some ten: doubled where there are many.
std::vector<std::size_t> usual_workers(std::size_t most_useful);

}  // namespace skua::cli
