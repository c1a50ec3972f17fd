// WORKLOADS_VECTORISED before a function compiles it for several instruction sets; the loader picks the best
// one that the machine has, so that a binary built without -march uses wide vectors where they exist. What such a
// function calls should be inlined always: clang 19 emits none of the small functions that only such callers need.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WORKLOADS_SANITIZED  // the choice runs before a sanitizer is ready
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
