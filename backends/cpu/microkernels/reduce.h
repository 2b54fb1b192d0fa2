/* One number of many: over the middle one of three dims. */
#ifndef BACKENDS_CPU_MICROKERNELS_REDUCE_H_
#define BACKENDS_CPU_MICROKERNELS_REDUCE_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"

/* The codes stand in payloads. */
typedef enum et_cpu_reduction {
  ET_CPU_REDUCE_SUM = 0,
  ET_CPU_REDUCE_MEAN = 1,
  ET_CPU_REDUCE_MOST = 2,
  ET_CPU_REDUCE_LEAST = 3,
  ET_CPU_REDUCE_PRODUCT = 4,
  ET_CPU_REDUCE_FIRST_MOST = 5, /* where the largest first stands */
  ET_CPU_REDUCE_FIRST_LEAST = 6,
} et_cpu_reduction;

typedef struct et_cpu_reduce {
  const float *x;  /* [outer][count][columns] */
  float *out;      /* [outer][columns]; NULL: places are wanted */
  int64_t *places; /* [outer][columns] */
  size_t count;
  size_t columns;
  et_cpu_reduction reduction;
} et_cpu_reduce;

/* `columns` columns of one outer index, from `first` on. Numbers of a row are
 * joined in lanes as rows.h does where there is one column, else one after the
 * other. */
typedef void et_cpu_reduce_f32_function(const et_cpu_reduce *reduce,
                                        size_t outer, size_t first,
                                        size_t columns);

ET_CPU_DECLARE(et_cpu_reduce_f32_function, et_cpu_reduce_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_REDUCE_H_ */
