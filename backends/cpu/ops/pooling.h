/* What pooling of floats and of bytes have in common: words, sizes, and how rows
 * of the output are shared out. */
#ifndef BACKENDS_CPU_OPS_POOLING_H_
#define BACKENDS_CPU_OPS_POOLING_H_

#include "backends/cpu/microkernels/pool.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/ops/window.h"

/* Input 0 is pooled to output 0, by the first attributes. */
#define ET_CPU_POOL_WORDS (1 + ET_CPU_WINDOW_WORDS + 2)

/* That images of the input become images of the output; dtypes and ranks were
 * looked at before. */
et_status et_cpu_check_pool(const et_cpu_op *op, et_error *error);

et_cpu_pool et_cpu_read_pool(const et_cpu_op *op);

/* Some channels of a row of the output. */
typedef struct et_cpu_pool_part {
  size_t image; /* elements of the input before the row's image */
  size_t row;   /* of that image's output */
  size_t first; /* channel */
  size_t channels;
  size_t out; /* elements of the output before the row */
} et_cpu_pool_part;

size_t et_cpu_pool_parts(const et_cpu_op *op);
et_cpu_pool_part et_cpu_pool_part_at(const et_cpu_pool *pool, size_t index);

#endif /* BACKENDS_CPU_OPS_POOLING_H_ */
