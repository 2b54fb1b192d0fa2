/* Wall-clock time for the example programs. */
#ifndef ET_MODELS_STOPWATCH_H_
#define ET_MODELS_STOPWATCH_H_

#include <stddef.h>

/* Seconds since some fixed moment; never runs backwards. */
double stopwatch_seconds(void);

/* Median of `count` >= 1 times; sorts them. */
double stopwatch_median(double *seconds, size_t count);

#endif /* ET_MODELS_STOPWATCH_H_ */
