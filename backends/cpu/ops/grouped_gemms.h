/* GEMMs of consecutive groups of rows, each with a matrix of its own. */
#ifndef BACKENDS_CPU_OPS_GROUPED_GEMMS_H_
#define BACKENDS_CPU_OPS_GROUPED_GEMMS_H_

#include "backends/cpu/ops/gemms.h"

struct et_cpu_grouped_gemm;

/* Computes a range of the output with the weights of one group. */
typedef void et_cpu_group_function(const struct et_cpu_grouped_gemm *gemm,
                                   size_t group, const et_cpu_range *range);

/* `product` has no panels: those of a group are part `group` of `panels`. */
typedef struct et_cpu_grouped_gemm {
  et_cpu_gemm product;
  const et_cpu_tensor *panels;
  const et_cpu_tensor *ends;
  size_t groups;
  size_t most_rows; /* of a call of `multiply` */
  size_t column_parts;
  uint8_t isa;
  et_cpu_group_function *multiply;
} et_cpu_grouped_gemm;

/* Checks an op whose panels have dtype `weights`. */
et_status et_cpu_grouped_gemm_check(const et_cpu_op *op, et_scalar_type weights,
                                    et_error *error);

/* The panels of the op. */
const et_cpu_tensor *et_cpu_grouped_gemm_panels(const et_cpu_op *op);

/* Runs the op: `multiply` for each group, at most `most_rows` rows at a time. Rows of no group
 * become zeros. Sets the fault of the call if the groups do not follow each other within the rows. */
void et_cpu_grouped_gemm_run(const et_cpu_op *op, const et_cpu_run *run,
                             size_t most_rows, et_cpu_group_function *multiply);

/* The first element of the panels of a group. */
static inline size_t et_cpu_group_offset(const et_cpu_grouped_gemm *gemm,
                                         size_t group) {
  return gemm->panels->numel / gemm->groups * group;
}

#endif /* BACKENDS_CPU_OPS_GROUPED_GEMMS_H_ */
