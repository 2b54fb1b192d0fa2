/* Quantization with scales and zero points in tensors that are broadcast to the
 * elements. */
#ifndef ET_KERNELS_QUANTIZED_BROADCAST_H_
#define ET_KERNELS_QUANTIZED_BROADCAST_H_

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* The elements that share a scale. */
typedef enum et_scale_by {
  ET_SCALE_BY_CHANNEL, /* elements with the same index of `axis` */
  ET_SCALE_BY_TOKEN,   /* rows along the last dimension */
  ET_SCALE_BY_GROUP,   /* `group` elements of a matrix row */
} et_scale_by;

typedef struct et_broadcast_scales {
  const char *what; /* operator, for messages */
  et_scale_by by;
  int64_t axis;
  int64_t group;
  const et_tensor *scales;
  const et_tensor *zero_points; /* NULL means zeros */
} et_broadcast_scales;

/* Resizes `out`, and dequantizes `input` to it: (q - zero_point) * scale.
 * Returns INVALID_ARGUMENT if the number of parameters is wrong. */
et_status et_broadcast_dequantize(et_kernel_context *context,
                                  const et_broadcast_scales *broadcast,
                                  const et_tensor *input, et_tensor *out);

/* Resizes `out`, and quantizes `input` to it: round(x * (1 / scale)) +
 * zero_point, rounded half to even and clamped to [low, high]. */
et_status et_broadcast_quantize(et_kernel_context *context,
                                const et_broadcast_scales *broadcast,
                                const et_tensor *input, int64_t low,
                                int64_t high, et_tensor *out);

#endif /* ET_KERNELS_QUANTIZED_BROADCAST_H_ */
