/* SDPA ops: y = softmax(scale * q @ k^T + mask) @ v for each head. They differ in the dtypes of keys
 * and values. */
#ifndef BACKENDS_CPU_OPS_SDPA_H_
#define BACKENDS_CPU_OPS_SDPA_H_

#include "backends/cpu/microkernels/sdpa.h"
#include "backends/cpu/schema/sdpa_f32.h"

/* The tensors and attributes of an op, as in its schema. */
typedef struct et_cpu_sdpa_args {
  const et_cpu_tensor *q;
  const et_cpu_tensor *k;
  const et_cpu_tensor *v;
  const et_cpu_tensor *k_scales; /* both NULL unless k and v are int8 */
  const et_cpu_tensor *v_scales;
  const et_cpu_tensor *mask; /* NULL if absent */
  const et_cpu_tensor *y;
  const et_cpu_tensor *workspace;
  const int32_t *position;
  et_cpu_sdpa_f32_attributes attributes;
} et_cpu_sdpa_args;

et_status et_cpu_sdpa_check(const et_cpu_op *op, const et_cpu_sdpa_args *args,
                            et_error *error);

/* few_variants: functions for few queries, for each instruction set. */
void et_cpu_sdpa_run(const et_cpu_sdpa_args *args,
                     et_cpu_sdpa_f32_function *const *few_variants,
                     const et_cpu_run *run);

#endif /* BACKENDS_CPU_OPS_SDPA_H_ */
