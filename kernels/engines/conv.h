/* Convolution. */
#ifndef ET_KERNELS_ENGINES_CONV_H_
#define ET_KERNELS_ENGINES_CONV_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* ---- Geometry and loops ---- */

/* One spatial dimension. At output position o, tap k reads input element
 *
 *   o * stride + k * dilation - padding
 *
 * A transposed convolution reads element
 *
 *   (o + padding - k * dilation) / stride
 *
 * if the division is exact. */
typedef struct et_conv_axis {
  int64_t in;     /* input size */
  int64_t out;    /* output size */
  int64_t kernel; /* number of taps */
  int64_t stride;
  int64_t padding;
  int64_t dilation;
} et_conv_axis;

/* Returns true if the axis has one element and one tap. Operands with fewer
 * dimensions have such axes. */
bool et_conv_axis_is_flat(const et_conv_axis *axis);

/* A convolution. All operands are viewed with three spatial dimensions:
 *
 * - input [N, C, D, H, W];
 * - weight [C_out, C / groups, KD, KH, KW], or transposed [C, C_out / groups,
 *   KD, KH, KW];
 * - bias [C_out], or data NULL for none;
 * - out [N, C_out, OD, OH, OW]. */
typedef struct et_conv {
  et_view input;
  et_view weight;
  et_view bias;
  et_view out;
  et_conv_axis z;
  et_conv_axis y;
  et_conv_axis x;
  int64_t groups;
  bool transposed;
} et_conv;

/* Returns true if et_conv_float32 supports it: float32, not transposed, all
 * operands in row-major order. */
bool et_conv_is_plain(const et_conv *conv);

/* Returns the scratch bytes of et_conv_float32; 0 if it does not apply. See
 * executorch/kernels/scratch.h. */
size_t et_conv_scratch(const et_conv *conv);

/* Fast path. Depthwise convolutions run a direct loop; others run a GEMM over a
 * panel of the input that is gathered into `scratch` (im2col). */
void et_conv_float32(const et_conv *conv, et_mutable_span scratch);

/* Channels-last convolution: float32, not transposed, two spatial dimensions,
 * and the channels of each input and output pixel are contiguous. Depthwise
 * convolutions loop over the channels of a pixel. Others run a GEMM with panels
 * of the weights, which are packed into ET_CONV_SCRATCH_BYTES of `scratch`. */
void et_conv_last(const et_conv *conv, et_mutable_span scratch);

/* Supports any floating dtype and dim order, and transposed convolutions.
 * Accumulates in double. */
void et_conv_any(const et_conv *conv);

/* The two paths of et_conv_float32. The depthwise path needs two spatial
 * dimensions, one input channel per group, and scratch for a few input rows.
 * Otherwise it returns false and writes nothing. */
bool et_conv_depthwise(const et_conv *conv, et_mutable_span scratch);
void et_conv_gemm(const et_conv *conv, et_mutable_span scratch);

/* Depthwise path of et_conv_last. Returns false, and writes nothing, if it does
 * not apply. */
bool et_conv_last_depthwise(const et_conv *conv, et_mutable_span scratch);

/* Returns true if each output position reads only the same input position, so
 * that the input itself is an operand of the GEMM. */
bool et_conv_is_pointwise(const et_conv *conv);

/* Computes the output positions [*low, *high) at which tap `tap` reads inside
 * the input. The axis is not transposed. */
void et_conv_inside(const et_conv_axis *axis, int64_t tap, int64_t *low,
                    int64_t *high);

/* Computes the taps [*low, *high) that read inside the input at output
 * `position`. The axis is not transposed. */
void et_conv_taps_inside(const et_conv_axis *axis, int64_t position,
                         int64_t *low, int64_t *high);

/* Copies `count` elements that are `step` apart. */
void et_conv_copy_spaced(float *to, const float *from, int64_t step,
                         int64_t count);

/* ---- Operators' arguments ---- */

/* `bias` is NULL for none. `output_padding` is NULL for zeros. The operator
 * checks the dtypes. */
typedef struct et_conv_arguments {
  const et_tensor *input;
  const et_tensor *weight;
  const et_tensor *bias;
  const et_value *stride;
  const et_value *padding;
  const et_value *dilation;
  const et_value *output_padding;
  int64_t groups;
  bool transposed;
} et_conv_arguments;

/* Checks the arguments and sets `conv`. Does not resize `out`. */
et_status et_conv_plan(et_kernel_context *context,
                       const et_conv_arguments *arguments, const et_tensor *out,
                       et_conv *conv);

/* Checks the arguments, resizes `out` and sets `conv`. */
et_status et_conv_start(et_kernel_context *context,
                        const et_conv_arguments *arguments, et_tensor *out,
                        et_conv *conv);

/* et_conv_plan and et_conv_start for the arguments of aten::convolution. Also
 * check the dtypes. */
et_status et_convolution_plan(et_kernel_context *context, et_value *const *args,
                              et_conv *conv);
et_status et_convolution_start(et_kernel_context *context,
                               et_value *const *args, et_conv *conv);

#endif /* ET_KERNELS_ENGINES_CONV_H_ */
