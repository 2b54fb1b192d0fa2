/* Wall-clock time for the example programs. */
#ifndef ET_MODELS_STOPWATCH_H_
#define ET_MODELS_STOPWATCH_H_

#include <stddef.h>

/* Returns the seconds since a fixed time, from a monotonic clock. */
double stopwatch_seconds(void);

/* Sorts `count` >= 1 times, and returns the median. */
double stopwatch_median(double *seconds, size_t count);

#endif /* ET_MODELS_STOPWATCH_H_ */
