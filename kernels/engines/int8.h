/* int8 and uint8 GEMM and convolution. */
#ifndef ET_KERNELS_ENGINES_INT8_H_
#define ET_KERNELS_ENGINES_INT8_H_

#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/scratch.h"
#include "kernels/engines/conv.h"

/* ---- Quantized values, and their conversion to and from q - zero_point ---- */

/* Zero point and limits of quantized results, int8 or uint8. */
typedef struct et_int8_range {
  int32_t zero_point;
  int32_t low;
  int32_t high;
} et_int8_range;

/* Parameters for computing q - zero_point. uint8 values are first mapped to
 * int8: `flip` is 128, and 128 is subtracted from the zero point. For int8,
 * `flip` is 0. */
typedef struct et_int8_params {
  uint8_t flip;
  int16_t zero_point;
} et_int8_params;

et_int8_params et_int8_params_of(et_scalar_type dtype, int64_t zero_point);

static inline int16_t et_int8_center(et_int8_params params, uint8_t q) {
  return (int16_t)((int8_t)(q ^ params.flip) - params.zero_point);
}

/* Computes q - zero_point of `count` values that are `step` apart. */
void et_int8_center_all(et_int8_params params, const uint8_t *quantized,
                        ptrdiff_t step, size_t count, int16_t *out);

/* Quantizes a real value that was divided by the scale. Rounds half to even and
 * clamps to the range. NaN becomes the lowest value. */
static inline uint8_t et_int8_quantize(float steps,
                                       const et_int8_range *range) {
  const float low = (float)(range->low - range->zero_point);
  const float high = (float)(range->high - range->zero_point);
  const float above = steps > low ? steps : low;
  const float within = above < high ? above : high;
  /* 1.5 * 2^23: floats of this size are 1 apart, so the addition rounds to an
   * integer. */
  const float shift = 12582912.0f;
  return (uint8_t)((int32_t)((within + shift) - shift) + range->zero_point);
}

/* ---- GEMM with quantized results ---- */

/* q = clamp(round(accumulator * factor + bias) + zero_point, low, high) */

/* Maximum reduction depth K. It keeps sums of 8-bit times 9-bit products within
 * 32 bits. */
#define ET_INT8_GEMM_DEPTH 65536

/* Maximum number of panel columns. */
#define ET_INT8_GEMM_COLUMNS 256

/* A GEMM of weight rows and a panel. */
typedef struct et_int8_gemm {
  const int8_t *weight; /* [rows, depth] */
  size_t rows;
  size_t depth;
  const float *factors; /* [rows] */
  const float *bias;    /* [rows], in units of the output scale; NULL for
                         * none */
  et_int8_range range;
  uint8_t *out; /* results; the strides are in elements */
  size_t row_stride;
  size_t column_stride;
} et_int8_gemm;

/* Returns how many panel columns of ET_INT8_GEMM_PITCH(depth) elements fit in
 * `scratch`; can be 0. */
size_t et_int8_gemm_columns(size_t depth, et_mutable_span scratch);

/* `panel` is [columns, pitch] and holds q - zero_point of the input,
 * zero-padded from `depth` to the pitch. */
void et_int8_gemm_run(const et_int8_gemm *gemm, const int16_t *panel,
                      size_t columns);

/* Requantizes accumulators: quantizes accumulators * factor + bias. */
void et_int8_requantize(const int32_t *accumulators, size_t count, float factor,
                        float bias, const et_int8_range *range, uint8_t *out);

/* ---- int8 and uint8 convolution ---- */

/* `conv` is not transposed and in row-major order. Input and output are int8 or
 * uint8; the weight is int8. The other fields are as in et_int8_gemm. */
typedef struct et_int8_conv {
  et_conv conv;
  et_int8_params params;
  const float *factors;
  const float *bias;
  et_int8_range range;
} et_int8_conv;

/* Returns the reduction depth K. */
static inline size_t et_int8_conv_depth(const et_conv *conv) {
  return (size_t)conv->weight.sizes[1] * (size_t)conv->z.kernel *
         (size_t)conv->y.kernel * (size_t)conv->x.kernel;
}

/* `scratch` must hold at least one column of a panel. */
void et_int8_conv_run(const et_int8_conv *conv, et_mutable_span scratch);

/* Depthwise path of et_int8_conv_run, for two spatial dimensions. Returns
 * false, and writes nothing, if the convolution is not depthwise or its rows do
 * not fit `scratch`. */
bool et_int8_conv_depthwise(const et_int8_conv *conv, et_mutable_span scratch);

#endif /* ET_KERNELS_ENGINES_INT8_H_ */
