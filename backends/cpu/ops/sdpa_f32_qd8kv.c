/* Op sdpa_f32_qd8kv: SDPA of int8 keys and values with a scale for each row. */
#include "backends/cpu/schema/sdpa_f32_qd8kv.h"

#include "backends/cpu/ops/sdpa.h"

static et_cpu_sdpa_f32_function *const few_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_sdpa_few_queries_f32_qd8kv);

static et_cpu_sdpa_args args_of(const et_cpu_op *op) {
  const et_cpu_sdpa_f32_qd8kv_args a = et_cpu_sdpa_f32_qd8kv_args_of(op);
  const et_cpu_sdpa_args args = {
      .q = a.q,
      .k = a.k,
      .v = a.v,
      .k_scales = a.k_scales,
      .v_scales = a.v_scales,
      .mask = a.mask,
      .y = a.y,
      .workspace = a.workspace,
      .position = a.position,
      .attributes = et_cpu_sdpa_f32_attributes_read(op->attributes),
  };
  return args;
}

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_sdpa_args args = args_of(op);
  return et_cpu_sdpa_check(op, &args, error);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_sdpa_args args = args_of(op);
  et_cpu_sdpa_run(&args, few_variants, run);
}

static const et_cpu_op_type op_type = {&et_cpu_sdpa_f32_qd8kv_schema, check,
                                       run};
const et_backend_part et_cpu_op_sdpa_f32_qd8kv = {ET_CPU_OP_SDPA_F32_QD8KV,
                                                  &op_type};
