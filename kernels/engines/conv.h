/* The geometry of convolutions and pooling over up to three spatial dimensions. */
#ifndef ET_KERNELS_ENGINES_CONV_H_
#define ET_KERNELS_ENGINES_CONV_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"

/* One spatial dimension. Window position o, tap k reads element
 * o * stride + k * dilation - padding; a transposed convolution reads element
 * (o + padding - k * dilation) / stride where that divides. */
typedef struct et_conv_axis {
  int64_t in;     /* size of the input */
  int64_t out;    /* size of the output */
  int64_t kernel; /* taps */
  int64_t stride;
  int64_t padding;
  int64_t dilation;
} et_conv_axis;

/* Whether windows along the axis are its one element: so it is where operands
 * have fewer dimensions. */
bool et_conv_axis_is_flat(const et_conv_axis *axis);

/* A convolution, its operands seen with three spatial dimensions: input
 * [batch, channels, D, H, W], weight [out channels, channels a group, KD, KH, KW]
 * or, transposed, [channels, out channels a group, KD, KH, KW], bias
 * [out channels] or none (data NULL), out [batch, out channels, OD, OH, OW]. */
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

/* Whether et_conv_float32 takes it: float32, not transposed, every operand in
 * row-major order. */
bool et_conv_is_plain(const et_conv *conv);

/* Bytes of scratch that it then takes, else 0; see executorch/kernels/scratch.h. */
size_t et_conv_scratch(const et_conv *conv);

/* The fast path: a direct loop for depthwise convolutions, else matrix products
 * over a panel of the input that is gathered into `scratch`. */
void et_conv_float32(const et_conv *conv, et_mutable_span scratch);

/* float32, not transposed, two spatial dimensions, the channels of a pixel of input
 * and out behind one another: a loop over the channels of pixels for depthwise convolutions, else
 * products with panels of the weights, which are laid out in ET_CONV_SCRATCH_BYTES
 * of `scratch`. */
void et_conv_last(const et_conv *conv, et_mutable_span scratch);

/* Any floating dtype, any dim order, transposed or not; sums in double. */
void et_conv_any(const et_conv *conv);

/* The two parts of et_conv_float32: the depthwise loop, which needs two spatial
 * dimensions, one channel a group and a few rows of the input to fit in scratch
 * (false, and nothing written, when it cannot), and the matrix products. */
bool et_conv_depthwise(const et_conv *conv, et_mutable_span scratch);
void et_conv_product(const et_conv *conv, et_mutable_span scratch);

/* The depthwise part of et_conv_last; false, and nothing written, when it is not
 * for it. */
bool et_conv_last_depthwise(const et_conv *conv, et_mutable_span scratch);

/* Whether each position of the output reads just its own of the input, so that
 * the input itself is a factor of the product. */
bool et_conv_is_pointwise(const et_conv *conv);

/* The positions [*low, *high) of an axis, not transposed, at which tap `tap`
 * reads inside the input. */
void et_conv_inside(const et_conv_axis *axis, int64_t tap, int64_t *low,
                    int64_t *high);

/* The taps [*low, *high) of an axis, not transposed, that read inside the input
 * at `position`. */
void et_conv_taps_inside(const et_conv_axis *axis, int64_t position,
                         int64_t *low, int64_t *high);

/* Copies `count` elements that lie `step` apart. */
void et_conv_copy_spaced(float *to, const float *from, int64_t step,
                         int64_t count);

#endif /* ET_KERNELS_ENGINES_CONV_H_ */
