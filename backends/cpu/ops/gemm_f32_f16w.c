/* Op gemm_f32_f16w: gemm_f32 with float16 or bfloat16 weights. */
#include "backends/cpu/schema/gemm_f32_f16w.h"

#include "backends/cpu/microkernels/gemm_f16w.h"
#include "backends/cpu/ops/gemms.h"

static et_cpu_gemm_f16w_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_rows);
static et_cpu_gemm_f16w_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_row);

static et_status check(const et_cpu_op *op, et_error *error) {
  const et_cpu_gemm_f32_f16w_args args = et_cpu_gemm_f32_f16w_args_of(op);
  return et_cpu_gemm_check(op, &args, error);
}

typedef struct gemm_work {
  et_cpu_gemm_f16w gemm;
  et_cpu_gemm_f16w_function *function;
  et_cpu_blocks blocks;
} gemm_work;

static void run_block(void *data, size_t index) {
  const gemm_work *work = data;
  const et_cpu_range range = et_cpu_block_at(&work->blocks, index);
  work->function(&work->gemm, &range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_gemm_f32_f16w_args args = et_cpu_gemm_f32_f16w_args_of(op);
  const et_cpu_tensor *weights = args.weights;
  gemm_work work = {
      .gemm = {.product = et_cpu_gemm_of(&args),
               .panels = weights->data,
               .is_bfloat = weights->dtype == ET_SCALAR_TYPE_BFLOAT16},
      .blocks = et_cpu_gemm_blocks(&args, run, ET_CPU_WIDENED_ROWS)};
  work.function =
      work.blocks.rows == 1 ? row_variants[run->isa] : rows_variants[run->isa];
  et_cpu_for_each(run, et_cpu_block_count(&work.blocks), run_block, &work);
}

static const et_cpu_op_type op_type = {&et_cpu_gemm_f32_f16w_schema, check,
                                       run};
const et_backend_part et_cpu_op_gemm_f32_f16w = {ET_CPU_OP_GEMM_F32_F16W,
                                                 &op_type};
