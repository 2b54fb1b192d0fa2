/* Float32 GEMM of two activations: out = a @ b.
 *
 * a is [rows, K], b is [K, N] or [N, K], out is [rows, N]. b is packed in blocks of 256 rows and 64
 * columns, in panels of 16 columns, [panel][K][16], like the weights of gemm_f32:
 *   panel 0: b[k=0][0..15]   b[k=1][0..15]   ...
 *   panel 1: b[k=0][16..31]  b[k=1][16..31]  ...
 * The tiles are those of gemm_f32. A packed block is 64 KB and stays in the L2 cache for all rows
 * of a. Packing reads b once, in either orientation. With many rows of a, multiply-adds are the
 * bottleneck; with few, reading b from memory is. */
#ifndef BACKENDS_CPU_MICROKERNELS_MATMUL_H_
#define BACKENDS_CPU_MICROKERNELS_MATMUL_H_

#include <stdbool.h>
#include <stddef.h>

#include "backends/cpu/microkernels/variants.h"
#include "backends/cpu/schema/kernel_sizes.h"

/* Number of floats in a packed block of b. */
#define ET_CPU_MATMUL_FLOATS (ET_CPU_MATMUL_COLUMNS * ET_CPU_MATMUL_DEPTH)

/* All matrices are dense. */
typedef struct et_cpu_matmul {
  const float *a; /* [rows][depth] */
  const float *b; /* [depth][columns], or [columns][depth] */
  float *out;     /* [rows][columns] */
  size_t rows;
  size_t depth;
  size_t columns;
  bool transposed; /* b is [columns][depth] */
} et_cpu_matmul;

/* Computes up to ET_CPU_MATMUL_COLUMNS columns, starting at `first`. The workspace has
 * ET_CPU_MATMUL_FLOATS floats. */
typedef void et_cpu_matmul_f32_function(const et_cpu_matmul *matmul,
                                        size_t first, float *workspace);

ET_CPU_DECLARE(et_cpu_matmul_f32_function, et_cpu_matmul_f32);

#endif /* BACKENDS_CPU_MICROKERNELS_MATMUL_H_ */
