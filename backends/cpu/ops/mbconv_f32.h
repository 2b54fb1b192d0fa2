/* What an op `block` is made of. */
#ifndef BACKENDS_CPU_OPS_MBCONV_F32_H_
#define BACKENDS_CPU_OPS_MBCONV_F32_H_

#include "backends/cpu/microkernels/conv_planar.h"
#include "backends/cpu/microkernels/dwconv_f32.h"
#include "backends/cpu/microkernels/gemm_f32.h"
#include "backends/cpu/ops/op.h"

/* Most rows of a filter's window: they are listed on the stack. */
#define ET_CPU_MBCONV_ROWS 32

/* What the expanding convolution is computed as. */
typedef enum et_cpu_expand_form {
  ET_CPU_EXPAND_POINT, /* 1 x 1: a product */
  ET_CPU_EXPAND_PLANES,
  ET_CPU_EXPAND_WINDOW,
} et_cpu_expand_form;

typedef struct et_cpu_block {
  et_cpu_expand_form form;
  et_cpu_conv expand;
  et_cpu_dwconv filter; /* its image is the expanded picture */
  et_cpu_gemm project;
  size_t rows; /* of the output, at once */
  size_t ring; /* rows of the expanded picture that they read */
} et_cpu_block;

/* Most blocks of an op, of which each expands what the one before projects. */
#define ET_CPU_CHAINED_BLOCKS 4

et_status et_cpu_check_block(const et_cpu_op *op, et_error *error);

/* Of an op that was checked: how many blocks it has, and one of them. Tensors are
 * whole: x of the first, out and residual of the last. */
size_t et_cpu_chained_blocks(const et_cpu_op *op);
et_cpu_block et_cpu_read_block(const et_cpu_op *op, size_t index);

#endif /* BACKENDS_CPU_OPS_MBCONV_F32_H_ */
