/* Op gemm_f32: y = activation(x @ weights + bias + residual). */
#include "backends/cpu/schema/gemm_f32.h"

#include "backends/cpu/ops/gemms.h"

static et_cpu_gemm_f32_function *const variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f32);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_gemm_f32_args args = et_cpu_gemm_f32_args_of(op);
  return et_cpu_gemm_check(op, &args, error);
}

typedef struct gemm_work {
  et_cpu_gemm gemm;
  et_cpu_gemm_f32_function *function;
  et_cpu_blocks blocks;
} gemm_work;

static void run_block(void *data, size_t index) {
  const gemm_work *work = data;
  const et_cpu_range range = et_cpu_block_at(&work->blocks, index);
  work->function(&work->gemm, &range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_gemm_f32_args args = et_cpu_gemm_f32_args_of(op);
  gemm_work work = {et_cpu_gemm_of(&args), variants[run->isa], {0}};
  work.gemm.panels = args.weights->data;
  work.blocks =
      et_cpu_gemm_blocks(&args, run, et_cpu_rows_per_block(work.gemm.depth));
  et_cpu_for_each(run, et_cpu_block_count(&work.blocks), run_block, &work);
}

static const et_cpu_op_type op_type = {&et_cpu_gemm_f32_schema, check, run};
const et_backend_part et_cpu_op_gemm_f32 = {ET_CPU_OP_GEMM_F32, &op_type};
