/* out = a @ b, where both matrices are computed.
 *
 * b is packed in blocks of 256 rows and 64 columns, in panels of 16 columns as the weights of
 * gemm_f32 are, and multiplied with the same tiles. A packed block has 64 KB and stays in the
 * level-2 cache for all rows of a. Packing reads b once, in either orientation. If a has many
 * rows, packing costs little; otherwise, the bottleneck is reading b from memory. */
#ifndef BACKENDS_CPU_MICROKERNELS_MATMUL_H_
#define BACKENDS_CPU_MICROKERNELS_MATMUL_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"

/* Columns and rows of a packed block of b. */
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

/* Computes columns `first` to `first + ET_CPU_MATMUL_COLUMNS - 1`, or to the last. The
 * workspace has ET_CPU_MATMUL_FLOATS floats. */
typedef void et_cpu_matmul_f32_function(const et_cpu_matmul *matmul,
                                        size_t first, float *workspace);

ET_CPU_DECLARE(et_cpu_matmul_f32_function, et_cpu_matmul_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_MATMUL_H_ */
