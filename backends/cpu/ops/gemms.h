/* Code shared by ops with prepacked floating-point weights. */
#ifndef BACKENDS_CPU_OPS_GEMMS_H_
#define BACKENDS_CPU_OPS_GEMMS_H_

#include "backends/cpu/ops/gemm_blocks.h"
#include "backends/cpu/schema/gemm_f32.h"

/* Checks that y has as many rows as x, and that a residual has the shape of y. */
et_status et_cpu_gemm_check_rows(const et_cpu_op *op,
                                 const et_cpu_gemm_f32_args *args,
                                 et_error *error);

/* Checks all sizes of `gemm_f32`, for weights of any dtype. */
et_status et_cpu_gemm_check(const et_cpu_op *op,
                            const et_cpu_gemm_f32_args *args, et_error *error);

/* Returns the arguments of the microkernels, except for the weights. */
et_cpu_gemm et_cpu_gemm_of(const et_cpu_gemm_f32_args *args);

/* Divides the output into blocks of at most `max_rows` rows. */
et_cpu_blocks et_cpu_gemm_blocks(const et_cpu_gemm_f32_args *args,
                                 const et_cpu_run *run, size_t max_rows);

#endif /* BACKENDS_CPU_OPS_GEMMS_H_ */
