/* Code shared by `pool_f32` and `pool_qs8`: checks and the division of work. */
#ifndef BACKENDS_CPU_OPS_POOLING_H_
#define BACKENDS_CPU_OPS_POOLING_H_

#include "backends/cpu/microkernels/pool.h"
#include "backends/cpu/schema/pool_f32.h"

/* Checks the relations between the sizes of x and y and the window. */
et_status et_cpu_check_pool(const et_cpu_op *op,
                            const et_cpu_pool_f32_args *args, et_error *error);

/* Returns the arguments of the microkernels. */
et_cpu_pool et_cpu_pool_of(const et_cpu_pool_f32_args *args);

/* A range of channels of a row of the output. */
typedef struct et_cpu_pool_part {
  size_t image; /* elements of x before the image */
  size_t row;   /* row within the output image */
  size_t first; /* channel */
  size_t channels;
  size_t out; /* elements of y before the row */
} et_cpu_pool_part;

size_t et_cpu_pool_parts(const et_cpu_tensor *y);
et_cpu_pool_part et_cpu_pool_part_at(const et_cpu_pool *pool, size_t index);

#endif /* BACKENDS_CPU_OPS_POOLING_H_ */
