# The standard and third-party headers that many files include, precompiled for tools/check_compiler. Headers of skua are left out,
# so clang notices a file that lacks one.
add_library(outside_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/nothing.cpp)
target_precompile_headers(outside_headers PRIVATE
  <algorithm> <array> <atomic> <bit> <charconv> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring> <deque>
  <exception> <filesystem> <fstream> <functional> <iterator> <limits> <map> <memory> <mutex> <new> <numeric> <optional>
  <ranges> <set> <span> <sstream> <stdexcept> <string> <string_view> <system_error> <thread> <tuple> <unordered_map>
  <utility> <variant> <vector> <fmt/core.h> <fmt/ranges.h> <nlohmann/json.hpp>)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
target_link_libraries(outside_headers PRIVATE fmt::fmt nlohmann_json::nlohmann_json)
