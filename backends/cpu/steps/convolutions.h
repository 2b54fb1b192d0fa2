/* Convolutions with packed weights: what steps of them have in common. */
#ifndef BACKENDS_CPU_STEPS_CONVOLUTIONS_H_
#define BACKENDS_CPU_STEPS_CONVOLUTIONS_H_

#include <stdbool.h>

#include "backends/cpu/simd/convolution.h"
#include "backends/cpu/steps/step.h"

/* All of a convolution whose panels are of dtype `weights`, but whether its kind
 * reads planes. */
et_status et_cpu_convolution_check(const et_cpu_step *step,
                                   et_scalar_type weights, et_error *error);

bool et_cpu_convolution_reads_planes(const et_cpu_step *step);

/* Without the panels. */
et_cpu_convolution et_cpu_convolution_read(const et_cpu_step *step);
const et_cpu_tensor *et_cpu_convolution_panels(const et_cpu_step *step);
const float *et_cpu_convolution_residual(const et_cpu_step *step); /* or NULL */

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

et_cpu_pixel_blocks et_cpu_convolution_blocks(const et_cpu_step *step);
size_t et_cpu_pixel_block_count(const et_cpu_pixel_blocks *b);
et_cpu_pixels et_cpu_pixel_block_at(const et_cpu_pixel_blocks *b, size_t index);

#endif /* BACKENDS_CPU_STEPS_CONVOLUTIONS_H_ */
