// Exceptions in headers. A program that is compiled with -fno-exceptions may include skua: no exception passes through
// its code, and a wrong use of skua that would throw ends it by std::terminate.
#pragma once

#include <skua/detail/export.hpp>

#if defined(__cpp_exceptions)
#define SKUA_TRY try
#define SKUA_CATCH catch (...)
#define SKUA_RETHROW throw
#else
#define SKUA_TRY if (true)
#define SKUA_CATCH else
#define SKUA_RETHROW static_cast<void>(0)
#endif

namespace skua::detail {

/// Throws bad_input.
[[noreturn]] SKUA_API void refuse_input(const char* sentence);
/// Throws std::logic_error.
[[noreturn]] SKUA_API void refuse_use(const char* sentence);
/// Throws std::out_of_range.
[[noreturn]] SKUA_API void refuse_index(const char* sentence);

}  // namespace skua::detail
