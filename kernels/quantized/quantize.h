/* Quantization and dequantization of tensors. */
#ifndef ET_KERNELS_QUANTIZED_QUANTIZE_H_
#define ET_KERNELS_QUANTIZED_QUANTIZE_H_

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/convert.h"
#include "executorch/kernels/view.h"

/* ---- Affine quantization: real = (quantized - zero_point) * scale ---- */

typedef struct et_quantization {
  float scale;
  float inverse; /* 1 / scale, rounded once, because PyTorch multiplies by it */
  int64_t zero_point;
  int64_t low; /* smallest and largest quantized value */
  int64_t high;
} et_quantization;

/* Reads scale, zero_point, quant_min and quant_max from args[0..3]. Returns
 * INVALID_ARGUMENT unless:
 *
 * - the scale is finite and positive;
 * - low <= high;
 * - zero point and limits fit `dtype`, an integer type of at most 32 bits. */
et_status et_quantization_read(et_kernel_context *context, const char *what,
                               et_value *const *args, et_scalar_type dtype,
                               et_quantization *out);

/* et_quantization_read for a scale and a zero point in C variables. */
et_status et_quantization_make(et_kernel_context *context, const char *what,
                               double scale, int64_t zero_point, int64_t low,
                               int64_t high, et_scalar_type dtype,
                               et_quantization *out);

/* Returns INVALID_ARGUMENT unless low <= high, and both fit `dtype`.
 * et_quantization_check_dtype must accept `dtype`. */
et_status et_quantization_check_limits(et_kernel_context *context,
                                       const char *what, int64_t low,
                                       int64_t high, et_scalar_type dtype);

/* Reads the parameters of one quantization from arguments. */
typedef et_status (*et_quantization_read_fn)(et_kernel_context *context,
                                             const char *what,
                                             et_value *const *args,
                                             et_scalar_type dtype,
                                             et_quantization *out);

/* Checks the dtypes and limits of an operator that quantizes and has an
 * argument `dtype`. */
et_status et_quantization_check_call(et_kernel_context *context,
                                     const char *what, const et_tensor *input,
                                     const et_value *dtype, int64_t low,
                                     int64_t high, const et_tensor *out);

/* et_quantization_read for a scale and a zero point in one-element tensors. */
et_status et_quantization_read_tensors(et_kernel_context *context,
                                       const char *what, et_value *const *args,
                                       et_scalar_type dtype,
                                       et_quantization *out);

/* Returns INVALID_ARGUMENT unless `dtype` is uint8, int8, int16 or int32. */
et_status et_quantization_check_dtype(et_kernel_context *context,
                                      const char *what, et_scalar_type dtype);

/* Rounds half to even. NaN becomes the zero point. */
static inline int64_t et_quantize(const et_quantization *q, float value) {
  const float scaled = rintf(value * q->inverse);
  /* Beyond these limits, the result is clamped in any case. */
  const float limited = scaled > 4e9f ? 4e9f : scaled < -4e9f ? -4e9f : scaled;
  const int64_t result = et_float_to_int64((double)limited) + q->zero_point;
  return result < q->low ? q->low : result > q->high ? q->high : result;
}

static inline float et_dequantize(const et_quantization *q, int64_t value) {
  return (float)(value - q->zero_point) * q->scale;
}

/* ---- Loop and checks of the dequantizing operators ---- */

/* Dequantizes each element of `in` to the same index of `out`, of a floating
 * dtype. */
void et_dequantize_view(const et_quantization *q, const et_view *in,
                        const et_view *out);

/* Checks the dtypes of input and out for an operator with arguments `dtype` and
 * `out_dtype`. */
et_status et_dequantize_check(et_kernel_context *context, const char *what,
                              const et_tensor *input, const et_value *dtype,
                              const et_value *out_dtype, const et_tensor *out);

/* ---- Quantization parameters from the range of values ---- */

/* A range that includes 0, so that 0 can be represented exactly. */
typedef struct et_range {
  float low;
  float high;
} et_range;

typedef struct et_range_parameters {
  double scale;
  int64_t zero_point;
} et_range_parameters;

/* Extends the range by more values. NaN is ignored. */
void et_range_take(et_range *range, const float *values, size_t count);

/* Returns parameters for quantized values in [low, high], as ExecuTorch's
 * kernels choose them. Scales below 6.1e-5 become 6.1e-5. An empty range has
 * scale 0.1. */
et_range_parameters et_range_asymmetric(const et_range *range, int64_t low,
                                        int64_t high);

#endif /* ET_KERNELS_QUANTIZED_QUANTIZE_H_ */
