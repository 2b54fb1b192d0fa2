/* Op sdpa_f32: SDPA of float32, float16 or bfloat16 keys and values. */
#include "backends/cpu/schema/sdpa_f32.h"

#include "backends/cpu/ops/sdpa.h"

static et_cpu_sdpa_f32_function *const few_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_sdpa_few_queries_f32);

static et_cpu_sdpa_args args_of(const et_cpu_op *op) {
  const et_cpu_sdpa_f32_args a = et_cpu_sdpa_f32_args_of(op);
  const et_cpu_sdpa_args args = {
      .q = a.q,
      .k = a.k,
      .v = a.v,
      .mask = a.mask,
      .y = a.y,
      .workspace = a.workspace,
      .position = a.position,
      .attributes = a.attributes,
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

static const et_cpu_op_type op_type = {&et_cpu_sdpa_f32_schema, check, run};
const et_backend_part et_cpu_op_sdpa_f32 = {ET_CPU_OP_SDPA_F32, &op_type};
