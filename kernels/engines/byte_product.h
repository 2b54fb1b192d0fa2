/* int8 GEMM with quantized results:
 *
 *   q = clamp(round(accumulator * factor + bias) + zero_point, low, high) */
#ifndef ET_KERNELS_ENGINES_BYTE_PRODUCT_H_
#define ET_KERNELS_ENGINES_BYTE_PRODUCT_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernels/scratch.h"
#include "kernels/engines/byte_code.h"

/* Maximum reduction depth K. It keeps sums of 8-bit times 9-bit products within
 * 32 bits. */
#define ET_BYTE_PRODUCT_DEPTH 65536

/* Maximum number of panel columns. */
#define ET_BYTE_PRODUCT_COLUMNS 256

/* Weight rows times a panel. */
typedef struct et_byte_product {
  const int8_t *weight; /* [rows, depth] */
  size_t rows;
  size_t depth;
  const float *factors; /* [rows] */
  const float *bias;    /* [rows], in units of the output scale; NULL for
                         * none */
  et_byte_range range;
  uint8_t *out; /* results; the strides are in elements */
  size_t row_stride;
  size_t column_stride;
} et_byte_product;

/* Returns how many panel columns of ET_BYTE_PRODUCT_PITCH(depth) elements fit
 * `scratch`. May be 0. */
size_t et_byte_product_columns(size_t depth, et_mutable_span scratch);

/* `panel` is [columns, pitch] and holds q - zero_point of the input,
 * zero-padded from `depth` to the pitch. */
void et_byte_product_run(const et_byte_product *product, const int16_t *panel,
                         size_t columns);

/* Requantizes accumulators: quantizes sums * factor + bias. */
void et_byte_quantize(const int32_t *sums, size_t count, float factor,
                      float bias, const et_byte_range *range, uint8_t *out);

#endif /* ET_KERNELS_ENGINES_BYTE_PRODUCT_H_ */
