/* Conversion of the blocks of `mbconv_f32` to arguments of microkernels. */
#ifndef BACKENDS_CPU_OPS_MBCONV_F32_H_
#define BACKENDS_CPU_OPS_MBCONV_F32_H_

#include "backends/cpu/microkernels/conv_planar.h"
#include "backends/cpu/microkernels/dwconv_f32.h"
#include "backends/cpu/microkernels/gemm_f32.h"
#include "backends/cpu/schema/cost_model.h"
#include "backends/cpu/schema/kernel_sizes.h"
#include "backends/cpu/schema/mbconv_f32.h"

/* Microkernel of the expanding convolution. */
typedef enum et_cpu_expand_form {
  ET_CPU_EXPAND_POINT, /* 1 x 1: a GEMM */
  ET_CPU_EXPAND_PLANAR,
  ET_CPU_EXPAND_WINDOW,
} et_cpu_expand_form;

typedef struct et_cpu_block {
  et_cpu_expand_form form;
  et_cpu_conv expand;
  et_cpu_dwconv filter; /* channels of the expanded image */
  et_cpu_gemm project;
  size_t rows; /* rows of the output that are computed at once */
  size_t ring; /* rows of the expanded image that these rows need */
} et_cpu_block;

/* Implements et_cpu_op_type.check. */
et_status et_cpu_check_mbconv(const et_cpu_op *op, et_error *error);

/* Returns block `index` of an op that passed the check. The tensors in every block are those of the
 * whole op: the input of the first block, and the output and residual of the last one. */
et_cpu_block et_cpu_mbconv_block_of(const et_cpu_mbconv_f32_args *args,
                                    size_t index);

#endif /* BACKENDS_CPU_OPS_MBCONV_F32_H_ */
