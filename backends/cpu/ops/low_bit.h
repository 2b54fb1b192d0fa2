/* Code shared by ops with 4-bit and 8-bit weights. */
#ifndef BACKENDS_CPU_OPS_LOW_BIT_H_
#define BACKENDS_CPU_OPS_LOW_BIT_H_

#include "backends/cpu/microkernels/gemm_qbw.h"
#include "backends/cpu/ops/op.h"
#include "backends/cpu/schema/records.h"

/* Code shared by GEMMs with 4-bit and 8-bit weights. */

/* One GEMM. */
typedef struct et_cpu_low_bit_gemm {
  const et_cpu_tensor *x;       /* [..., K] */
  const et_cpu_tensor *weights; /* [ceil(N / 16), K * bits / 32, 16] */
  const et_cpu_tensor *scales;  /* [ceil(N / 16), groups, 16] */
  const et_cpu_tensor *bias;    /* ceil(N / 16) * 16 elements */
  const et_cpu_tensor
      /* zero points or minima, in the layout of the scales; or NULL */
      *offsets;
  const et_cpu_tensor *y; /* [..., N] */
  int32_t groups;         /* number of groups per column */
  et_cpu_low_bit_format format;
  et_cpu_activation activation;
} et_cpu_low_bit_gemm;

/* Checks the number of `others`, the inputs after the bias of the first GEMM. The number
 * must be from `operands` to `operands` + `optional`. */
et_status et_cpu_low_bit_check_others(const et_cpu_op *op, size_t others,
                                      size_t operands, size_t optional,
                                      et_error *error);

/* Checks the dtypes and sizes of a GEMM whose x and y are float32. */
et_status et_cpu_low_bit_check(const et_cpu_op *op,
                               const et_cpu_low_bit_gemm *gemm,
                               et_error *error);

/* Returns the arguments of the microkernels, without a residual. */
et_cpu_gemm_qbw et_cpu_low_bit_arguments(const et_cpu_low_bit_gemm *gemm);

/* Returns the number of rows of the output. */
size_t et_cpu_low_bit_rows(const et_cpu_tensor *y);

/* Scales, zero points and minima of groups of 4-bit and 8-bit weights. They are float32, float16 or
 * bfloat16, [ceil(N / 16), groups, 16]. */

/* Checks that weights of `op` have 4 or 8 bits. */
et_status et_cpu_check_format(const et_cpu_op *op,
                              const et_cpu_low_bit_format *format,
                              et_error *error);

/* Checks the sizes and the dtype of parameters. */
et_status et_cpu_check_parameters(const et_cpu_op *op,
                                  const et_cpu_tensor *tensor,
                                  const int64_t sizes[3], et_error *error);

/* Returns the parameters in `tensor`, or absent parameters if it is NULL. */
et_cpu_parameters et_cpu_parameters_of(const et_cpu_tensor *tensor);

#endif /* BACKENDS_CPU_OPS_LOW_BIT_H_ */
