// WORKLOADS_VECTORISED before a function compiles it for several instruction sets. The loader selects the best one that
// the machine has, so a binary built without -march uses wide vectors where they exist. Functions that such a function
// calls should always be inlined: clang 19 does not emit small functions that have only such callers.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKLOADS_SANITIZED  // the loader selects before the sanitizer is initialised
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define WORKLOADS_SANITIZED
#endif
#endif

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(WORKLOADS_SANITIZED)
#define WORKLOADS_VECTORISED __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WORKLOADS_VECTORISED
#endif
