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

/* GEMMs of the groups. `product` has no weights, because group g has its own: `weights[g]`. */
typedef struct et_cpu_grouped_gemm {
  et_cpu_gemm product;
  const et_cpu_tensor *weights;
  const et_cpu_tensor *ends;
  size_t groups;
  size_t max_rows; /* per call of `multiply` */
  size_t column_parts;
  uint8_t isa;
  et_cpu_group_function *multiply;
} et_cpu_grouped_gemm;

/* Checks all sizes, for weights of any dtype. */
et_status et_cpu_grouped_gemm_check(const et_cpu_op *op, et_error *error);

/* Calls `multiply` for each group, with at most `max_rows` rows at a time. Fills rows
 * outside all groups with zeros. If the ends decrease or exceed the number of rows, reports the
 * failure in run->fault. */
void et_cpu_grouped_gemm_run(const et_cpu_op *op, const et_cpu_run *run,
                             const et_cpu_grouped_gemm_f32_args *args,
                             size_t max_rows, et_cpu_group_function *multiply);

/* Returns the index of the first weight of a group. */
static inline size_t et_cpu_group_offset(const et_cpu_grouped_gemm *gemm,
                                         size_t group) {
  return gemm->weights->numel / gemm->groups * group;
}

#endif /* BACKENDS_CPU_OPS_GROUPED_GEMMS_H_ */
