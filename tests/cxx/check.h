// Checks of C++ tests. A failed check is printed, and the test continues.
#ifndef TESTS_CXX_CHECK_H_
#define TESTS_CXX_CHECK_H_

#include <cstdio>

// Number of failed checks.
inline int check_failures = 0;

#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      check_failures++;                                           \
    }                                                             \
  } while (0)

#endif  // TESTS_CXX_CHECK_H_
