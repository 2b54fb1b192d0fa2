/* Matrices whose elements are codes of 2, 4 or 8 bits, with scales, and perhaps
 * zero points or minima, for groups of consecutive elements of a row. */
#ifndef ET_KERNELS_QUANTIZED_FEW_BITS_H_
#define ET_KERNELS_QUANTIZED_FEW_BITS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"

/* What takes numbers elsewhere than to code * scale: (code - zero point) * scale,
 * or what a code is above the lowest * scale + minimum. */
typedef enum et_few_bits_shift {
  ET_FEW_BITS_ZERO_POINTS,
  ET_FEW_BITS_MINIMA,
} et_few_bits_shift;

/* Codes of 8 bits are int8 or uint8. Others lie in uint8, less half of their
 * range: two of 4 bits a byte, the first in the high half; four of 2 bits, the
 * first in the lowest. */
typedef struct et_few_bits {
  const et_tensor *codes;  /* [rows, bytes] */
  const et_tensor *scales; /* [rows] or [rows, groups] */
  const et_tensor *shifts; /* like scales, or NULL */
  et_few_bits_shift shift; /* what they are */
  int64_t bits;
  size_t rows;
  size_t columns;
  size_t groups; /* of a row */
  size_t group;  /* elements; the last one of a row may have fewer */
} et_few_bits;

/* Reads codes, scales and, if there are any, zero points or minima from
 * args[0..2]: INVALID_ARGUMENT unless they fit each other. All are in row-major
 * order. */
et_status et_few_bits_read(et_kernel_context *context, const char *what,
                           et_value *const *args, et_few_bits_shift shift,
                           int64_t bits, et_few_bits *out);

/* Numbers of a group of a row: (code - zero_point) * scale + minimum. */
typedef struct et_few_bits_group {
  float scale;
  float zero_point;
  float minimum;
} et_few_bits_group;

et_few_bits_group et_few_bits_group_of(const et_few_bits *matrix, size_t row,
                                       size_t group);

/* The end of the group that column `column` is in. */
static inline size_t et_few_bits_group_end(const et_few_bits *matrix,
                                           size_t column) {
  return (column / matrix->group + 1) * matrix->group;
}

/* `count` <= ET_CHUNK codes of a row, from column `start`, a multiple of
 * ET_CHUNK. */
void et_few_bits_codes(const et_few_bits *matrix, size_t row, size_t start,
                       size_t count, int16_t *out);

/* What they stand for. */
void et_few_bits_dequantize(const et_few_bits *matrix, size_t row, size_t start,
                            size_t count, float *out);

#endif /* ET_KERNELS_QUANTIZED_FEW_BITS_H_ */
