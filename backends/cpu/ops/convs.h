/* Code shared by `conv_f32` and `conv_f32_f16w`. */
#ifndef BACKENDS_CPU_OPS_CONVS_H_
#define BACKENDS_CPU_OPS_CONVS_H_

#include "backends/cpu/microkernels/conv_f32.h"
#include "backends/cpu/schema/conv_f32.h"

/* Checks all sizes of `conv_f32`, for weights of any dtype. Does not check the limits of planar
 * input. */
et_status et_cpu_conv_check(const et_cpu_op *op,
                            const et_cpu_conv_f32_args *args, et_error *error);

/* Returns the arguments of the microkernels, except for the weights. */
et_cpu_conv et_cpu_conv_of(const et_cpu_conv_f32_args *args);

/* Returns the elements of the residual, or NULL. */
const float *et_cpu_conv_residual(const et_cpu_conv_f32_args *args);

/* Division of the output into blocks of pixels and columns. The columns of a block belong to one
 * group. */
typedef struct et_cpu_pixel_blocks {
  float *out;
  const float *residual; /* or NULL */
  size_t pixels;
  size_t columns;
  size_t groups;
  size_t group_columns;
  size_t block_columns;
  size_t column_blocks; /* number of blocks per group */
} et_cpu_pixel_blocks;

et_cpu_pixel_blocks et_cpu_conv_blocks(const et_cpu_conv_f32_args *args);
size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b);
et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b, size_t index);

#endif /* BACKENDS_CPU_OPS_CONVS_H_ */
