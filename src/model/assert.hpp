#pragma once

#include <cstdlib>

/// Checks an invariant of our own code; on in debug and sanitizer builds, free otherwise. Never
/// used on what the fabric, a file or a client sends: that is a Result.
#if defined(HEDDLE_CHECK_INVARIANTS)
#include <cstdio>
#define HEDDLE_ASSERT(condition)                                                             \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
#define HEDDLE_ASSERT(condition) static_cast<void>(0)
#endif
