/* Quantization with parameters that lie in tensors: each scale and zero point
 * spread over the elements that it belongs to. */
#ifndef ET_KERNELS_QUANTIZED_SPREAD_H_
#define ET_KERNELS_QUANTIZED_SPREAD_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* Which elements share a scale. */
typedef enum et_spread_by {
  ET_SPREAD_BY_CHANNEL, /* those at one index of `axis` */
  ET_SPREAD_BY_TOKEN,   /* rows of the last dimension */
  ET_SPREAD_BY_GROUP,   /* `group` elements of a row of a matrix */
} et_spread_by;

typedef struct et_spread {
  const char *what; /* the operator, for messages */
  et_spread_by by;
  int64_t axis;
  int64_t group;
  const et_tensor *scales;
  const et_tensor *zero_points; /* NULL: zeros */
} et_spread;

/* Dequantizes `input` to `out`, which it resizes: (q - zero point) * scale.
 * INVALID_ARGUMENT when there are not as many parameters as it takes. */
et_status et_spread_dequantize(et_kernel_context *context,
                               const et_spread *spread, const et_tensor *input,
                               et_tensor *out);

/* Quantizes `input` to `out`, which it resizes, clamping to `low` and `high`:
 * round(x * (1 / scale)) + zero point, halves to even. */
et_status et_spread_quantize(et_kernel_context *context,
                             const et_spread *spread, const et_tensor *input,
                             int64_t low, int64_t high, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_SPREAD_H_ */
