/* What kinds of convolutions of bytes have in common. */
#ifndef BACKENDS_CPU_OPS_WINDOW_I8_H_
#define BACKENDS_CPU_OPS_WINDOW_I8_H_

#include "backends/cpu/ops/quantized.h"
#include "backends/cpu/ops/window.h"

/* Tensors: x, weights, and what their columns have; then y. */
enum {
  ET_CPU_I8_X,
  ET_CPU_I8_WEIGHTS,
  ET_CPU_I8_COLUMNS,
  ET_CPU_I8_Y = ET_CPU_I8_COLUMNS + ET_CPU_COLUMN_TENSORS
};

/* Attributes; a kind's own follow them. */
enum {
  ET_CPU_I8_WINDOW,
  ET_CPU_I8_ZERO_POINT = ET_CPU_I8_WINDOW + ET_CPU_WINDOW_WORDS,
  ET_CPU_I8_TOGETHER,
  ET_CPU_I8_LOWEST,
  ET_CPU_I8_QUANTIZING,
  ET_CPU_I8_WORDS = ET_CPU_I8_QUANTIZING + ET_CPU_QUANTIZING_WORDS
};

/* Most pairs or quads of weights that a payload may say add up `together`. */
#define ET_CPU_I8_MOST_TOGETHER 4096

/* That the op's images and all of these attributes fit each other, and that
 * `own` others follow; and that there are so many workspaces. */
et_status et_cpu_check_window_i8(const et_cpu_op *op, uint16_t own,
                                 uint16_t workspaces, et_error *error);

#endif /* BACKENDS_CPU_OPS_WINDOW_I8_H_ */
