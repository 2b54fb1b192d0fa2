/* Operands, taps and positions of a convolution, and its paths. */
#ifndef ET_KERNELS_ENGINES_CONV_GEOMETRY_H_
#define ET_KERNELS_ENGINES_CONV_GEOMETRY_H_

#include <stdbool.h>
#include <stdint.h>

#include "executorch/kernel.h"
#include "executorch/kernels/view.h"
#include "runtime/core/arithmetic.h"

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

/* Maximum of an attribute over the three axes. */
#define ET_CONV_LARGEST(conv, member) \
  et_max_i64((conv)->z.member, et_max_i64((conv)->y.member, (conv)->x.member))

/* Returns true if each output position reads only the same input position. The
 * input itself is then an operand of the GEMM. */
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

/* ---- Paths, from which conv.h selects ---- */

/* The two paths of et_conv_float32. The depthwise path needs two spatial
 * dimensions, one input channel per group, and scratch for a few input rows.
 * Otherwise it returns false and writes nothing. */
bool et_conv_depthwise(const et_conv *conv, et_mutable_span scratch);
void et_conv_gemm(const et_conv *conv, et_mutable_span scratch);

/* Depthwise path of et_conv_last. Returns false, and writes nothing, if it does
 * not apply. */
bool et_conv_last_depthwise(const et_conv *conv, et_mutable_span scratch);

#endif /* ET_KERNELS_ENGINES_CONV_GEOMETRY_H_ */
