/* Operators on low-bit weights. */
#ifndef ET_KERNELS_QUANTIZED_LOW_BIT_H_
#define ET_KERNELS_QUANTIZED_LOW_BIT_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

/* ---- Blockwise quantized matrices ---- */

/* Elements have 2, 4 or 8 bits. Each group of consecutive elements of a row has
 * a scale, and optionally a zero point or a minimum. */

/* How the values of a group are shifted:
 *
 * - zero point: value = (q - zero_point) * scale;
 * - minimum: value = (q - lowest q) * scale + minimum. */
typedef enum et_low_bit_shift {
  ET_LOW_BIT_ZERO_POINTS,
  ET_LOW_BIT_MINIMA,
} et_low_bit_shift;

/* 8-bit values are int8 or uint8. Other values are packed into uint8, offset by
 * half of their range. A byte holds two 4-bit values, the first in the high
 * half, or four 2-bit values, the first in the lowest bits. */
typedef struct et_low_bit {
  const et_tensor *quantized; /* [rows, bytes] */
  const et_tensor *scales;    /* [rows] or [rows, groups] */
  const et_tensor *shifts;    /* like scales, or NULL */
  et_low_bit_shift shift;     /* type of `shifts` */
  int64_t bits;
  size_t rows;
  size_t columns;
  size_t groups; /* groups per row */
  size_t group;  /* elements per group; the last group of a row may have
                  * fewer */
} et_low_bit;

/* Reads quantized values, scales, and zero points or minima (optional) from
 * args[0..2]. Returns INVALID_ARGUMENT if their shapes or dtypes do not match.
 * All are in row-major order. */
et_status et_low_bit_read(et_kernel_context *context, const char *what,
                          et_value *const *args, et_low_bit_shift shift,
                          int64_t bits, et_low_bit *out);

/* Parameters of a group: value = (q - zero_point) * scale + minimum. */
typedef struct et_low_bit_group {
  float scale;
  float zero_point;
  float minimum;
} et_low_bit_group;

et_low_bit_group et_low_bit_group_of(const et_low_bit *matrix, size_t row,
                                     size_t group);

/* Returns the end of the group that contains `column`. */
static inline size_t et_low_bit_group_end(const et_low_bit *matrix,
                                          size_t column) {
  return (column / matrix->group + 1) * matrix->group;
}

/* Unpacks `count` <= ET_CHUNK quantized values of a row, from column `start`, a
 * multiple of ET_CHUNK. */
void et_low_bit_values(const et_low_bit *matrix, size_t row, size_t start,
                       size_t count, int16_t *out);

/* Dequantizes `count` values of a row, with the same limits on `count` and
 * `start`. */
void et_low_bit_dequantize(const et_low_bit *matrix, size_t row, size_t start,
                           size_t count, float *out);

/* ---- Linear layers with low-bit weights ---- */

/* Number of input rows for which a weight row is unpacked once. */
#define ET_LOW_BIT_ROWS 8

typedef struct et_low_bit_linear {
  const char *what;
  et_low_bit weight;
  const et_tensor *input; /* [..., columns] */
  const et_tensor *bias;  /* [weight rows], or NULL */
  et_tensor *out;         /* [..., weight rows] */
  size_t rows;            /* number of input rows */
} et_low_bit_linear;

/* Reads the arguments and resizes `out`. `args` are input, quantized values,
 * scales, and zero points or minima. */
et_status et_low_bit_linear_read(et_kernel_context *context, const char *what,
                                 et_value *const *args, et_low_bit_shift shift,
                                 const et_tensor *bias, int64_t bits,
                                 et_tensor *out, et_low_bit_linear *linear);

/* Computes the layer in float32. */
void et_low_bit_linear_run(const et_low_bit_linear *linear);

/* Stores the results of rows [first, first + count) in column `column`. */
void et_low_bit_linear_store(const et_low_bit_linear *linear, size_t first,
                             size_t count, size_t column,
                             const float *accumulators);

/* ---- Embedding lookup in low-bit matrices ---- */

/* Resizes `out`, and writes the dequantized rows of `table` selected by
 * `indices` to it. */
et_status et_low_bit_rows(et_kernel_context *context, const char *what,
                          const et_low_bit *table, const et_tensor *indices,
                          et_tensor *out);

/* Kernel of an embedding with `bits` bits per value. `args` are quantized
 * values, scales, zero points, lowest and highest quantized value, and indices.
 * `dtype` is the dtype argument, or NULL if the operator has none. Resizes
 * `out`. */
et_status et_low_bit_embedding(et_kernel_context *context, const char *what,
                               et_value *const *args, int64_t bits,
                               const et_value *dtype, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_LOW_BIT_H_ */
