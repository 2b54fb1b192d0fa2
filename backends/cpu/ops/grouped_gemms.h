/* Code shared by the grouped GEMMs: consecutive groups of rows, each with its own prepacked
 * weights. */
#ifndef BACKENDS_CPU_OPS_GROUPED_GEMMS_H_
#define BACKENDS_CPU_OPS_GROUPED_GEMMS_H_

#include "backends/cpu/ops/gemms.h"
#include "backends/cpu/schema/grouped_gemm_f32.h"

struct et_cpu_grouped_gemm;

/* Computes a range of the output with the weights of one group. */
typedef void et_cpu_group_function(const struct et_cpu_grouped_gemm *gemm,
                                   size_t group, const et_cpu_range *range);

/* `product` does not have weights. Those of group g are `weights[g]`. */
typedef struct et_cpu_grouped_gemm {
  et_cpu_gemm product;
  const et_cpu_tensor *weights;
  const et_cpu_tensor *ends;
  size_t groups;
  size_t max_rows; /* arguments of a call of `multiply` */
  size_t column_parts;
  uint8_t isa;
  et_cpu_group_function *multiply;
} et_cpu_grouped_gemm;

/* Checks all sizes, for weights of any dtype. */
et_status et_cpu_grouped_gemm_check(const et_cpu_op *op, et_error *error);

/* Calls `multiply` for each group, with at most `max_rows` rows at a time. Sets rows that belong to
 * no group to zero. If ends decrease or exceed the number of rows, sets the fault of the call. */
void et_cpu_grouped_gemm_run(const et_cpu_op *op, const et_cpu_run *run,
                             const et_cpu_grouped_gemm_f32_args *args,
                             size_t max_rows, et_cpu_group_function *multiply);

/* Returns the index of the first element of the weights of a group. */
static inline size_t et_cpu_group_offset(const et_cpu_grouped_gemm *gemm,
                                         size_t group) {
  return gemm->weights->numel / gemm->groups * group;
}

#endif /* BACKENDS_CPU_OPS_GROUPED_GEMMS_H_ */
