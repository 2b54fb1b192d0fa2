/* Products of int8 weights with quantized inputs, in whole numbers, whose results are
 * quantized: code = round(sum * factor + bias) + zero point, within limits. */
#ifndef ET_KERNELS_ENGINES_BYTE_PRODUCT_H_
#define ET_KERNELS_ENGINES_BYTE_PRODUCT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernels/scratch.h"
#include "kernels/engines/byte_code.h"

/* Summands of a result at most, so that sums of products of 8 and 9 bits fit 32. */
#define ET_BYTE_PRODUCT_DEPTH 65536

/* Columns of a panel at most. */
#define ET_BYTE_PRODUCT_COLUMNS 256

/* Rows of weights times a panel. */
typedef struct et_byte_product {
  const int8_t *weight; /* [rows, depth] */
  size_t rows;
  size_t depth;
  const float *factors; /* [rows] */
  const float *bias;    /* [rows], in steps of the results; NULL for none */
  et_byte_range range;
  uint8_t *out; /* results; these are the distances of neighbours: */
  size_t row_stride;
  size_t column_stride;
} et_byte_product;

/* How many columns of a panel, ET_BYTE_PRODUCT_PITCH(depth) elements each, fit `scratch`;
 * 0 when not one does. */
size_t et_byte_product_columns(size_t depth, et_mutable_span scratch);

/* `panel` is [columns, pitch]: steps of the input from its zero point, zeros behind the
 * depth. */
void et_byte_product_run(const et_byte_product *product, const int16_t *panel,
                         size_t columns);

/* The codes of sums * factor + bias. */
void et_byte_quantize(const int32_t *sums, size_t count, float factor,
                      float bias, const et_byte_range *range, uint8_t *out);

#endif /* ET_KERNELS_ENGINES_BYTE_PRODUCT_H_ */
