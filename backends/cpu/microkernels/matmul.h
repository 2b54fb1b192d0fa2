/* Products of two computed matrices: columns of the second are packed a few at a
 * time, as constant weights are when the program is built. */
#ifndef BACKENDS_CPU_MICROKERNELS_MATMUL_H_
#define BACKENDS_CPU_MICROKERNELS_MATMUL_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

/* Columns that are computed together, and summands that are packed at once. */
#define ET_CPU_MATMUL_COLUMNS 64
#define ET_CPU_MATMUL_DEPTH 256
#define ET_CPU_MATMUL_FLOATS (ET_CPU_MATMUL_COLUMNS * ET_CPU_MATMUL_DEPTH)

/* Every matrix is dense. */
typedef struct et_cpu_matmul {
  const float *a; /* [rows][depth] */
  const float *b; /* [depth][columns], or [columns][depth] */
  float *out;     /* [rows][columns] */
  size_t rows;
  size_t depth;
  size_t columns;
  bool transposed; /* b is [columns][depth] */
} et_cpu_matmul;

/* Computes columns from `first` on, ET_CPU_MATMUL_COLUMNS of them or what there
 * is. The workspace has ET_CPU_MATMUL_FLOATS. */
typedef void et_cpu_matmul_f32_function(const et_cpu_matmul *matmul,
                                        size_t first, float *workspace);

ET_CPU_DECLARE(et_cpu_matmul_f32_function, et_cpu_matmul_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_MATMUL_H_ */
