/* clock_gettime is POSIX, not C11. */
#define _POSIX_C_SOURCE 199309L

#include "models/stopwatch.h"

#include <stdlib.h>
#include <time.h>

double stopwatch_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a;
  const double y = *(const double *)b;
  return (x > y) - (x < y);
}

double stopwatch_median(double *seconds, size_t count) {
  qsort(seconds, count, sizeof *seconds, compare);
  return count % 2 == 1 ? seconds[count / 2]
                        : (seconds[count / 2 - 1] + seconds[count / 2]) / 2;
}
