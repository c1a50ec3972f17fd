// Tells under which sanitizer a test runs. A sanitized program is 5 to 30 times slower, so a few long tests use fewer or
// smaller inputs there. The release tree runs all inputs.
#pragma once

#include <cstdint>

#if defined(__SANITIZE_THREAD__)
constexpr bool under_thread_sanitizer = true;
#else
constexpr bool under_thread_sanitizer = false;
#endif
#if defined(__SANITIZE_ADDRESS__)
constexpr bool under_address_sanitizer = true;
#else
constexpr bool under_address_sanitizer = false;
#endif
constexpr bool under_sanitizer = under_thread_sanitizer || under_address_sanitizer;

/// For programs whose answer does not depend on the number of workers. With one worker, one thread computes everything, so
/// ThreadSanitizer has nothing to check in the program. The tests of api/runtime check how that thread gets its worker.
#if defined(__SANITIZE_THREAD__)
constexpr std::int64_t any_number_of_workers[] = {2, 8};
#else
constexpr std::int64_t any_number_of_workers[] = {1, 2, 3, 8};
#endif

/// Use it at the beginning of a test that never has more than one thread: ThreadSanitizer has nothing to check there.
#define SKIP_ONE_THREAD_UNDER_THREAD_SANITIZER() \
  if constexpr (under_thread_sanitizer) GTEST_SKIP() << "one thread; ThreadSanitizer checks nothing here"

/// Use it at the beginning of a test that judges virtual times, has one thread and takes 15 s or more under AddressSanitizer, if
/// shorter tests run the same code there.
#define SKIP_LONG_VIRTUAL_TIME_UNDER_SANITIZERS() \
  if constexpr (under_sanitizer)                  \
  GTEST_SKIP() << "virtual times are the same without a sanitizer, and shorter tests run this code"
