/* Reduction of float32 tensors: y[a, c] = reduction of x[a, 0..R, c].
 *
 * With one column, the row is accumulated in the lanes of rows.h, whose order of summation is the
 * same for every instruction set. With several columns, a tile is one vector of columns with one
 * accumulator, and elements are added in order; x is read in memory order. ARGMAX and ARGMIN
 * compare elements one by one. Otherwise, loads are the bottleneck: each element is read and used
 * once. */
#ifndef BACKENDS_CPU_MICROKERNELS_REDUCE_H_
#define BACKENDS_CPU_MICROKERNELS_REDUCE_H_

#include <stddef.h>
#include <stdint.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/records.h"

typedef struct et_cpu_reduce {
  const float *x;   /* [outer, count, columns] */
  float *out;       /* [outer, columns]; NULL for ARGMAX and ARGMIN */
  int64_t *indices; /* [outer, columns] for ARGMAX and ARGMIN, else NULL */
  size_t count;
  size_t columns;
  et_cpu_reduction reduction;
} et_cpu_reduce;

/* Reduces `columns` columns, starting at `first`, for one outer index. */
typedef void et_cpu_reduce_f32_function(const et_cpu_reduce *reduce,
                                        size_t outer, size_t first,
                                        size_t columns);

ET_CPU_DECLARE(et_cpu_reduce_f32_function, et_cpu_reduce_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_REDUCE_H_ */
