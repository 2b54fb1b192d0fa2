/* Convolutions with packed weights: what ops of them have in common. */
#ifndef BACKENDS_CPU_OPS_CONVS_H_
#define BACKENDS_CPU_OPS_CONVS_H_

#include <stdbool.h>

#include "backends/cpu/microkernels/conv_f32.h"
#include "backends/cpu/ops/op.h"

/* All of a convolution whose panels are of dtype `weights`, but whether its kind
 * reads planes. */
et_status et_cpu_conv_check(const et_cpu_op *op, et_scalar_type weights,
                            et_error *error);

bool et_cpu_conv_reads_planes(const et_cpu_op *op);

/* Without the panels. */
et_cpu_conv et_cpu_conv_read(const et_cpu_op *op);
const et_cpu_tensor *et_cpu_conv_panels(const et_cpu_op *op);
const float *et_cpu_conv_residual(const et_cpu_op *op); /* or NULL */

/* Blocks of pixels times blocks of a group's columns. */
typedef struct et_cpu_pixel_blocks {
  float *out;
  const float *residual; /* or NULL */
  size_t pixels;
  size_t columns;
  size_t groups;
  size_t group_columns;
  size_t block_columns;
  size_t column_blocks; /* of a group */
} et_cpu_pixel_blocks;

et_cpu_pixel_blocks et_cpu_conv_blocks(const et_cpu_op *op);
size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b);
et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b, size_t index);

#endif /* BACKENDS_CPU_OPS_CONVS_H_ */
