/* Op grouped_gemm_f32_f16w: grouped_gemm_f32 with float16 or bfloat16 weights. */
#include "backends/cpu/schema/grouped_gemm_f32_f16w.h"

#include "backends/cpu/microkernels/gemm_f16w.h"
#include "backends/cpu/ops/grouped_gemms.h"

static et_cpu_gemm_f16w_function *const rows_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_rows);
static et_cpu_gemm_f16w_function *const row_variants[ET_CPU_ISA_COUNT] =
    ET_CPU_VARIANTS(et_cpu_gemm_f16w_row);

static void multiply(const et_cpu_grouped_gemm *gemm, size_t group,
                     const et_cpu_range *range) {
  et_cpu_gemm_f16w product = {
      .product = gemm->product,
      .panels = (const uint16_t *)gemm->weights->data +
                et_cpu_group_offset(gemm, group),
      .is_bfloat = gemm->weights->dtype == ET_SCALAR_TYPE_BFLOAT16};
  if (range->rows > 1) {
    rows_variants[gemm->isa](&product, range);
    return;
  }
  /* The single-row microkernel always computes row 0. */
  product.product.x += range->first_row * gemm->product.depth;
  product.product.out += range->first_row * gemm->product.columns;
  row_variants[gemm->isa](&product, range);
}

static void run(const et_cpu_op *op, const et_cpu_run *run) {
  const et_cpu_grouped_gemm_f32_f16w_args args =
      et_cpu_grouped_gemm_f32_f16w_args_of(op);
  et_cpu_grouped_gemm_run(op, run, &args, ET_CPU_WIDENED_ROWS, multiply);
}

static const et_cpu_op_type op_type = {&et_cpu_grouped_gemm_f32_f16w_schema,
                                       et_cpu_grouped_gemm_check, run};
const et_backend_part et_cpu_op_grouped_gemm_f32_f16w = {
    ET_CPU_OP_GROUPED_GEMM_F32_F16W, &op_type};
